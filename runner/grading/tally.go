package grading

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Feedback stays far below the 4096 code points a terminal allows (runner 2.6).
const (
	namedItems = 8  // failed items named
	namedRunes = 60 // code points of each
)

// What feedback calls a failed item.
const (
	missing   = "missing"
	present   = "must not appear"
	unmatched = "no match for"
	matched   = "must not match"
)

// tally counts the items of one check and remembers the first that failed.
type tally struct {
	total, passed int
	failed        []string // labelled, at most namedItems
	label         string   // of the last one named
}

// count adds an item and gives ok back.
func (t *tally) count(label, item string, ok bool) bool {
	t.total++
	if ok {
		t.passed++
		return true
	}
	if len(t.failed) < namedItems {
		named := strconv.Quote(shorten(item))
		if label != t.label {
			named = label + ": " + named
			t.label = label
		}
		t.failed = append(t.failed, named)
	}
	return false
}

func (t *tally) all() bool { return t.passed == t.total }

// share is the score: passed items by all items (runner 4.6).
func (t *tally) share() float64 {
	if t.total == 0 {
		return 0
	}
	return float64(t.passed) / float64(t.total)
}

// feedback is one line for people, such as: 1 of 2 passed; missing: "crane".
func (t *tally) feedback() string {
	s := fmt.Sprintf("%d of %d passed", t.passed, t.total)
	if t.all() {
		return s
	}
	s += "; " + strings.Join(t.failed, ", ")
	if more := t.total - t.passed - len(t.failed); more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= namedRunes {
		return s
	}
	n := 0
	for i := range s {
		if n == namedRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
