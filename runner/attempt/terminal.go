package attempt

import (
	"cmp"
	"slices"

	"parley/runner"
)

// terminal words the ended attempt (runner 2.6 and 2.8).
func (r *run) terminal() runner.Terminal {
	selection, identity := r.unit.Request.Selection, r.unit.Identity
	t := runner.Terminal{
		Kind: runner.KindTerminal, SchemaVersion: runner.SchemaVersion,
		Validation: runner.Valid, EngineCalls: r.calls,
		Selection: &selection, Identity: &identity, Observation: r.observation(),
		Diagnostics: r.diagnostics(),
	}
	t.Outcome, t.FailureBoundary = r.verdict()
	t.ExitCode = t.Outcome.ExitCode()
	return t
}

// verdict ranks what happened: what stopped the attempt stays; a graded attempt whose shutdown failed is an
// infrastructure failure that keeps its observation (runner 2.8).
func (r *run) verdict() (runner.Outcome, runner.Boundary) {
	switch {
	case r.stopped != nil:
		return r.stopped.outcome, r.stopped.boundary
	case r.shutdown != nil:
		return runner.InfrastructureFailure, runner.BoundaryShutdown
	case r.status == runner.StatusPassed:
		return runner.Success, runner.BoundaryNone
	}
	return runner.EvaluationFailure, runner.BoundaryNone
}

func (r *run) diagnostics() []runner.Diagnostic {
	out := []runner.Diagnostic{}
	if r.stopped != nil {
		out = append(out, r.stopped.diagnostic)
	}
	if r.shutdown != nil {
		out = append(out, *r.shutdown)
	}
	return out
}

// observation is the bounded summary, once the engine was called.
func (r *run) observation() *runner.Observation {
	if r.calls == 0 {
		return nil
	}
	return &runner.Observation{
		ExecutionMode: r.unit.Profile.Mode, Status: r.status, DurationMS: r.elapsed.Milliseconds(), Validations: summarise(r.results),
	}
}

// summarise keeps at most MaxTerminalChecks checks, failed ones before passed ones, sorted by identifier, and bounds
// their texts; the receipt has them all and whole.
func summarise(results []runner.GradeResult) []runner.Check {
	kept := slices.Clone(results)
	if len(kept) > runner.MaxTerminalChecks {
		slices.SortStableFunc(kept, func(a, b runner.GradeResult) int { return rank(a) - rank(b) })
		kept = kept[:runner.MaxTerminalChecks]
	}
	slices.SortFunc(kept, func(a, b runner.GradeResult) int { return cmp.Compare(a.Identifier, b.Identifier) })
	checks := make([]runner.Check, 0, len(kept))
	for _, g := range kept {
		checks = append(checks, runner.Check{Identifier: runner.Cut(g.Identifier), Type: g.Type, Passed: g.Passed, Score: g.Score,
			Weight: g.Weight, Feedback: runner.Cut(g.Feedback)})
	}
	return checks
}

func rank(g runner.GradeResult) int {
	if g.Passed {
		return 1
	}
	return 0
}

// receipt is the internal form of the attempt with its full result (runner 2.5).
func (r *run) receipt() runner.Receipt {
	status := runner.UnitCompleted
	if r.stopped != nil || r.shutdown != nil {
		status = runner.UnitExecutionError
	}
	receipt := r.unit.Receipt(status)
	receipt.EngineCalls = r.calls
	receipt.Diagnostics = r.diagnostics()
	if r.calls == 1 {
		receipt.ExecutionMode = r.unit.Profile.Mode
		receipt.Observation = r.result()
	}
	return receipt
}

func (r *run) result() *runner.RunResult {
	validations := make(map[string]runner.GradeResult, len(r.results))
	for _, g := range r.results {
		validations[g.Identifier] = g
	}
	digest := runner.SessionDigest{SessionID: r.answer.SessionID, ToolsUsed: []string{}, Errors: []string{}}
	result := &runner.RunResult{
		RunNumber: r.task.Trial, Attempts: r.task.Attempt, Prompt: r.task.Prompt, Status: r.status,
		DurationMS: r.elapsed.Milliseconds(), Validations: validations, SessionDigest: digest, FinalOutput: r.answer.Output,
	}
	if r.stopped != nil {
		result.ErrorMsg = r.stopped.diagnostic.Message
		result.SessionDigest.Errors = []string{r.stopped.diagnostic.Message}
	}
	return result
}
