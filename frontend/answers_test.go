package frontend_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"parley/examples"
	"parley/frontend"
	"parley/runner"
)

// sampleDigest stands for any digest; the pages only show it.
const sampleDigest = "0b8882265ca257391c9acf3359dca3468bc5bf56f72a830bf3e74133ee399c83"

func identity() *runner.Identity {
	return &runner.Identity{Version: "sha256-waza-c14n-v1", CanonicalDigest: sampleDigest, Run: "run-" + sampleDigest,
		Shard: "shard-" + sampleDigest, Task: "task-" + sampleDigest, Trial: "trial-" + sampleDigest, Attempt: "attempt-" + sampleDigest}
}

func selection() *runner.Selection {
	return &runner.Selection{Shard: "quay-east", Task: "berth-7", Trial: 3, Attempt: 1}
}

func negotiation(status runner.Status, terms runner.Terms, diagnostics ...runner.Diagnostic) runner.Negotiation {
	terms.Available = runner.Advertised()
	return runner.Negotiation{Kind: runner.KindNegotiation, SchemaVersion: "1.0", Status: status, Negotiation: terms, Diagnostics: diagnostics}
}

func terminal(outcome runner.Outcome, boundary runner.Boundary, calls int, diagnostics ...runner.Diagnostic) runner.Terminal {
	t := runner.Terminal{Kind: runner.KindTerminal, SchemaVersion: "1.0", Outcome: outcome, ExitCode: outcome.ExitCode(),
		FailureBoundary: boundary, Validation: runner.Valid, EngineCalls: calls, Diagnostics: diagnostics}
	if boundary == runner.BoundaryInput || boundary == runner.BoundaryNegotiation {
		t.Validation = runner.NotChecked
		return t
	}
	if boundary == runner.BoundaryValidation {
		t.Validation = runner.Invalid
		return t
	}
	t.Selection, t.Identity = selection(), identity()
	return t
}

func observed(t runner.Terminal, passed ...bool) runner.Terminal {
	t.Observation = &runner.Observation{ExecutionMode: "mock", Status: "passed", DurationMS: 14}
	for i, ok := range passed {
		c := runner.Check{Identifier: []string{"_output_contains", "says-mooring", "third"}[i], Type: []string{"", "text", "text"}[i],
			Passed: ok, Score: 1, Weight: 1, Feedback: "1 of 1 passed"}
		if !ok {
			c.Score, c.Feedback, t.Observation.Status = 0.5, "1 of 2 passed", "failed"
		}
		t.Observation.Validations = append(t.Observation.Validations, c)
	}
	return t
}

func said(code runner.Code) runner.Diagnostic { return runner.Diagnose(code, "") }

