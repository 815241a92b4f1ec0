package wiretest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// declared is a heartbeat whose one kind declares all capabilities, after a change.
func declared(t *testing.T, change func(map[string]any)) string {
	t.Helper()
	capabilities := map[string]any{}
	for c := range proto.CapabilityCount {
		capabilities[c.String()] = true
	}
	change(capabilities)
	beat, err := json.Marshal(map[string]any{"type": "heartbeat", "payload": map[string]any{"ts": 1, "active_requests": 0,
		"supported_agent_kinds": []any{map[string]any{"kind": "mine", "available": true, "capabilities": capabilities}}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(beat)
}

func toldAs(t *testing.T, result wiretest.Result, difference, rule string) {
	t.Helper()
	if result.Failure == nil || !strings.Contains(result.Failure.Difference, difference) || result.Failure.Section != rule {
		t.Errorf("got\n%s, want %q by %q", told(result), difference, rule)
	}
}

// The first frame is a heartbeat with a whole declaration, and one that is not is told by its fault. // wire 4.1, behaviour 3.2
func TestFirstFramesThatAreWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, message, want, rule string }{
		{"capability left out", declared(t, func(c map[string]any) { delete(c, "usage") }),
			`the first heartbeat is not valid: kind "mine": capability "usage" is missing; all 25 must be there`, "wire 4.1"},
		{"two left out", declared(t, func(c map[string]any) { delete(c, "usage"); delete(c, "resume") }),
			`capabilities ["usage" "resume"] are missing`, "wire 4.1"},
		{"null", declared(t, func(c map[string]any) { c["usage"] = nil }), `capability "usage" is neither true nor false`, "wire 4.1"},
		{"unknown", declared(t, func(c map[string]any) { c["flying"] = true }), `capability "flying" is not known`, "wire 4.1"},
		{"none at all", declared(t, func(c map[string]any) { clear(c) }), `25 capabilities, "subagent_observations" the first, are missing`, "wire 4.1"},
		{"another shape", `{"type":"heartbeat","payload":{"ts":"now"}}`,
			"the first heartbeat is not valid: payload.ts: expected an integer in range, found a string", "wire 3.1"},
		{"another frame", `{"type":"done","id":"run","payload":{"content":""}}`, `the first frame is a "done"`, "behaviour 3.2"},
		{"no frame", `[]`, "the first message is no frame", "wire 1.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := wiretest.FirstFrame(t.Context(), tt.message)
			if err != nil {
				t.Fatal(err)
			}
			toldAs(t, result, tt.want, tt.rule)
		})
	}
}

// A later frame that breaks a rule is told by its fault too, and a revision by the rule of revisions.
// // wire 3.4, wire 3.7, behaviour 5.5
func TestLaterFramesThatAreWrong(t *testing.T) {
	t.Parallel()
	done := wiretest.Step{Kind: wiretest.StepFrame, From: wiretest.Runtime, Type: "done", ID: "run", Payload: map[string]any{"content": ""}}
	ready := map[string]any{"state": "ready", "revision": int64(2), "handle": "h", "executor_id": "e", "expires_at": int64(1)}
	status := wiretest.Step{Kind: wiretest.StepFrame, From: wiretest.Runtime, Type: "preparation_status", ID: "p", Payload: ready}
	own := done
	own.Rule = "wire 3.2"
	for _, tt := range []struct {
		name       string
		expects    wiretest.Step
		sends      string
		payload    any
		want, rule string
	}{
		{"another shape", done, "done", map[string]any{"content": int64(7)},
			"the done is not valid: payload.content: expected a string, found a number", "wire 3.4"},
		{"another frame of another shape", done, "error", map[string]any{"error": int64(7)},
			`type: expected "done", found "error"; besides, the error is not valid: payload.error: expected a string`, "behaviour 10, wire 3.4"},
		{"a step with a rule", own, "done", map[string]any{"content": "x"}, "payload.content:", "wire 3.2"},
		{"revision", status, "preparation_status", map[string]any{"state": "ready", "revision": int64(3), "handle": "h", "executor_id": "e", "expires_at": int64(1)},
			"payload.revision: expected 2, found 3", "wire 3.7, behaviour 5.5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			judged := wiretest.Scenario{Name: "x", Proves: []string{"behaviour 10"}, Tests: []wiretest.Role{wiretest.Runtime}, Steps: []wiretest.Step{tt.expects}}
			played := judged
			played.Steps = []wiretest.Step{{Kind: wiretest.StepFrame, From: wiretest.Runtime, Type: tt.sends, ID: tt.expects.ID, Payload: tt.payload}}
			result, err := wiretest.Scripted(t.Context(), judged, played, wiretest.Runtime, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			toldAs(t, result, tt.want, tt.rule)
		})
	}
}
