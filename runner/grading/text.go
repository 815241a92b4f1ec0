package grading

import (
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
	name   string
	config TextConfig
}

// NewText checks the configuration of a text grader. Its error is a Faults about everything wrong with it: no item in
// any list, an empty item, a pattern that is not RE2 (runner 4.6). Patterns are read and not compiled: a program can be
// a thousand times as large as its pattern, so grading makes one at a time and keeps none.
func NewText(name string, c TextConfig) (*Text, error) {
	if faults := c.faults(); faults.any() {
		return nil, faults
	}
	return &Text{name: name, config: c.clone()}, nil
}

// Name is the grader's name, the identifier of its result.
func (t *Text) Name() string { return t.name }

// Config is a copy of the authored lists; none is nil.
func (t *Text) Config() TextConfig { return t.config.clone() }

func (t *Text) grade(r response) runner.GradeResult {
	var score tally
	failures := []string{}
	for _, l := range t.config.lists() {
		for _, item := range l.items {
			if r.ended() {
				break
			}
			if score.count(l.label, item, l.holds(r, item) == l.wanted) {
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
	holds  func(r response, item string) bool
}

// lists is the table of runner 4.6.
func (c TextConfig) lists() []list {
	return []list{
		{KeyContains, c.Contains, true, missing, response.holdsFold},
		{KeyNotContains, c.NotContains, false, present, response.holdsFold},
		{KeyContainsCS, c.ContainsCS, true, missing, response.holds},
		{KeyNotContainsCS, c.NotContainsCS, false, present, response.holds},
		{KeyRegexMatch, c.RegexMatch, true, unmatched, response.matches},
		{KeyRegexNotMatch, c.RegexNotMatch, false, matched, response.matches},
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
