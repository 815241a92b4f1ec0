package grading

import (
	"fmt"
	"slices"

	"parley/runner"
)

// Identifiers of the expectation results; no grader may bear one of them (runner 4.6).
const (
	NameContains    = "_output_contains"
	NameNotContains = "_output_not_contains"
	NameContainsAny = "_output_contains_any"
)

// Reserved lists the names that no grader may bear.
func Reserved() []string { return []string{NameContains, NameNotContains, NameContainsAny} }

// Expectations are the text expectations of a task (runner 4.5). Case does not count in any of them. An empty list
// checks nothing and gives no result.
type Expectations struct {
	Contains    []string // all must appear
	NotContains []string // none may appear
	ContainsAny []string // at least one must appear
}

// group is one expectation.
type group struct {
	name  string
	items []string
	grade func(r response, items []string) runner.GradeResult
}

// groups are the expectations with at least one item.
func (e Expectations) groups() []group {
	all := []group{
		{NameContains, e.Contains, allAppear},
		{NameNotContains, e.NotContains, noneAppears},
		{NameContainsAny, e.ContainsAny, oneAppears},
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.items) == 0 })
}

// result completes what every expectation result has: its identifier, no type, weight 1 and no details.
func (g group) result(r response) runner.GradeResult {
	result := g.grade(r, g.items)
	result.Identifier, result.Weight = g.name, weight
	return result
}

func allAppear(r response, items []string) runner.GradeResult { return each(r, items, true, missing) }

func noneAppears(r response, items []string) runner.GradeResult {
	return each(r, items, false, present)
}

// each scores the share of items that behave as wanted and passes at 1.
func each(r response, items []string, wanted bool, label string) runner.GradeResult {
	var score tally
	for _, item := range items {
		if r.ended() {
			break
		}
		score.count(label, item, r.holdsFold(item) == wanted)
	}
	return runner.GradeResult{Score: score.share(), Passed: score.all(), Feedback: score.feedback()}
}

// oneAppears scores 1 or 0.
func oneAppears(r response, items []string) runner.GradeResult {
	var score tally
	for _, item := range items {
		if r.ended() {
			break
		}
		if score.count(missing, item, r.holdsFold(item)) {
			return runner.GradeResult{Score: 1, Passed: true, Feedback: fmt.Sprintf("one of %d appears", len(items))}
		}
	}
	return runner.GradeResult{Feedback: "none of them appears; " + score.feedback()}
}
