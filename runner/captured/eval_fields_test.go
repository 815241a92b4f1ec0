package captured_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
)

const (
	invalid     = runner.CodeCapturedYAMLInvalid
	unsupported = runner.CodeCapturedUnsupported
	conflict    = runner.CodeProfileConflict
	metrics     = runner.CodeMetricsInvalid
	grader      = runner.CodeGraderInvalid
	noCheck     = runner.CodeNoTextCheck
	disabled    = runner.CodeTaskDisabled
)

// fieldCase is one value of one field under both profiles. The finding stands at path, or at inner when it is set, and
// points at the text spot, which is the value unless set.
type fieldCase struct {
	path, value string
	mock, paid  runner.Code
	inner, spot string
}

// ok, no and both shorten the rows.
func ok(path, value string) fieldCase { return fieldCase{path: path, value: value} }

func no(code runner.Code, path, value string) fieldCase {
	return fieldCase{path: path, value: value, mock: code, paid: code}
}

func noAt(code runner.Code, path, value, inner, spot string) fieldCase {
	return fieldCase{path: path, value: value, mock: code, paid: code, inner: inner, spot: spot}
}

// runner 4.2: every row, M and P column.
func evalCases() []fieldCase {
	return []fieldCase{
		no(unsupported, "schemaVersion", `"1.0"`), no(unsupported, "schemaVersion", `"2.1"`), no(unsupported, "schemaVersion", `"3.0"`),
		noAt(unsupported, "schemaVersion", omit, "schemaVersion", "scenario: "), no(invalid, "schemaVersion", "2.0"),
		no(invalid, "scenario", `""`), no(invalid, "scenario", `" "`), no(invalid, "scenario", "null"),
		ok("skill", `""`), no(unsupported, "skill", "tides"), no(invalid, "skill", "~"),
		ok("name", `""`), ok("name", omit), no(invalid, "name", "123"), no(invalid, "name", "2024-01-01"), no(invalid, "name", "true"),
		ok("description", "x"), no(invalid, "description", "[x]"), ok("version", `"1"`), no(invalid, "version", "1.5"),

		noAt(conflict, "config.executor", "other", "", ""), no(invalid, "config.executor", "null"),
		noAt(invalid, "config.executor", omit, "config.executor", "model: "),
		{path: "config.model", value: omit, paid: invalid, spot: "executor: "},
		{path: "config.model", value: `""`, paid: invalid}, {path: "config.model", value: `" "`, paid: invalid},
		no(invalid, "config.model", "7"),
		ok("config.trials_per_task", "2147483647"), ok("config.trials_per_task", "0o36"), ok("config.trials_per_task", `!!int "5"`),
		no(invalid, "config.trials_per_task", "0"), no(invalid, "config.trials_per_task", "-1"),
		no(invalid, "config.trials_per_task", "2147483648"), no(invalid, "config.trials_per_task", "4.0"),
		no(invalid, "config.trials_per_task", "3e1"), no(invalid, "config.trials_per_task", "'30'"),
		no(invalid, "config.trials_per_task", "08"), no(invalid, "config.trials_per_task", "null"),
		no(invalid, "config.trials_per_task", "99999999999999999999"), no(invalid, "config.trials_per_task", "true"),
		noAt(invalid, "config.trials_per_task", omit, "config.trials_per_task", "executor: "),
		ok("config.max_attempts", "0"), ok("config.max_attempts", omit), no(invalid, "config.max_attempts", "-1"),
		no(invalid, "config.max_attempts", "null"), no(invalid, "config.max_attempts", "18446744073709551615"),
		ok("config.timeout_seconds", "0x1E"), ok("config.timeout_seconds", "036"), ok("config.timeout_seconds", "0b11"),
		ok("config.timeout_seconds", "1_000"), ok("config.timeout_seconds", "+5"),
		no(invalid, "config.timeout_seconds", "0"), no(invalid, "config.timeout_seconds", "null"),
		noAt(invalid, "config.timeout_seconds", omit, "config.timeout_seconds", "executor: "),
		ok("config.first_event_timeout_seconds", "0"), no(invalid, "config.first_event_timeout_seconds", "-1"),
		no(invalid, "config.first_event_timeout_seconds", "null"),
		{path: "config.first_event_timeout_seconds", value: "5", paid: unsupported},
		ok("config.parallel", "false"), no(unsupported, "config.parallel", "TRUE"), no(invalid, "config.parallel", "yes"),
		no(invalid, "config.parallel", "on"), no(invalid, "config.parallel", "1"), no(invalid, "config.parallel", `"true"`),
		no(invalid, "config.parallel", "null"), ok("config.workers", "0"), no(unsupported, "config.workers", "1"),
		no(invalid, "config.workers", "-1"),
		ok("config.fail_fast", "True"), no(invalid, "config.fail_fast", "null"), ok("config.group_by", "x"), ok("config.judge_model", "x"),
		ok("config.reasoning_effort", `""`), no(unsupported, "config.reasoning_effort", "high"),
		ok("config.judge_reasoning_effort", `""`), no(unsupported, "config.judge_reasoning_effort", "low"),
		ok("config.skill_directories", "[]"), ok("config.skill_directories", "null"), ok("config.skill_directories", "[none]"),
		no(unsupported, "config.skill_directories", "[skills]"), no(unsupported, "config.skill_directories", "[none, skills]"),
		noAt(invalid, "config.skill_directories", "[1]", "config.skill_directories[0]", "1]"),
		ok("config.disabled_skills", `["*"]`), ok("config.disabled_skills", "[x, y]"), ok("config.disabled_skills", "null"),
		noAt(invalid, "config.disabled_skills", "[~]", "config.disabled_skills[0]", "~]"),
		ok("config.required_skills", "[]"), no(unsupported, "config.required_skills", "[x]"),
		ok("config.instruction_files", "null"), no(unsupported, "config.instruction_files", "[x]"),
		no(invalid, "config.instruction_files", "x"),
		ok("config.mcp_servers", "{}"), no(unsupported, "config.mcp_servers", "{x: 1}"), no(invalid, "config.mcp_servers", "[]"),
		ok("config.inject_skill_body", "null"), ok("config.inject_skill_body", "false"), no(unsupported, "config.inject_skill_body", "true"),
		ok("config.trigger_skill_routing", "null"), no(unsupported, "config.trigger_skill_routing", "true"),
		noAt(invalid, "config.Executor", "mock", "config.Executor", "Executor"),
		no(invalid, "config", "null"), no(invalid, "config", "[]"),

		ok("hooks", "{}"), no(unsupported, "hooks", "{before_run: []}"), no(invalid, "hooks", "null"),
		ok("mcp_mocks", "[]"), ok("mcp_mocks", "{}"), ok("mcp_mocks", "null"), no(unsupported, "mcp_mocks", "[x]"),
		ok("command_mocks", "{}"), no(unsupported, "command_mocks", "{x: y}"),
		ok("adversarial", "false"), ok("adversarial", `""`), no(unsupported, "adversarial", "true"), no(unsupported, "adversarial", "0.0"),
		ok("tasks_from", `""`), no(unsupported, "tasks_from", "rows.csv"), no(invalid, "tasks_from", "null"),
		ok("baseline", "false"), no(unsupported, "baseline", "true"), no(invalid, "baseline", "null"),
		ok("range", "[0, 0]"), ok("range", "null"), no(invalid, "range", "[0]"),
		noAt(unsupported, "range", "[0, 2]", "range[1]", "2]"), noAt(invalid, "range", "[x, 0]", "range[0]", "x, 0"),
		ok("inputs", "null"), ok("inputs", "{}"), no(unsupported, "inputs", "{a: b}"), no(invalid, "inputs", "[]"),
		ok("tasks", "null"), ok("tasks", "[]"), noAt(invalid, "tasks", "[a, 2024-01-01]", "tasks[1]", "2024"), no(invalid, "tasks", "a"),
		ok("graders", "null"), ok("graders", "[]"), no(invalid, "graders", "{}"),
		noAt(invalid, "note", "1", "note", "note: 1"),
	}
}

