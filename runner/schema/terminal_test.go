package schema_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

func observation(status string) *runner.Observation {
	return &runner.Observation{ExecutionMode: runner.ModeMock, Status: status, DurationMS: 2, Validations: []runner.Check{
		{Identifier: "_output_contains", Passed: true, Score: 1, Weight: 1},
		{Identifier: "q", Type: "text", Passed: true, Score: 1, Weight: 1, Feedback: "all of 2 items hold"},
	}}
}

// runner 2.8: for every combination the schema and the program's own check say the same, and whatever is not in the
// table leaves the program as something that is.
func TestTerminalTable(t *testing.T) {
	t.Parallel()
	for _, outcome := range runner.Outcomes() {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			fit := 0
			for terminal := range terminals(outcome) {
				text := encoded(t, terminal)
				want, got := runner.CheckTerminal(terminal), schematest.Valid(schema.Terminal, text)
				if (want == nil) != (got == nil) {
					t.Fatalf("schema: got %v, want %v as runner.CheckTerminal says\nterminal: %s", got, want, text)
				}
				if want == nil {
					fit++
				}
			}
			if fit == 0 {
				t.Errorf("outcome %s: got no combination that fits, want at least one", outcome)
			}
		})
	}
}

// terminals gives every combination of boundary, validation, calls, parts, observed status and no or one diagnostic.
func terminals(outcome runner.Outcome) iter.Seq[runner.Terminal] {
	statuses := []string{"", runner.StatusPassed, runner.StatusFailed, runner.StatusError}
	return func(yield func(runner.Terminal) bool) {
		for _, boundary := range runner.Boundaries() {
			for _, validation := range []runner.Validation{runner.NotChecked, runner.Invalid, runner.Valid} {
				for bits := range 1 << 5 {
					for diagnostics := range 2 {
						all := slices.Repeat(oneDiagnostic(runner.CodeExecutionFailed), diagnostics)
						one := runner.Refuse(outcome, boundary, validation, all...)
						one.EngineCalls = bits & 1
						if bits&2 != 0 {
							one.Selection = selection()
						}
						if bits&4 != 0 {
							one.Identity = identity()
						}
						if status := statuses[bits>>3]; status != "" {
							one.Observation = observation(status)
						}
						if !yield(one) {
							return
						}
					}
				}
			}
		}
	}
}

// runner 2.8: the program replaces a terminal that contradicts the table by one that fits the schema.
func TestWhatIsWrittenFits(t *testing.T) {
	t.Parallel()
	for _, outcome := range runner.Outcomes() {
		n := 0
		for terminal := range terminals(outcome) {
			if n++; n%11 == 0 { // a sample is enough here: the table above is complete
				schematest.Check(t, schema.Terminal, runner.EncodeTerminal(terminal))
			}
		}
	}
}

// runner 1.3: one exit an outcome.
func TestExitIsFixedByTheOutcome(t *testing.T) {
	t.Parallel()
	boundaries := map[runner.Outcome]runner.Boundary{
		runner.InfrastructureFailure: runner.BoundaryInput, runner.Cancelled: runner.BoundaryInput,
		runner.Timeout: runner.BoundaryInput, runner.UnsupportedCapability: runner.BoundaryNegotiation,
		runner.InvalidInput: runner.BoundaryInput,
	}
	for _, outcome := range runner.Outcomes() {
		terminal := success()
		if outcome == runner.EvaluationFailure {
			terminal.Outcome, terminal.Observation = outcome, observation(runner.StatusFailed)
		}
		if boundary, refused := boundaries[outcome]; refused {
			terminal = runner.Refuse(outcome, boundary, runner.NotChecked, oneDiagnostic(runner.CodeInvalidRequest)...)
		}
		for exit := -1; exit <= 7; exit++ {
			terminal.ExitCode = exit
			got := schematest.Valid(schema.Terminal, encoded(t, terminal)) == nil
			if want := exit == outcome.ExitCode(); got != want {
				t.Errorf("outcome %s, exit %d: got fits %t, want %t", outcome, exit, got, want)
			}
		}
	}
}

// runner 2.8: a failed check may be explained once.
func TestEvaluationFailureHasAtMostOneDiagnostic(t *testing.T) {
	t.Parallel()
	terminal := success()
	terminal.Outcome, terminal.ExitCode = runner.EvaluationFailure, runner.ExitEvaluation
	terminal.Observation = observation(runner.StatusFailed)
	for n, want := range []bool{true, true, false} {
		terminal.Diagnostics = slices.Repeat(oneDiagnostic(runner.CodeExecutionFailed), n)
		fits := schematest.Valid(schema.Terminal, encoded(t, terminal)) == nil
		if checked := runner.CheckTerminal(terminal) == nil; fits != want || checked != want {
			t.Errorf("%d diagnostics: got schema %t and program %t, want %t", n, fits, checked, want)
		}
	}
}

func success() runner.Terminal {
	one := runner.Refuse(runner.Success, runner.BoundaryNone, runner.Valid)
	one.EngineCalls, one.Selection, one.Identity = 1, selection(), identity()
	one.Observation = observation(runner.StatusPassed)
	return one
}

