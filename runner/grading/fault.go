package grading

import (
	"errors"
	"fmt"
	"strings"

	"parley/runner"
)

// Fault is one thing that makes a grader's configuration impossible to evaluate. It never repeats an item's text.
type Fault struct {
	Key      string // the list, "" when the configuration as a whole is meant
	Index    int    // the item, 0-based
	Expected string
	Found    string
}

// Error is the fault as one sentence.
func (f Fault) Error() string {
	at := "config"
	if f.Key != "" {
		at = fmt.Sprintf("config.%s[%d]", f.Key, f.Index)
	}
	return at + ": expected " + f.Expected + ", found " + f.Found
}

// Faults are the faults of one configuration, in the order of the lists in runner 4.6.
type Faults struct {
	Listed []Fault // the first runner.MaxFindings
	More   int     // faults beyond those, counted only
}

// Error joins the listed faults and says how many more there are.
func (f Faults) Error() string {
	parts := make([]string, len(f.Listed), len(f.Listed)+1)
	for i, one := range f.Listed {
		parts[i] = one.Error()
	}
	if f.More > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", f.More))
	}
	return strings.Join(parts, "; ")
}

func (f Faults) any() bool { return len(f.Listed) > 0 }

// add lists a fault at an item, or only counts it. Only a listed one asks err for its words.
func (f *Faults) add(key string, index int, expected string, err error) {
	if len(f.Listed) >= runner.MaxFindings {
		f.More++
		return
	}
	f.Listed = append(f.Listed, Fault{Key: key, Index: index, Expected: expected, Found: err.Error()})
}

// errEmpty is an item without a character.
var errEmpty = errors.New("an empty one")

func (c TextConfig) faults() (found Faults) {
	total := 0
	for _, l := range c.lists() {
		total += len(l.items)
		for i, item := range l.items {
			if item == "" {
				found.add(l.key, i, "a nonempty text", errEmpty)
			}
		}
	}
	if total == 0 {
		return Faults{Listed: []Fault{{Expected: "at least one item in one of the lists", Found: "none"}}}
	}
	found.addPatterns(KeyRegexMatch, c.RegexMatch)
	found.addPatterns(KeyRegexNotMatch, c.RegexNotMatch)
	return found
}

func (f *Faults) addPatterns(key string, patterns []string) {
	for i, p := range patterns {
		if err := readPattern(p); err != nil {
			f.add(key, i, "an RE2 pattern", err)
		}
	}
}