// runner 4.3: metrics, M and P column.
func metricCases() []fieldCase {
	const good = "name: fit, weight: 0.5, threshold: 0.25"
	item := func(value string) fieldCase { return ok("metrics", "[{"+value+"}]") }
	bad := func(value, inner, spot string) fieldCase {
		return noAt(metrics, "metrics", "[{"+value+"}]", inner, spot)
	}
	return []fieldCase{
		ok("metrics", omit), ok("metrics", "[]"), {path: "metrics", value: "null", paid: metrics},
		no(metrics, "metrics", "{}"), no(metrics, "metrics", "5"), no(metrics, "metrics", `""`),
		noAt(metrics, "metrics", "[~]", "metrics[0]", "~]"), noAt(metrics, "metrics", "[fit]", "metrics[0]", "fit]"),
		item(good), item(good + ", description: '', enabled: false"), item("name: ' ', weight: 1, threshold: 1"),
		item("name: a, weight: 1e308, threshold: 1.0"), item("name: a, weight: 5e-324, threshold: -0.0"),
		item("name: a, weight: 0x10, threshold: 0"), item("name: a, weight: !!float 1, threshold: 10e-1"),
		item("name: a, weight: 99999999999999999999, threshold: 0.000"),
		bad("name: '', weight: 1, threshold: 1", "metrics[0].name", "''"), bad("name: 1, weight: 1, threshold: 1", "metrics[0].name", "1"),
		bad("weight: 1, threshold: 1", "metrics[0].name", "{weight"), bad("name: a, threshold: 1", "metrics[0].weight", "{name"),
		bad("name: a, weight: 1", "metrics[0].threshold", "{name"),
		bad("name: a, weight: 0, threshold: 1", "metrics[0].weight", "0"), bad("name: a, weight: -1, threshold: 1", "metrics[0].weight", "-1"),
		bad("name: a, weight: 1e-400, threshold: 1", "metrics[0].weight", "1e-400"),
		bad("name: a, weight: 1e400, threshold: 1", "metrics[0].weight", "1e400"),
		bad("name: a, weight: .inf, threshold: 1", "metrics[0].weight", ".inf"), bad("name: a, weight: .nan, threshold: 1", "metrics[0].weight", ".nan"),
		bad("name: a, weight: '1', threshold: 1", "metrics[0].weight", "'1'"), bad("name: a, weight: null, threshold: 1", "metrics[0].weight", "null"),
		bad("name: a, weight: 1, threshold: 1.00000000000000000000001", "metrics[0].threshold", "1.000"),
		bad("name: a, weight: 1, threshold: -0.1", "metrics[0].threshold", "-0.1"), bad("name: a, weight: 1, threshold: 2", "metrics[0].threshold", "2"),
		bad(good+", enabled: null", "metrics[0].enabled", "null"), bad(good+", description: 1", "metrics[0].description", "1"),
		bad(good+", unit: s", "metrics[0].unit", "unit"),
	}
}

