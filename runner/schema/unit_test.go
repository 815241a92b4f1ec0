package schema_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
)

func selection() *runner.Selection {
	return &runner.Selection{Shard: "quay-east", Task: "berth-7", Trial: 3, Attempt: 1}
}

func identity() *runner.Identity {
	hash := strings.Repeat("0a", 32)
	return &runner.Identity{Version: "sha256-waza-c14n-v1", CanonicalDigest: hash, Run: "run-" + hash,
		Shard: "shard-" + hash, Task: "task-" + hash, Trial: "trial-" + hash, Attempt: "attempt-" + hash}
}

func oneDiagnostic(code runner.Code) []runner.Diagnostic {
	return []runner.Diagnostic{runner.Diagnose(code, "")}
}

// receipt is a ready one; the other states change it.
func receipt(t *testing.T) runner.Receipt {
	return runner.Receipt{
		Kind: runner.KindUnit, SchemaVersion: runner.SchemaVersion, Status: runner.UnitReady,
		Compatibility: compatible(t), Requested: selection(), Resolved: selection(), Identity: identity(),
		Validation: runner.Valid, Diagnostics: []runner.Diagnostic{},
	}
}

func rejected(t *testing.T, n runner.Negotiation, v runner.Validation, requested *runner.Selection, code runner.Code) runner.Receipt {
	r := receipt(t)
	r.Status, r.Compatibility, r.Validation, r.Requested = runner.UnitRejected, n, v, requested
	r.Resolved, r.Identity, r.Diagnostics = nil, nil, oneDiagnostic(code)
	return r
}

func completed(t *testing.T) runner.Receipt {
	r := receipt(t)
	r.Status, r.EngineCalls, r.ExecutionMode = runner.UnitCompleted, 1, runner.ModeMock
	r.Observation = &runner.RunResult{
		RunNumber: 3, Attempts: 1, Prompt: "Say quay", Status: runner.StatusFailed, DurationMS: 2,
		SessionDigest: runner.SessionDigest{SessionID: "mock-session-1"}, FinalOutput: "Mock response for: Say quay\nTask: Quay",
		Validations: map[string]runner.GradeResult{
			"q": {Identifier: "q", Type: "text", Score: 0.5, Weight: 1, Feedback: "crane is missing",
				Details: &runner.GradeDetails{Contains: []string{"quay", "crane"}, Failures: []string{"crane is missing"}}},
			"_output_contains": {Identifier: "_output_contains", Score: 1, Weight: 1, Passed: true},
		},
	}
	return r
}

func executionError(t *testing.T) runner.Receipt {
	r := receipt(t)
	r.Status, r.Diagnostics = runner.UnitExecutionError, oneDiagnostic(runner.CodeEngineStartFailed)
	return r
}

