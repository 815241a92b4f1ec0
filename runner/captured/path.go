package captured

import (
	"strconv"
	"strings"
)

// plainName reports that a key stands in a dotted path as it is.
func plainName(key string) bool {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}
	return key != "" && !strings.ContainsFunc(key, odd)
}

// join appends a key to a dotted path, such as config.trials_per_task; an odd key is quoted in brackets.
func join(path, key string) string {
	shown := cut(key, maxShownName)
	switch {
	case !plainName(key):
		return path + "[" + strconv.Quote(shown) + "]"
	case path == "":
		return shown
	}
	return path + "." + shown
}

// item appends a position in a list, counted from 0, such as graders[0].
func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