// answers are one stored act for each kind of answer (runner 2.4, 2.5, 2.8).
func answers(t *testing.T) map[string]frontend.Record {
	t.Helper()
	request, ok := examples.Runner("unit")
	if !ok {
		t.Fatal("sample unit is missing")
	}
	asked := runner.Terms{Version: "1.0", RequestedVersions: []string{"9.9", "1.0"}, Required: []string{"exact-unit", "inline.mock-text"},
		Optional: []string{"terminal-result", "telepathy.v1"}, Selected: []string{"exact-unit", "inline.mock-text", "terminal-result"}, UnavailableOptional: []string{"telepathy.v1"}}
	lacking := runner.Terms{Version: "1.0", RequestedVersions: []string{"1.0"}, Required: []string{"exact-unit", "inline.native-text", "x.y"}}
	compatible := negotiation(runner.Compatible, asked)
	ready := runner.Receipt{Kind: runner.KindUnit, SchemaVersion: "1.0", Status: runner.UnitReady, Compatibility: compatible,
		Requested: selection(), Resolved: selection(), Identity: identity(), Validation: runner.Valid}
	rejected := runner.Receipt{Kind: runner.KindUnit, SchemaVersion: "1.0", Status: runner.UnitRejected, Compatibility: compatible,
		Requested: selection(), Validation: runner.Invalid, Diagnostics: []runner.Diagnostic{said(runner.CodeSelectionOutOfRange)}}
	unreadable := runner.Receipt{Kind: runner.KindUnit, SchemaVersion: "1.0", Status: runner.UnitRejected,
		Compatibility: negotiation(runner.RequestInvalid, runner.Terms{}, said(runner.CodeInvalidRequest)),
		Validation:    runner.NotChecked, Diagnostics: []runner.Diagnostic{said(runner.CodeInvalidRequest)}}
	completed := runner.Receipt{Kind: runner.KindUnit, SchemaVersion: "1.0", Status: runner.UnitCompleted, Compatibility: compatible,
		Observation: &runner.RunResult{FinalOutput: "Mock response for: Report the mooring at berth seven\nTask: Berth seven"}}
	list := map[string]frontend.Record{
		"check-compatible":   {Act: frontend.ActNegotiate, Answer: encode(t, compatible)},
		"check-version":      {Act: frontend.ActNegotiate, Answer: encode(t, negotiation(runner.VersionUnsupported, runner.Terms{RequestedVersions: []string{"2.0"}, Required: []string{"exact-unit"}}, said(runner.CodeUnsupportedVersion)))},
		"check-capability":   {Act: frontend.ActNegotiate, Answer: encode(t, negotiation(runner.CapUnsupported, lacking, said(runner.CodeUnsupportedCapability)))},
		"check-invalid":      {Act: frontend.ActNegotiate, Answer: encode(t, negotiation(runner.RequestInvalid, runner.Terms{}, said(runner.CodeInvalidRequest)))},
		"validate-ready":     {Act: frontend.ActValidate, Answer: encode(t, ready)},
		"validate-rejected":  {Act: frontend.ActValidate, Answer: encode(t, rejected)},
		"validate-invalid":   {Act: frontend.ActValidate, Answer: encode(t, unreadable)},
		"run-success":        {Act: frontend.ActRun, Answer: encode(t, observed(terminal(runner.Success, runner.BoundaryNone, 1), true, true)), Receipt: encode(t, completed)},
		"run-check-failed":   {Act: frontend.ActRun, Answer: encode(t, observed(terminal(runner.EvaluationFailure, runner.BoundaryNone, 1), true, false, true))},
		"run-infrastructure": {Act: frontend.ActRun, Answer: encode(t, terminal(runner.InfrastructureFailure, runner.BoundaryShutdown, 1, said(runner.CodeShutdownFailed)))},
		"run-cancelled":      {Act: frontend.ActRun, Answer: encode(t, terminal(runner.Cancelled, runner.BoundaryExecution, 1, said(runner.CodeExecutionCancelled)))},
		"run-timeout":        {Act: frontend.ActRun, Answer: encode(t, terminal(runner.Timeout, runner.BoundaryStartup, 0, said(runner.CodeExecutionTimeout)))},
		"run-unsupported":    {Act: frontend.ActRun, Answer: encode(t, terminal(runner.UnsupportedCapability, runner.BoundaryNegotiation, 0, said(runner.CodeUnsupportedCapability)))},
		"run-invalid":        {Act: frontend.ActRun, Answer: encode(t, terminal(runner.InvalidInput, runner.BoundaryValidation, 0, said(runner.CodeNoTextCheck)))},
		"run-unknown":        {Act: frontend.ActRun, Answer: []byte(`{"kind":"waza.something-newer"}`)},
		"run-not-stored":     {Act: frontend.ActRun, Answer: encode(t, observed(terminal(runner.Success, runner.BoundaryNone, 1), true)), Unstored: "The disk is full."},
	}
	for name, r := range list {
		r.At, r.Elapsed, r.Request = noon, 14*time.Millisecond, request
		if r.Unstored == "" {
			r.ID = "r-" + name
		}
		list[name] = r
	}
	return list
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
