package grading

import (
	"regexp"
	"slices"
	"strconv"

	"parley/runner"
)

// Type is the one admitted kind of grader (runner 4.6).
const Type = "text"

// weight of every result: authoring another one is refused (runner 4.6).
const weight = 1

// TextConfig holds the six lists of a text grader as authored (runner 4.6).
type TextConfig struct {
	Contains      []string
	NotContains   []string
	ContainsCS    []string
	NotContainsCS []string
	RegexMatch    []string
	RegexNotMatch []string
}

// Keys of the six lists, as authored and as a Fault names them.
const (
	KeyContains      = "contains"
	KeyNotContains   = "not_contains"
	KeyContainsCS    = "contains_cs"
	KeyNotContainsCS = "not_contains_cs"
	KeyRegexMatch    = "regex_match"
	KeyRegexNotMatch = "regex_not_match"
)

// Text is one builtin text grader whose configuration was checked.
type Text struct {
	name     string
	config   TextConfig
	match    []*regexp.Regexp // of config.RegexMatch, same order
	notMatch []*regexp.Regexp // of config.RegexNotMatch, same order
}

// NewText compiles a text grader. Its error is a Faults that lists everything wrong with the configuration: no item in
// any list, an empty item, a pattern that is not RE2 (runner 4.6).
func NewText(name string, c TextConfig) (*Text, error) {
	faults := c.faults()
	t := &Text{name: name, config: c.clone()}
	t.match = compile(&faults, KeyRegexMatch, c.RegexMatch)
	t.notMatch = compile(&faults, KeyRegexNotMatch, c.RegexNotMatch)
	if len(faults) > 0 {
		return nil, faults
	}
	return t, nil
}

// Name is the grader's name, the identifier of its result.
func (t *Text) Name() string { return t.name }

// Config is a copy of the authored lists; none is nil.
func (t *Text) Config() TextConfig { return t.config.clone() }

func (t *Text) grade(r response) runner.GradeResult {
	var score tally
	failures := []string{}
	for _, l := range t.lists() {
		for i, item := range l.items {
			if r.ended() {
				break
			}
			if score.count(l.label, item, l.holds(r, i) == l.wanted) {
				continue
			}
			failures = append(failures, l.key+": "+strconv.Quote(item))
		}
	}
	c := t.Config()
	return runner.GradeResult{
		Identifier: t.name, Type: Type, Weight: weight,
		Score: score.share(), Passed: score.all(), Feedback: score.feedback(),
		Details: &runner.GradeDetails{
			Contains: c.Contains, NotContains: c.NotContains,
			ContainsCS: c.ContainsCS, NotContainsCS: c.NotContainsCS,
			RegexMatch: c.RegexMatch, RegexNotMatch: c.RegexNotMatch,
			Failures: failures,
		},
	}
}

// list is one list of a grader and how its items are checked.
type list struct {
	key    string
	items  []string
	wanted bool   // the item should hold
	label  string // what feedback calls an item that failed
	holds  func(r response, i int) bool
}

// lists is the table of runner 4.6.
func (t *Text) lists() []list {
	fold := func(items []string) func(response, int) bool {
		return func(r response, i int) bool { return r.holdsFold(items[i]) }
	}
	exact := func(items []string) func(response, int) bool {
		return func(r response, i int) bool { return r.holds(items[i]) }
	}
	pattern := func(compiled []*regexp.Regexp) func(response, int) bool {
		return func(r response, i int) bool { return r.matches(compiled[i]) }
	}
	c := t.config
	return []list{
		{KeyContains, c.Contains, true, missing, fold(c.Contains)},
		{KeyNotContains, c.NotContains, false, present, fold(c.NotContains)},
		{KeyContainsCS, c.ContainsCS, true, missing, exact(c.ContainsCS)},
		{KeyNotContainsCS, c.NotContainsCS, false, present, exact(c.NotContainsCS)},
		{KeyRegexMatch, c.RegexMatch, true, unmatched, pattern(t.match)},
		{KeyRegexNotMatch, c.RegexNotMatch, false, matched, pattern(t.notMatch)},
	}
}

// clone copies the lists; an unset one becomes empty, because documents carry [] and never null (runner 5.2).
func (c TextConfig) clone() TextConfig {
	own := func(items []string) []string { return append([]string{}, items...) }
	return TextConfig{
		Contains: own(c.Contains), NotContains: own(c.NotContains),
		ContainsCS: own(c.ContainsCS), NotContainsCS: own(c.NotContainsCS),
		RegexMatch: own(c.RegexMatch), RegexNotMatch: own(c.RegexNotMatch),
	}
}

// empty reports that no list has an item.
func (c TextConfig) empty() bool {
	return len(slices.Concat(c.Contains, c.NotContains, c.ContainsCS, c.NotContainsCS, c.RegexMatch, c.RegexNotMatch)) == 0
}
