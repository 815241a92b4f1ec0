package borders

import (
	"fmt"
	"regexp"
	"strings"
)

// quoted is a word in code marks.
var quoted = regexp.MustCompile("`([^`]+)`")

// architecture compares the table of floors in ARCHITECTURE.md with rooms.
func architecture(t *Tree) []string {
	const document = "ARCHITECTURE.md"
	written := map[string]int{}
	for _, line := range strings.Split(t.text(document), "\n") {
		cells := strings.Split(line, "|")
		var floor int
		if len(cells) < 3 {
			continue
		}
		if _, err := fmt.Sscanf(strings.TrimSpace(cells[1]), "%d ", &floor); err != nil {
			continue
		}
		for _, match := range quoted.FindAllStringSubmatch(cells[2], -1) {
			written[match[1]] = floor
		}
	}
	var found []string
	for _, r := range rooms() {
		floor, ok := written[r.path]
		switch {
		case !ok:
			found = append(found, fmt.Sprintf("%s:1: the table lacks %q, floor %d", document, r.path, r.floor))
		case floor != r.floor:
			found = append(found, fmt.Sprintf("%s:1: the table has %q on floor %d, the rule on %d", document, r.path, floor, r.floor))
		}
		delete(written, r.path)
	}
	for path := range written {
		found = append(found, fmt.Sprintf("%s:1: the table has %q, which no rule knows", document, path))
	}
	return found
}