// runner 2.5: the table, one group a row.
func TestUnitReceipt(t *testing.T) {
	t.Parallel()
	const (
		mode = `/execution_mode "mock"`
		some = `/diagnostics [{"code":"c","message":"m"}]`
		why  = "/diagnostics []"
		sel  = `{"shard":"s","task":"t","trial":1,"attempt":1}`
	)
	observation := "/observation " + string(encoded(t, at(tree(t, runner.Encode(completed(t))), "/observation")))
	hash := "/identity " + string(encoded(t, identity()))
	for _, group := range []struct {
		name  string
		base  runner.Receipt
		cases []docCase
	}{
		{"ready", receipt(t), []docCase{
			{"runner 2.5", []string{`/validation "not_checked"`}, "/validation"},
			{"runner 2.5", []string{"/requested"}, ""},
			{"runner 2.5", []string{"/resolved"}, ""},
			{"runner 2.5, older receipts", []string{"/identity"}, "ok"},
			{"runner 2.5", []string{"/engine_calls 1"}, "/engine_calls"},
			{"runner 3.1", []string{"/engine_calls 0.0"}, "ok"},
			{"runner 2.5", []string{mode}, "/execution_mode"},
			{"runner 2.5", []string{observation}, "/observation"},
			{"runner 2.5", []string{some}, "/diagnostics"},
			{"runner 2.5", []string{"/adjacent_work_selected true"}, "/adjacent_work_selected"},
			{"runner 2.5", []string{"/adjacent_work_selected"}, ""},
			{"runner 2.5", []string{"/requested/trial"}, "/requested"},
			{"runner 2.5", []string{"/resolved/attempt 0"}, "/resolved/attempt"},
			{"runner 2.5", []string{"/requested null"}, "/requested"},
			{"runner 2.5", []string{`/kind "waza.runner-terminal"`}, "/kind"},
			{"runner 2.5", []string{`/outcome "success"`}, ""},
			{"runner 2.4", []string{"/compatibility/negotiation/version"}, "/compatibility/negotiation"},
			{"runner 2.4", []string{"/compatibility/note 1"}, "/compatibility"},
			{"runner 2.5", []string{"/compatibility " + string(runner.Encode(answer(t, `/versions ["2.0"]`)))}, "/compatibility/status"},
			{"runner 2.7", []string{"/identity/run"}, "/identity"},
			{"runner 2.7", []string{`/identity/version "v2"`}, "/identity/version"},
			{"runner 2.7", []string{`/identity/trial "trial-` + strings.Repeat("A", 64) + `"`}, "/identity/trial"},
		}},
		{"rejected, shape", rejected(t, answer(t, "/versions []"), runner.NotChecked, nil, runner.CodeInvalidRequest), []docCase{
			{"runner 2.5", []string{"/requested " + sel}, "/requested"},
			{"runner 2.5", []string{`/validation "invalid"`}, "/validation"},
			{"runner 2.5", []string{why}, "/diagnostics"},
			{"runner 3.3", []string{`/diagnostics/0/message "` + strings.Repeat("é", 4096) + `"`}, "ok"},
			{"runner 3.3", []string{`/diagnostics/0/message "` + strings.Repeat("é", 4097) + `"`}, "/diagnostics/0/message"},
		}},
		{"rejected, version", rejected(t, answer(t, `/versions ["2.0"]`), runner.NotChecked, selection(), runner.CodeUnsupportedVersion), []docCase{
			{"runner 2.5", []string{"/requested"}, ""},
			{"runner 2.5", []string{`/validation "invalid"`}, "/validation"},
			{"runner 2.5", []string{why}, "/diagnostics"},
		}},
		{"rejected, capability", rejected(t, answer(t, `/required_capabilities ["x"]`), runner.NotChecked, selection(), runner.CodeUnsupportedCapability), []docCase{
			{"runner 2.5", []string{"/requested"}, ""},
			{"runner 2.5", []string{`/validation "valid"`}, "/validation"},
		}},
		{"rejected, semantics", rejected(t, compatible(t), runner.Invalid, selection(), runner.CodeTaskDisabled), []docCase{
			{"runner 2.5", []string{"/requested"}, ""},
			{"runner 2.5", []string{`/validation "not_checked"`}, "/validation"},
			{"runner 2.5", []string{`/validation "valid"`}, "/validation"},
			{"runner 2.5", []string{"/resolved " + sel}, "/resolved"},
			{"runner 2.5", []string{hash}, "/identity"},
			{"runner 2.5", []string{"/engine_calls 1"}, "/engine_calls"},
			{"runner 2.5", []string{mode}, "/execution_mode"},
			{"runner 2.5", []string{observation}, "/observation"},
			{"runner 2.5", []string{why}, "/diagnostics"},
		}},
		{"completed", completed(t), []docCase{
			{"runner 2.5", []string{"/engine_calls 0"}, "/engine_calls"},
			{"runner 2.5", []string{"/engine_calls 2"}, "/engine_calls"},
			{"runner 2.5", []string{"/execution_mode"}, ""},
			{"runner 2.5", []string{`/execution_mode "native"`}, "/execution_mode"},
			{"runner 2.5", []string{"/observation"}, ""},
			{"runner 2.5", []string{"/resolved"}, ""},
			{"runner 2.5", []string{some}, "/diagnostics"},
			{"runner 2.5", []string{`/validation "invalid"`}, "/validation"},
		}},
		{"execution error", executionError(t), []docCase{
			{"runner 2.5", []string{"/engine_calls 1", mode, observation}, "ok"},
			{"runner 2.5", []string{"/requested"}, ""},
			{"runner 2.5", []string{"/resolved"}, ""},
			{"runner 2.5", []string{`/validation "invalid"`}, "/validation"},
			{"runner 2.5", []string{why}, "/diagnostics"},
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			base := string(runner.Encode(group.base))
			for _, c := range append(group.cases, docCase{"runner 2.5", nil, "ok"}) {
				c.check(t, schema.Unit, base)
			}
		})
	}
}

