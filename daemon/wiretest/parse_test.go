package wiretest_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"parley/daemon/wiretest"
)

const head = "name: x\ntitle: A title\nproves: [behaviour 10]\n"

// A file that cannot be used is refused with its name, the line and what was expected.
func TestSyntaxErrorsNameFileAndLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no YAML", "name: [", "x.yaml:1:"},
		{"empty", "", "x.yaml:1: expected one document"},
		{"another name", "name: y\ntitle: t\nproves: [a]\nsteps: []\n", `x.yaml:1: name: expected "x"`},
		{"no title", "name: x\nproves: [a]\nsteps: []\n", "x.yaml:1: expected title, proves and steps"},
		{"unknown key", head + "extra: 1\nsteps: []\n", `x.yaml:4: key "extra"`},
		{"key twice", head + "name: x\nsteps: []\n", `x.yaml:4: key "name" stands twice`},
		{"unknown side", head + "tests: [server]\nsteps: []\n", `tests: expected core and runtime, found "server"`},
		{"unknown need", head + "needs: [magic]\nsteps: []\n", `found "magic"`},
		{"unknown opening", head + "opening: none\nsteps: []\n", `x.yaml:4: opening: expected one of the files`},
		{"steps are no list", head + "steps: {}\n", "x.yaml:4: expected a list of steps"},
		{"unknown step", head + "steps:\n  - silent: core\n  - jump: 1\n", `x.yaml:6: step begins with "jump"`},
		{"unknown key of a step", head + "steps:\n  - silent: core\n    id: x\n", `x.yaml:6: key "id"`},
		{"silence of nobody", head + "steps:\n  - silent: moon\n", "x.yaml:5: silent: expected one of"},
		{"wrong sender", head + "steps:\n  - core: done\n    id: run\n", `x.yaml:5: type "done" is not sent by the core`},
		{"unordered of both sides", head + "steps:\n  - unordered:\n      - core: prompt_cancel\n      - runtime: done\n", "x.yaml:5: unordered: expected frames of one side"},
		{"unknown name", head + "steps:\n  - runtime: done\n    id: $no_such\n", `x.yaml:6: value "$no_such"`},
		{"unknown operator", head + "steps:\n  - runtime: done\n    payload: {content: {$maybe: x}}\n", `x.yaml:6: operator "$maybe"`},
		{"unknown observation", head + "steps:\n  - observe: weather\n", `x.yaml:5: observe: expected one of`},
		{"value within itself", head + "steps:\n  - runtime: done\n    payload: &a {content: *a}\n", "deeper than 32 levels"},
		{"wait that is no number", head + "steps:\n  - silent: core\n    ms: long\n", "x.yaml:6:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := wiretest.Parse("x.yaml", []byte(tt.text), nil)
			var syntax *wiretest.SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFaultsOfAnOpeningNameItsOwnFile(t *testing.T) {
	t.Parallel()
	_, err := wiretest.ReadScenarios(fstest.MapFS{
		"x.yaml":              {Data: []byte(head + "opening: begin\nsteps: []\n")},
		"openings/begin.yaml": {Data: []byte("- silent: core\n- jump: 1\n")},
	})
	if err == nil || !strings.HasPrefix(err.Error(), "openings/begin.yaml:2:") {
		t.Errorf("got %v, want openings/begin.yaml:2", err)
	}
}

// Every line of the contract's coverage has its scenarios. // behaviour 10
func TestShippedScenariosCoverTheContract(t *testing.T) {
	t.Parallel()
	all := scenarios(t)
	named := map[string]bool{}
	for _, s := range all {
		named[s.Name] = true
	}
	for _, want := range []string{
		"cancellation_waits_for_settlement", "preparation_failure_cleans_up_without_run_completion", "connection_lost_during_run",
		"version_older", "version_nearby_patch", "version_truncated", "version_prerelease", "version_build",
		"stale_statuses_are_dropped", "stray_receipts_are_dropped", "start_after_release", "close_failed", "settlement_failed",
		"initialize_bad_body", "write_bad_digest", "initialize_unknown_keeps_the_gate", "steer_written_then_accepted",
		"function_call_withdrawn", "suspension_keeps_idle_executors",
	} {
		if !named[want] {
			t.Errorf("scenario %q is missing", want)
		}
	}
	for _, s := range all {
		if len(s.Steps) == 0 || len(s.Tests) == 0 {
			t.Errorf("%s: got %d steps for %v, want some for a side", s.Name, len(s.Steps), s.Tests)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(head + "steps:\n  - runtime: done\n    id: run\n    payload: {content: {$any: x}}\n")
	f.Add(head + "opening: none\nsteps: &a\n  - unordered: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := wiretest.Parse("x.yaml", []byte(text), nil)
		if err == nil && s.Title == "" {
			t.Error("got a scenario without a title")
		}
	})
}

// The reference of the format names every step and operator.
func TestReferenceNamesTheVocabulary(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("scenarios/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range wiretest.Vocabulary() {
		if !strings.Contains(string(text), "`"+word) && !strings.Contains(string(text), "{"+word) {
			t.Errorf("scenarios/README.md does not name %q", word)
		}
	}
}
