package wiretest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/daemon/proto"
)

// Verdict is how one scenario ended.
type Verdict string

// The verdicts. NotRun says that the suite could not; NotApplicable that the Runtime declares not to do it.
const (
	Passed        Verdict = "passed"
	Failed        Verdict = "failed"
	NotRun        Verdict = "not_run"
	NotApplicable Verdict = "not_applicable"
)

// Failure is the first step that did not go as it is written.
type Failure struct {
	Step       int    `json:"step"` // from 1; 0 for the connection before them; one more than there are for the silence after them
	Steps      int    `json:"steps"`
	Where      string `json:"where"` // the same in words
	File       string `json:"file"`
	Line       int    `json:"line,omitempty"`
	What       string `json:"what"`
	Expected   any    `json:"expected"`
	Seen       any    `json:"seen"`
	Difference string `json:"difference"`
	Section    string `json:"section"` // of docs/contracts
	Hint       string `json:"hint,omitempty"`
}

// Result is what came of one scenario.
type Result struct {
	Scenario string   `json:"scenario"`
	Title    string   `json:"title"`
	Proves   []string `json:"proves"`
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason,omitempty"` // of what was not run or is not applicable
	Failure  *Failure `json:"failure,omitempty"`
	Millis   int64    `json:"millis"`
}

// Report is one run of the suite: one stable document.
type Report struct {
	Side    Role     `json:"side"` // that was under test
	Version string   `json:"protocol_version"`
	Passed  int      `json:"passed"`
	Failed  int      `json:"failed"`
	NotRun  int      `json:"not_run"`
	Other   int      `json:"not_applicable"`
	Results []Result `json:"results"`
}

// OK reports whether everything passed; with allowSkips also when scenarios could not be run.
func (r *Report) OK(allowSkips bool) bool {
	return r.Failed == 0 && r.Passed > 0 && (allowSkips || r.NotRun == 0)
}

func (r *Report) add(result Result) {
	r.Results = append(r.Results, result)
	switch result.Verdict {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	case NotRun:
		r.NotRun++
	case NotApplicable:
		r.Other++
	}
}

func newResult(s *Scenario) Result {
	return Result{Scenario: s.Name, Title: s.Title, Proves: s.Proves}
}

func notRun(s *Scenario, reason string) Result {
	result := newResult(s)
	result.Verdict, result.Reason = NotRun, reason
	return result
}

// judge turns the end of a replay into a result.
func judge(s *Scenario, step int, err error) Result {
	result := newResult(s)
	switch {
	case err == nil:
		result.Verdict = Passed
	case errors.Is(err, errNotApplicable):
		result.Verdict, result.Reason = NotApplicable, err.Error()
	case errors.Is(err, errNotRun):
		result.Verdict, result.Reason = NotRun, err.Error()
	case errors.Is(err, context.Canceled):
		result.Verdict, result.Reason = NotRun, "the suite was stopped"
	default:
		result.Verdict, result.Failure = Failed, failureOf(s, step, err)
	}
	return result
}

func failureOf(s *Scenario, step int, err error) *Failure {
	f := &Failure{Step: step, Steps: len(s.Steps), File: s.Name + ".yaml", Difference: err.Error(), Section: sectionOf(s, step)}
	switch {
	case step == 0:
		f.Where, f.What = "before the first step", "the connection"
	case step > f.Steps:
		f.Where, f.What = "after the last step", "nothing may follow"
	default:
		at := &s.Steps[step-1]
		f.Where = fmt.Sprintf("step %d of %d", step, f.Steps)
		f.File, f.Line, f.What, f.Hint = at.File, at.Line, at.describe(), at.Note
	}
	if d, is := errors.AsType[*difference](err); is {
		f.Expected, f.Seen = d.expected, d.seen
		f.Section, f.Hint = cmp.Or(d.section, f.Section), cmp.Or(d.hint, f.Hint)
	}
	return f
}

// sectionOf names the rules that a step is held to: its own, else those of the scenario and of the frame. What happens in
// an opening is not what the scenario proves.
func sectionOf(s *Scenario, step int) string {
	if step == 0 || step > len(s.Steps) {
		return strings.Join(s.Proves, ", ")
	}
	at := &s.Steps[step-1]
	if at.Rule != "" {
		return at.Rule
	}
	var sections []string
	if kind, known := proto.KindOf(proto.Type(at.Type)); known {
		sections = append(sections, kind.Section)
	}
	if len(sections) == 0 || !strings.HasPrefix(at.File, openingsFolder) {
		sections = append(slices.Clone(s.Proves), sections...)
	}
	return strings.Join(slices.Compact(sections), ", ")
}
