package captured_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
	"parley/runner/grading"
)

// runner 4.6: the entry, the names and the configuration check, as task graders beside the eval's "says-mooring".
func TestGraders(t *testing.T) {
	t.Parallel()
	config := func(c string) string { return "[{type: text, name: g, config: {" + c + "}}]" }
	tests := []fieldCase{
		ok("graders", config("contains: [a], not_contains: [b], contains_cs: [c], not_contains_cs: [d], regex_match: [e], regex_not_match: [f]")),
		ok("graders", config("contains: null, regex_match: ['^a']")), ok("graders", config("contains: [' ']")),
		ok("graders", "[]"),
		noAt(grader, "graders", config(""), "graders[0].config", "{}"),
		noAt(grader, "graders", config("contains: []"), "graders[0].config", "{contains"),
		noAt(grader, "graders", config("contains: [a, '']"), "graders[0].config.contains[1]", "''"),
		noAt(grader, "graders", config("regex_match: ['(berth']"), "graders[0].config.regex_match[0]", "'(berth"),
		noAt(grader, "graders", config("regex_not_match: [a, '(?=b)']"), "graders[0].config.regex_not_match[1]", "'(?="),
		noAt(invalid, "graders", config("contains: a"), "graders[0].config.contains", "a}"),
		noAt(invalid, "graders", config("contains: [1]"), "graders[0].config.contains[0]", "1]"),
		noAt(invalid, "graders", config("Contains: [a]"), "graders[0].config.Contains", "Contains"),
		noAt(invalid, "graders", "[{type: text, name: g, config: null}]", "graders[0].config", "null"),
		noAt(invalid, "graders", "[{type: text, name: g}]", "graders[0].config", "{type"),
		noAt(invalid, "graders", "[{name: g, config: {contains: [a]}}]", "graders[0].type", "{name"),
		noAt(invalid, "graders", "[{type: text, config: {contains: [a]}}]", "graders[0].name", "{type"),
		noAt(invalid, "graders", "[text]", "graders[0]", "text]"),
		noAt(grader, "graders", "[{type: text, name: ' ', config: {contains: [a]}}]", "graders[0].name", "' '"),
		noAt(grader, "graders", "[{type: text, name: says-mooring, config: {contains: [a]}}]", "graders[0].name", "says-mooring"),
		noAt(grader, "graders", "[{type: text, name: a, config: {contains: [a]}}, {type: text, name: a, config: {contains: [a]}}]", "graders[1].name", "a, config: {contains: [a]}}]"),
		ok("graders", "[{type: text, name: Says-mooring, config: {contains: [a]}}]"),
	}
	for _, name := range grading.Reserved() {
		tests = append(tests, noAt(grader, "graders", "[{type: text, name: "+name+", config: {contains: [a]}}]", "graders[0].name", name))
	}
	for _, kind := range []string{"code", "prompt", "file", "json_schema", "program", "behavior", "action_sequence",
		"skill_invocation", "trigger", "diff", "tool_constraint", "tool_calls", "Text", "''"} {
		tests = append(tests, noAt(unsupported, "graders", "[{type: "+kind+", name: g, config: {contains: [a]}}]", "graders[0].type", kind))
	}
	for _, field := range []string{"weight: 1", "weight: 0.5", "weight: null", "ref: x", "script: x", "rubric: x", "model: x", "assertions: []"} {
		value := "[{type: text, name: g, config: {contains: [a]}, " + field + "}]"
		name, spot := field[:len(field)-len(after(field))-2], after(field)
		tests = append(tests, noAt(unsupported, "graders", value, "graders[0]."+name, spot))
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Parallel()
			tt.check(t, runner.InTask)
		})
	}
}

// runner 4.6 and hostile-inputs Y-1: classes that are large when read are bounded over all graders of the unit, before a
// pattern is read.
func TestLargeClassesAreBounded(t *testing.T) {
	t.Parallel()
	named := func(name string, classes int) string {
		return "{type: text, name: " + name + ", config: {regex_match: ['[" + strings.Repeat(`\pL`, classes) + "]']}}"
	}
	folded := func(ranges int) string {
		return "{type: text, name: f, config: {regex_not_match: ['(?i)[" + strings.Repeat("B-𞤠", ranges) + "]']}}"
	}
	tests := []struct {
		name, eval, task string
		want             runner.Code
	}{
		{"as many as admitted", named("a", 96), "[" + named("b", 4000) + "]", ""},
		{"in one pattern", named("a", 1), "[" + named("b", 30_000) + "]", grader},
		{"over all graders", named("a", 97), "[" + named("b", 2000) + ", " + named("c", 2000) + "]", grader},
		{"ranges without case", named("a", 1), "[" + folded(600) + "]", grader},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eval := baseEval(mock()).set("graders", "["+tt.eval+"]")
			one(t, request(eval.String(), baseTask().set("graders", tt.task).String()), mock(), tt.want)
		})
	}
}

// after gives the value of "name: value".
func after(field string) string {
	for i := range field {
		if field[i] == ' ' {
			return field[i+1:]
		}
	}
	return ""
}

// runner 4.5: at least one text grader or one expectation, in either document.
func TestSomeCheckIsRequired(t *testing.T) {
	t.Parallel()
	const some = "[{type: text, name: g, config: {contains: [a]}}]"
	tests := []struct {
		name, eval, task, contains, any string
		want                            runner.Code
	}{
		{"nothing", omit, omit, omit, omit, noCheck},
		{"empty lists", "[]", "null", "[]", "null", noCheck},
		{"an eval grader", some, omit, omit, omit, ""},
		{"a task grader", omit, some, omit, omit, ""},
		{"an expectation", omit, omit, "[a]", omit, ""},
		{"one of several", omit, omit, omit, "[a]", ""},
		{"only a blank expectation", omit, omit, "['']", omit, grader},
		{"only a wrong grader", "[{type: code, name: g, config: {contains: [a]}}]", omit, omit, omit, unsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			eval := baseEval(mock()).set("graders", tt.eval)
			task := baseTask().set("graders", tt.task).set("expected.output_contains", tt.contains).set("expected.output_contains_any", tt.any)
			one(t, request(eval.String(), task.String()), mock(), tt.want)
		})
	}
}

// runner 4.6: eval graders, task graders and expectations all become checks of the unit.
func TestChecksOfTheUnit(t *testing.T) {
	t.Parallel()
	task := baseTask().set("graders", "[{type: text, name: b, config: {regex_match: [q.ay]}}]").
		set("expected.output_not_contains", "[crane]").set("expected.output_contains_any", "[x, quay]")
	unit, found := captured.Admit(request(baseEval(mock()).String(), task.String()), mock())
	if unit == nil {
		t.Fatalf("got findings %v, want a unit", messages(found))
	}
	want := map[string]bool{"_output_contains": false, "_output_contains_any": true, "_output_not_contains": true, "b": true, "says-mooring": false}
	got := unit.Checks.Grade("a quay")
	if len(got) != len(want) {
		t.Fatalf("got %d results, want %d", len(got), len(want))
	}
	for _, r := range got {
		if r.Passed != want[r.Identifier] {
			t.Errorf("%s: got passed %v, want %v", r.Identifier, r.Passed, want[r.Identifier])
		}
	}
}
