package grading

import (
	"context"
	"slices"
	"strings"

	"parley/runner"
)

// Checks are all checks of one unit.
type Checks struct {
	Graders      []*Text
	Expectations Expectations
}

// Len is the number of results that Grade gives.
func (c Checks) Len() int { return len(c.Graders) + len(c.Expectations.groups()) }

// Grade checks one output. The results are sorted by identifier, bytewise.
func (c Checks) Grade(output string) []runner.GradeResult {
	results, _ := c.GradeContext(context.Background(), output) // a background context never ends
	return results
}

// GradeContext is Grade for callers with a deadline: authored patterns and outputs of megabytes can take long. When
// ctx ends first there are no results, only the cause of its end.
func (c Checks) GradeContext(ctx context.Context, output string) ([]runner.GradeResult, error) {
	r := response{ctx: ctx, text: output, lower: strings.ToLower(output)}
	results := make([]runner.GradeResult, 0, c.Len())
	for _, g := range c.Graders {
		results = append(results, g.grade(r))
	}
	for _, g := range c.Expectations.groups() {
		results = append(results, g.result(r))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	slices.SortStableFunc(results, func(a, b runner.GradeResult) int { return strings.Compare(a.Identifier, b.Identifier) })
	return results, nil
}

// Status is the attempt's status by its checks (runner 4.6). An attempt whose engine answered with an error has the
// status error, which no check decides.
func Status(results []runner.GradeResult) string {
	if slices.ContainsFunc(results, func(r runner.GradeResult) bool { return !r.Passed }) {
		return runner.StatusFailed
	}
	return runner.StatusPassed
}
