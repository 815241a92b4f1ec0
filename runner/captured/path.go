package captured

import (
	"slices"
	"strconv"
	"strings"
)

// step is one step down a document: below a key, or to an item of a list.
type step struct {
	key  string
	item int // position counted from 1, 0 for a key
}

// path is how to get from the root of a document to a value; the root's is nil. It becomes text only for a finding that
// is listed, because a million faults can stand below one key of a megabyte.
type path struct {
	above *path
	step
}

func pathOf(keys ...string) (p *path) {
	for _, key := range keys {
		p = p.below(key)
	}
	return p
}

func (p *path) below(key string) *path { return &path{p, step{key: key}} }

// at is the path to a position of a list, counted from 0.
func (p *path) at(i int) *path { return &path{p, step{item: i + 1}} }

// String is the path as people write it.
func (p *path) String() string {
	var steps []step
	for ; p != nil; p = p.above {
		steps = append(steps, p.step)
	}
	slices.Reverse(steps)
	return dotted(steps)
}

// dotted writes steps as config.trials_per_task or graders[0].name; an odd key is quoted in brackets.
func dotted(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		shown := cut(s.key, maxShownName)
		switch {
		case s.item > 0:
			b.WriteString("[" + strconv.Itoa(s.item-1) + "]")
		case !plainName(head(s.key, maxShownName)):
			b.WriteString("[" + strconv.Quote(shown) + "]")
		case b.Len() == 0:
			b.WriteString(shown)
		default:
			b.WriteString("." + shown)
		}
	}
	return b.String()
}

// plainName reports that a key stands in a dotted path as it is.
func plainName(key string) bool {
	odd := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}
	return key != "" && !strings.ContainsFunc(key, odd)
}
