package captured_test

import (
	"testing"

	"parley/runner"
)

// runner 4.5: every row; both profiles share the table but for the first-event timeout.
func taskCases() []fieldCase {
	return []fieldCase{
		no(invalid, "id", "7"), no(invalid, "id", "null"), noAt(invalid, "id", omit, "id", "name: "),
		ok("name", omit), ok("name", `""`), no(invalid, "name", "null"), ok("name", "yes"), ok("name", "12:30:45"), ok("name", "1e"),
		ok("name", "!!str 5"), ok("description", "x"), no(invalid, "description", "1.5"),
		ok("enabled", "true"), ok("enabled", "null"), no(disabled, "enabled", "false"), no(invalid, "enabled", "no"),
		ok("golden", "true"), no(invalid, "golden", "null"),
		ok("tags", "null"), ok("tags", "[a, '1']"), noAt(invalid, "tags", "[a, 1]", "tags[1]", "1]"),
		ok("timeout_seconds", "null"), ok("timeout_seconds", "1"), no(invalid, "timeout_seconds", "0"), no(invalid, "timeout_seconds", "30.0"),
		ok("first_event_timeout_seconds", "null"), ok("first_event_timeout_seconds", "0"),
		{path: "first_event_timeout_seconds", value: "7", paid: unsupported}, no(invalid, "first_event_timeout_seconds", "-1"),
		ok("inputs.prompt", `""`), noAt(invalid, "inputs", "{}", "inputs.prompt", "{}"), no(invalid, "inputs", "null"),
		no(invalid, "inputs.prompt", "null"), no(invalid, "inputs.prompt", "5"), noAt(invalid, "inputs", omit, "inputs", "id: "),
		no(unsupported, "inputs.prompt_file", "p.md"), no(unsupported, "inputs.prompt_file", `""`),
		ok("inputs.context", "null"), ok("inputs.context", "{}"), no(unsupported, "inputs.context", "{a: 1.5}"),
		ok("inputs.files", "[]"), no(unsupported, "inputs.files", "[{path: x}]"), ok("inputs.repos", "null"), no(unsupported, "inputs.repos", "[x]"),
		ok("inputs.environment", "{}"), no(unsupported, "inputs.environment", "{A: b}"), no(invalid, "inputs.environment", "[]"),
		ok("inputs.follow_up_prompts", "[]"), no(unsupported, "inputs.follow_up_prompts", "[again]"),
		ok("inputs.workdir", `""`), no(unsupported, "inputs.workdir", "src"), ok("inputs.responder", "null"),
		no(unsupported, "inputs.responder", "{}"), no(unsupported, "inputs.responder", "{kind: x}"),
		ok("context_dir", `""`), no(unsupported, "context_dir", "x"), ok("instruction_files", "[]"), no(unsupported, "instruction_files", "[x]"),
		ok("skill_directories", "[]"), ok("skill_directories", "null"), no(unsupported, "skill_directories", "[x]"),
		no(unsupported, "skill_directories", "[none]"),
		ok("checkpoints", "null"), no(unsupported, "checkpoints", "[x]"), ok("requirements", "[]"), no(unsupported, "requirements", "[x]"),
		ok("mcp_mocks", "null"), no(unsupported, "mcp_mocks", "[x]"), no(invalid, "mcp_mocks", "{}"),
		no(invalid, "expected", "null"), ok("expected", "{}"), ok("expected", omit),
		ok("expected.output_contains", "null"), ok("expected.output_contains", "[a, b]"), no(invalid, "expected.output_contains", "a"),
		noAt(grader, "expected.output_contains", "[a, '']", "expected.output_contains[1]", "''"),
		noAt(grader, "expected.output_not_contains", "[' ']", "expected.output_not_contains[0]", "' '"),
		noAt(invalid, "expected.output_contains_any", "[5]", "expected.output_contains_any[0]", "5"),
		ok("expected.output_contains_any", "[a]"),
		ok("expected.outcomes", "null"), no(unsupported, "expected.outcomes", "[x]"), no(unsupported, "expected.tool_calls", "{x: 1}"),
		no(unsupported, "expected.behavior", "{}"), no(unsupported, "expected.should_trigger", "false"),
		ok("graders", "null"), noAt(invalid, "graders", "[~]", "graders[0]", "~"), no(invalid, "graders", "x"),
		noAt(invalid, "Name", "x", "Name", "Name: x"),
	}
}

func TestTaskFields(t *testing.T) {
	t.Parallel()
	for _, tt := range taskCases() {
		t.Run(tt.path+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			tt.check(t, runner.InTask)
		})
	}
}
