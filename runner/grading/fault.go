package grading

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
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

// Faults are all faults of one configuration, in the order of the lists in runner 4.6.
type Faults []Fault

// Error joins the faults.
func (f Faults) Error() string {
	parts := make([]string, len(f))
	for i, one := range f {
		parts[i] = one.Error()
	}
	return strings.Join(parts, "; ")
}

func (c TextConfig) faults() Faults {
	if c.empty() {
		return Faults{{Expected: "at least one item in one of the lists", Found: "none"}}
	}
	var faults Faults
	for _, l := range (&Text{config: c}).lists() {
		for i, item := range l.items {
			if item == "" {
				faults = append(faults, Fault{l.key, i, "a nonempty text", "an empty one"})
			}
		}
	}
	return faults
}

// compile compiles one list of patterns and adds what does not compile. Empty patterns are faults already.
func compile(faults *Faults, key string, patterns []string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, 0, len(patterns))
	for i, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			*faults = append(*faults, Fault{key, i, "an RE2 pattern", "one that does not compile: " + reason(err)})
		}
		compiled = append(compiled, re)
	}
	return compiled
}

// reason is the library's reason without the pattern itself.
func reason(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Code.String()
	}
	return "it is not RE2"
}