func TestEvalFields(t *testing.T) {
	t.Parallel()
	for _, tt := range append(evalCases(), metricCases()...) {
		t.Run(tt.path+" "+tt.value, func(t *testing.T) {
			t.Parallel()
			tt.check(t, runner.InEval)
		})
	}
}

// runner 4.2 and 4.5: no row of the two tables is without a case.
func TestEveryFieldHasACase(t *testing.T) {
	t.Parallel()
	eval, task := captured.FieldPaths(mock())
	for _, part := range []struct {
		paths []string
		cases []fieldCase
	}{{eval, append(evalCases(), metricCases()...)}, {task, taskCases()}} {
		tried := map[string]bool{}
		for _, tt := range part.cases {
			tried[tt.path] = true
		}
		for _, path := range part.paths {
			if !tried[path] {
				t.Errorf("got no case for %s, want one", path)
			}
		}
	}
}

// check admits the base unit with the one field set, under both profiles.
func (tt fieldCase) check(t *testing.T, document string) {
	for p, want := range map[runner.Profile]runner.Code{mock(): tt.mock, copilot(): tt.paid} {
		eval, task := baseEval(p), baseTask()
		if document == runner.InEval {
			eval = eval.without(tt.path).set(tt.path, tt.value)
		} else {
			task = task.without(tt.path).set(tt.path, tt.value)
		}
		f := one(t, request(eval.String(), task.String()), p, want)
		if want == "" {
			continue
		}
		text, path, spot := eval.String(), tt.path, tt.value
		if document == runner.InTask {
			text = task.String()
		}
		if tt.inner != "" {
			path = tt.inner
		}
		if tt.spot != "" {
			spot = tt.spot
		}
		if got := at(t, text, f); f.Document != document || f.Path != path || !strings.HasPrefix(got, spot) {
			t.Errorf("got %s at %q, want %s %s at %q", f.Message(), got, document, path, spot)
		}
		if len(f.Found) > 80 {
			t.Errorf("got found %q, want a short kind", f.Found)
		}
	}
}

// without leaves out what stands below a path that is set as a whole.
func (d document) without(path string) document {
	var rest document
	for _, p := range d {
		if !strings.HasPrefix(p.path, path+".") {
			rest = append(rest, p)
		}
	}
	return rest
}