// runner 2.6
func TestTerminalShape(t *testing.T) {
	t.Parallel()
	const check = `{"identifier":"q","type":"text","passed":true,"score":1,"weight":1,"feedback":""}`
	checks := func(n int) string {
		return "/observation/validations [" + strings.Join(slices.Repeat([]string{check}, n), ",") + "]"
	}
	base := string(runner.EncodeTerminal(success()))
	for _, c := range []docCase{
		{"runner 2.6", nil, "ok"},
		{"runner 2.6", []string{"/diagnostics"}, ""},
		{"runner 2.6", []string{"/diagnostics null"}, "/diagnostics"},
		{"runner 2.6", []string{`/outcome "passed"`}, "/outcome"},
		{"runner 2.6", []string{`/failure_boundary "grading"`}, "/failure_boundary"},
		{"runner 2.6", []string{"/exit_code"}, ""},
		{"runner 3.1", []string{"/exit_code 0e3", "/engine_calls 1.0", "/selection/trial 2e0"}, "ok"},
		{"runner 2.6", []string{"/selection/shard"}, "/selection"},
		{"runner 2.6", []string{"/selection null"}, "/selection"},
		{"runner 2.6", []string{"/metrics []"}, ""},
		{"runner 2.6", []string{"/observation/validations"}, "/observation"},
		{"runner 2.6", []string{"/observation/final_output 1"}, "/observation"},
		{"runner 2.6", []string{checks(256)}, "ok"},
		{"runner 2.6", []string{checks(257)}, "/observation/validations"},
		{"runner 2.6", []string{`/observation/validations/0/feedback "` + strings.Repeat("é", 4096) + `"`}, "ok"},
		{"runner 2.6", []string{`/observation/validations/0/feedback "` + strings.Repeat("é", 4097) + `"`}, "/observation/validations/0/feedback"},
		{"runner 2.6", []string{"/observation/validations/0/weight"}, "/observation/validations/0"},
		{"runner 2.6", []string{"/observation/validations/0/weight -1"}, "/observation/validations/0/weight"},
		{"runner 2.6", []string{"/observation/validations/0/score 1.5"}, "/observation/validations/0/score"},
		{"runner 2.6", []string{"/observation/validations/0/score -0.5"}, "/observation/validations/0/score"},
		{"runner 2.6", []string{`/observation/validations/0/identifier ""`}, "/observation/validations/0/identifier"},
		{"runner 2.6", []string{`/observation/validations/0/type "code"`}, "/observation/validations/0/type"},
		{"runner 2.6", []string{"/observation/duration_ms -1"}, "/observation/duration_ms"},
		{"runner 2.6", []string{"/selection/trial 0"}, "/selection/trial"},
		{"runner 2.6", []string{"/selection/attempt 2147483648"}, "/selection/attempt"},
		{"runner 2.6", []string{`/observation/execution_mode "native"`}, "/observation/execution_mode"},
	} {
		c.check(t, schema.Terminal, base)
	}
}

// runner 2.6: the diagnostics of a terminal are bounded.
func TestTerminalDiagnostics(t *testing.T) {
	t.Parallel()
	refused := runner.Refuse(runner.InvalidInput, runner.BoundaryInput, runner.NotChecked, oneDiagnostic(runner.CodeInvalidRequest)...)
	base := string(runner.EncodeTerminal(refused))
	text := func(key string, n int, of string) string {
		return fmt.Sprintf("/diagnostics/0/%s %q", key, strings.Repeat(of, n))
	}
	for _, c := range []docCase{
		{"runner 2.6", nil, "ok"},
		{"runner 2.6", []string{"/diagnostics " + diagnostics(16, "invalid_request")}, "ok"},
		{"runner 2.6", []string{"/diagnostics " + diagnostics(17, "invalid_request")}, "/diagnostics"},
		{"runner 2.6", []string{text("code", 64, "c")}, "ok"},
		{"runner 2.6", []string{text("code", 65, "c")}, "/diagnostics/0/code"},
		{"runner 2.6", []string{text("code", 0, "c")}, "/diagnostics/0/code"},
		{"runner 2.6", []string{`/diagnostics/0/code "Invalid"`}, "/diagnostics/0/code"},
		{"runner 2.6", []string{text("message", 4096, "é")}, "ok"},
		{"runner 2.6", []string{text("message", 4097, "é")}, "/diagnostics/0/message"},
		{"runner 2.6", []string{text("message", 0, "m")}, "/diagnostics/0/message"},
		{"runner 2.6", []string{"/diagnostics/0/path 1"}, "/diagnostics/0"},
	} {
		c.check(t, schema.Terminal, base)
	}
	many := runner.Refuse(runner.InvalidInput, runner.BoundaryInput, runner.NotChecked,
		slices.Repeat(oneDiagnostic(runner.CodeInvalidRequest), 40)...)
	schematest.Check(t, schema.Terminal, runner.EncodeTerminal(many))
}
