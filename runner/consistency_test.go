package runner_test

import (
	"bytes"
	"strings"
	"testing"

	"parley/runner"
)

func succeeded() runner.Terminal {
	t := runner.Refuse(runner.Success, runner.BoundaryNone, runner.Valid)
	t.EngineCalls = 1
	t.Selection = &runner.Selection{Shard: "s", Task: "t", Trial: 1, Attempt: 1}
	t.Identity = &runner.Identity{Version: "sha256-waza-c14n-v1"}
	t.Observation = &runner.Observation{ExecutionMode: runner.ModeMock, Status: runner.StatusPassed}
	return t
}

// runner 2.8: each contradiction is found, and nothing contradictory is ever written.
func TestContradictionsAreWithheld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(*runner.Terminal)
	}{
		{"exit of another outcome", func(t *runner.Terminal) { t.ExitCode = 1 }},
		{"no call", func(t *runner.Terminal) { t.EngineCalls = 0 }},
		{"two calls", func(t *runner.Terminal) { t.EngineCalls = 2 }},
		{"boundary of a failure", func(t *runner.Terminal) { t.FailureBoundary = runner.BoundaryExecution }},
		{"validation not checked", func(t *runner.Terminal) { t.Validation = runner.NotChecked }},
		{"observed failure", func(t *runner.Terminal) { t.Observation.Status = runner.StatusFailed }},
		{"no observation", func(t *runner.Terminal) { t.Observation = nil }},
		{"a diagnostic", func(t *runner.Terminal) {
			t.Diagnostics = []runner.Diagnostic{runner.Diagnose(runner.CodeExecutionFailed, "")}
		}},
		{"outcome unknown", func(t *runner.Terminal) { t.Outcome = "fine" }},
		{"other kind", func(t *runner.Terminal) { t.Kind = "other" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			terminal := succeeded()
			if err := runner.CheckTerminal(terminal); err != nil {
				t.Fatalf("base: got %v, want no contradiction", err)
			}
			c.do(&terminal)
			if runner.CheckTerminal(terminal) == nil {
				t.Fatal("got no contradiction")
			}
			sealed := runner.Seal(terminal)
			if err := runner.CheckTerminal(sealed); err != nil {
				t.Errorf("sealed: got %v, want a consistent terminal", err)
			}
			if sealed.Outcome != runner.InfrastructureFailure || sealed.FailureBoundary != runner.BoundaryTerminalization || sealed.Diagnostics[0].Code != runner.CodeTerminalInvalid {
				t.Errorf("got %+v, want infrastructure_failure at terminalization", sealed)
			}
			if text := runner.EncodeTerminal(terminal); !bytes.Contains(text, []byte(`"terminal_invalid"`)) || !bytes.HasSuffix(text, []byte("}\n")) {
				t.Errorf("got %s, want the sealed document", text)
			}
		})
	}
}

// runner 2.8: without a unit there is no row at terminalization, so the failure is the input's.
func TestContradictionWithoutUnit(t *testing.T) {
	t.Parallel()
	sealed := runner.Seal(runner.Refuse(runner.InvalidInput, runner.BoundaryStartup, runner.NotChecked))
	if err := runner.CheckTerminal(sealed); err != nil || sealed.Outcome != runner.InfrastructureFailure {
		t.Errorf("got %+v (%v), want a consistent infrastructure failure", sealed, err)
	}
}

// runner 2.6: a terminal carries at most 16 diagnostics; the last says how many are left out.
func TestTerminalDiagnosticsAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]runner.Diagnostic, 40)
	for i := range many {
		many[i] = runner.Diagnose(runner.CodeGraderInvalid, "")
	}
	got := runner.Refuse(runner.InvalidInput, runner.BoundaryValidation, runner.Invalid, many...).Diagnostics
	if len(got) != runner.MaxTerminalDiagnostics || !strings.HasPrefix(got[15].Message, "25 more") {
		t.Errorf("got %d ending in %q, want 16 ending in the remainder", len(got), got[len(got)-1].Message)
	}
}

// runner 1.3: each outcome has its exit.
func TestOutcomeExits(t *testing.T) {
	t.Parallel()
	for exit, outcome := range runner.Outcomes() {
		if got := outcome.ExitCode(); got != exit {
			t.Errorf("%s: got %d, want %d", outcome, got, exit)
		}
	}
}