// runner 5.2: the observation of a receipt.
func TestRunResult(t *testing.T) {
	t.Parallel()
	base := string(runner.Encode(completed(t)))
	for _, c := range []docCase{
		{"runner 5.2", []string{"/observation/prompt"}, "ok"},
		{"runner 5.2", []string{`/observation/prompt ""`}, "/observation/prompt"},
		{"runner 5.2", []string{`/observation/error_msg "boom"`}, "ok"},
		{"runner 5.2", []string{`/observation/error_msg ""`}, "/observation/error_msg"},
		{"runner 5.2", []string{"/observation/session_digest/tool_call_count -1"}, "/observation/session_digest/tool_call_count"},
		{"runner 5.2", []string{`/observation/validations/q/identifier ""`}, "/observation/validations/q/identifier"},
		{"runner 5.2", []string{"/observation/validations/q/weight -1"}, "/observation/validations/q/weight"},
		{"runner 5.2", []string{"/observation/validations/q/duration_ms -1"}, "/observation/validations/q/duration_ms"},
		{"runner 5.2", []string{"/observation/run_number 0"}, "/observation/run_number"},
		{"runner 5.2", []string{`/observation/status "ok"`}, "/observation/status"},
		{"runner 5.2", []string{"/observation/duration_ms -1"}, "/observation/duration_ms"},
		{"runner 5.2", []string{"/observation/duration_ms 1.5"}, "/observation/duration_ms"},
		{"runner 5.2", []string{"/observation/validations []"}, "/observation/validations"},
		{"runner 5.2", []string{"/observation/validations {}"}, "ok"},
		{"runner 5.2", []string{"/observation/final_output"}, "/observation"},
		{"runner 5.2", []string{`/observation/workspace_dir "x"`}, "/observation"},
		{"runner 5.2", []string{"/observation/session_digest/tools_used null"}, "/observation/session_digest/tools_used"},
		{"runner 5.2", []string{"/observation/session_digest/tool_calls []"}, "/observation/session_digest"},
		{"runner 5.2", []string{"/observation/validations/q/score 1.01"}, "/observation/validations/q/score"},
		{"runner 5.2", []string{"/observation/validations/q/score -0.01"}, "/observation/validations/q/score"},
		{"runner 5.2", []string{`/observation/validations/q/type "code"`}, "/observation/validations/q/type"},
		{"runner 5.2", []string{"/observation/validations/q/details"}, "/observation/validations/q"},
		{"runner 5.2", []string{"/observation/validations/q/details/contains null"}, "/observation/validations/q/details/contains"},
		{"runner 5.2", []string{`/observation/validations/q/type ""`}, "/observation/validations/q/details"},
		{"runner 5.2", []string{"/observation/validations/_output_contains/identifier"}, "/observation/validations/_output_contains"},
	} {
		c.check(t, schema.Unit, base)
	}
}
