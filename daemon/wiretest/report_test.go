package wiretest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/daemon/wiretest"
)

// A failure is told by step, place, expectation, what was seen and the rule.
func TestFailureIsTold(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios(t) {
		if s.Name != "cancel_of_no_run" {
			continue
		}
		wrong := wiretest.FaultsOf(s, wiretest.Runtime)[0].Wrong
		result, err := wiretest.Scripted(t.Context(), s, wrong, wiretest.Runtime, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		text := told(result)
		for _, want := range []string{"failed         cancel_of_no_run:", "step 2 of 3: runtime sends interaction_decision_ack (cancel_of_no_run.yaml, line 8)",
			"difference: payload.", "expected:", "seen:", "rule: behaviour 6.4, wire 5.4, wire 3.4 (docs/contracts)"} {
			if !strings.Contains(text, want) {
				t.Errorf("got\n%s, want %q", text, want)
			}
		}
	}
}

// A step that does not exist is never named: before the first and after the last there are words.
func TestFailureBesideTheSteps(t *testing.T) {
	t.Parallel()
	judged := wiretest.Scenario{Name: "x", Proves: []string{"behaviour 10"}, Tests: []wiretest.Role{wiretest.Runtime},
		Steps: []wiretest.Step{{Kind: wiretest.StepSettle}}}
	played := judged
	played.Steps = []wiretest.Step{{Kind: wiretest.StepSettle}, {Kind: wiretest.StepFrame, From: wiretest.Runtime, Type: "done", ID: "run", Payload: map[string]any{"content": ""}}}
	result, err := wiretest.Scripted(t.Context(), judged, played, wiretest.Runtime, 5*time.Second)
	if err != nil || !strings.Contains(told(result), "  after the last step: nothing may follow\n") {
		t.Errorf("got %s (%v), want the place in words", told(result), err)
	}
	if result, err = wiretest.FirstFrame(t.Context(), "[]"); err != nil || !strings.Contains(told(result), "  before the first step: the connection\n") {
		t.Errorf("got %s (%v), want the place in words", told(result), err)
	}
}

// Without anybody there, nothing passes, and the report says why.
func TestNothingIsRunWithoutMeans(t *testing.T) {
	t.Parallel()
	core, err := wiretest.Listen("127.0.0.1:0", wiretest.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	report, err := wiretest.RunRuntime(t.Context(), wiretest.RuntimeOptions{Core: core})
	if err != nil || report.NotRun == 0 || report.NotRun != len(report.Results) || report.OK(false) || report.OK(true) {
		t.Errorf("got %+v (%v), want nothing run", report, err)
	}
	failing := wiretest.RuntimeOptions{Core: core, Behaviours: wiretest.DefaultBehaviours(), Only: []string{"cancel_of_no_run"},
		Start: func(context.Context, wiretest.Profile) (wiretest.Started, error) {
			return wiretest.Started{}, errors.New("no such program")
		}}
	var failed *wiretest.StartError
	if report, err = wiretest.RunRuntime(t.Context(), failing); !errors.As(err, &failed) || !strings.Contains(err.Error(), "no such program") || len(report.Results) != 0 {
		t.Errorf("got %+v (%v), want why it was not started, once", report, err)
	}
	absent := wiretest.RuntimeOptions{Core: core, Behaviours: wiretest.DefaultBehaviours(), DialPatience: 20 * time.Millisecond,
		Only: []string{"cancel_of_no_run", "run_completes"}}
	report, err = wiretest.RunRuntime(t.Context(), absent)
	if err != nil || report.Failed != 1 || report.NotRun != 1 {
		t.Errorf("got %d failed and %d not run (%v), want one of each: nobody dials", report.Failed, report.NotRun, err)
	}
}

// The document of a report can be read back.
func TestReportAsJSON(t *testing.T) {
	t.Parallel()
	report := wiretest.Report{Side: wiretest.Core, Version: "1", Passed: 1, Results: []wiretest.Result{{Scenario: "x", Verdict: wiretest.Passed}}}
	var out bytes.Buffer
	if err := report.PrintJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back wiretest.Report
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back.Passed != 1 || back.Results[0].Scenario != "x" || !back.OK(false) {
		t.Errorf("got %+v (%v), want the report", back, err)
	}
	if !strings.Contains(out.String(), `"protocol_version": "1"`) {
		t.Errorf("got %s, want the version named", out.String())
	}
}

func TestBehavioursFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"hello: {kind: mine, harness_config: {effort: low}, input: Say hello.}\n", ""},
		{`{"hello":{"kind":"mine"}}`, ""},
		{"hello: {}\n", "expected a kind"},
		{"dance: {kind: mine}\n", `behaviour "dance": expected one of`},
		{"hello: {kind: mine, speed: 1}\n", "speed"},
	} {
		file := filepath.Join(t.TempDir(), "behaviours.yaml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := wiretest.ReadBehaviours(file)
		if tt.want == "" && (err != nil || all["hello"].Kind != "mine") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %v (%v), want %q", tt.text, all, err, tt.want)
		}
	}
}
