package frontend_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"parley/frontend"
)

// sessionLab is a lab with everything that the screens of Sessions name.
func sessionLab() frontend.Lab {
	with := lab
	with.Core, with.Sessions = true, true
	return with
}

// conversation has an item of each kind, and Turns in each state.
func conversation() frontend.SessionView {
	exit := int64(0)
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	turns := []frontend.TurnView{
		{ID: "t1", Number: 1, Status: frontend.TurnCancelled, RunID: "run-1", Created: at(0), Started: at(1), Cancel: at(9), Completed: at(11),
			Items: []frontend.ItemView{
				{ID: "input_1", Kind: frontend.ItemUser, Status: "completed", At: at(0), Text: "Which berth takes the Marit?", Images: 2, Over: true},
				{ID: "i0", Kind: frontend.ItemReasoning, Status: "completed", Text: "The log first."},
				{ID: "i1", Kind: frontend.ItemCommand, Status: "completed", Title: "rg thursday logs/", Text: "berth 7\n", Exit: &exit, Elapsed: 51 * time.Millisecond},
				{ID: "i2", Kind: frontend.ItemMCP, Status: "failed", Title: "tides: table", Arguments: `{"day": "thursday"}`, Fault: "no table", Elapsed: time.Second},
				{ID: "i3", Kind: frontend.ItemSearch, Status: "incomplete", Title: "tide tables"},
				{ID: "input_2", Kind: frontend.ItemUser, Status: "completed", At: at(5), Text: "Check the tide as well.", Steering: true, Accepted: true, Over: true},
				{ID: "input_3", Kind: frontend.ItemUser, Status: "completed", At: at(8), Text: "And the crane.", Steering: true, Over: true},
				{ID: "i4", Kind: frontend.ItemMessage, Status: "incomplete", Text: "The Marit goes to berth 7, close to", Cut: true},
			}},
		{ID: "t2", Number: 2, Status: frontend.TurnFailed, Created: at(20), Started: at(21), Completed: at(30), Code: "engine_failed", Told: "slow down (rate_limit_exceeded)", RunID: "run-2",
			Usage: &frontend.UsageView{Input: 1200, Cached: 1000, Output: 6, Reasoning: 1, Total: 1206}},
		{ID: "t3", Number: 3, Status: frontend.TurnWaiting, Created: at(40), Started: at(41), RunID: "run-3", Left: true, Items: []frontend.ItemView{
			{ID: "i5", Kind: frontend.ItemCoordination, Status: "completed", Text: `{"name": "reader"}`},
			{ID: "i6", Kind: frontend.ItemSubagent, Status: "observed", Title: "output_message of child-1", Text: "{}"},
			{ID: "i7", Kind: frontend.ItemMessage, Status: "in_progress", Text: "I need the crane hours"},
			{ID: "i8", Kind: frontend.ItemCall, Status: "in_progress", Title: "crane_hours", At: at(44), Arguments: `{"berth": 3}`, Call: &frontend.CallView{Turn: "t3", ID: "c1", State: "open"}},
			{ID: "i9", Kind: frontend.ItemCall, Status: "in_progress", Title: "tide", At: at(44), Arguments: `{}`, Call: &frontend.CallView{Turn: "t3", ID: "c2", State: "applied", Answer: "none", Failed: true}},
		}},
	}
	return frontend.SessionView{Lab: sessionLab(), Now: at(60), ID: "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8", Model: "m-large", State: frontend.SessionRequires,
		Agent: frontend.AgentChoice{ID: "agent_1", Name: "harbour desk", Harness: "scripted"}, Created: at(0), LastActive: at(44), Count: 3, Turns: turns,
		Last: &turns[2], Latest: true, DeviceID: "d1", Runtime: &frontend.RuntimeView{ID: "d1", Name: "quay-east", Online: true},
		Environment: &frontend.EnvironmentView{ID: "e1", Type: "self_hosted", State: "connected", Init: "complete", Workspace: "/data/harbour", DeviceID: "d1"},
		Usage:       &frontend.UsageView{Input: 1200, Cached: 1000, Output: 6, Reasoning: 1, Total: 1206}, Seq: 77}
}

func sessionsStates() map[string]frontend.SessionsView {
	agents := []frontend.AgentChoice{{ID: "agent_1", Name: "harbour desk", About: "Plans berths.", Harness: "scripted"}}
	var rows []frontend.SessionRow
	for _, state := range []frontend.SessionState{frontend.SessionIdle, frontend.SessionWorking, frontend.SessionRequires, frontend.SessionFailed, "dreaming"} {
		rows = append(rows, frontend.SessionRow{ID: "session-" + string(state), Agent: "harbour desk", State: state, Turns: 3, LastActive: noon})
	}
	states := map[string]frontend.SessionsView{
		"empty":    {First: true, Agents: agents},
		"no-agent": {First: true},
		"error":    {First: true, Error: "the database is locked", AgentsError: "the database is locked"},
		"full":     {First: true, Rows: rows, Older: "/sessions?after=x", Agents: agents, Left: true, Recent: "agent_1"},
		"end":      {Agents: agents},
	}
	for name, view := range states {
		view.Lab, view.Now = sessionLab(), noon
		states[name] = view
	}
	return states
}

// sessionPages are the goldens of the screens.
func sessionPages() map[string]templ.Component {
	all := map[string]templ.Component{}
	for name, view := range sessionsStates() {
		all["sessions-"+name] = frontend.SessionsPage(view)
	}
	full := conversation()
	all["session-full"], all["session-live"] = frontend.SessionPage(full), frontend.SessionLive(full)
	empty := full
	empty.Turns, empty.Last, empty.Count, empty.State = nil, nil, 0, frontend.SessionIdle
	empty.Runtime, empty.DeviceID, empty.Environment, empty.Usage = nil, "", nil, nil
	all["session-empty"] = frontend.SessionPage(empty)
	earlier := full
	earlier.Turns, earlier.Latest, earlier.Earlier = full.Turns[:1], false, "t0"
	all["session-earlier"] = frontend.SessionPage(earlier)
	return all
}

// behaviour 6.4 and ux-anchors P4: that a cancel was asked, and how it came out, are two facts.
func TestCancelIsToldInTwoSteps(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	for name, tt := range map[string]struct {
		turn frontend.TurnView
		want string
	}{
		"under way":      {frontend.TurnView{Status: frontend.TurnRunning, Started: noon}, "not confirmed yet"},
		"confirmed":      {frontend.TurnView{Status: frontend.TurnCancelled, Started: noon, Completed: at(7)}, "confirmed at 12:00:07, after 2000 ms"},
		"before a start": {frontend.TurnView{Status: frontend.TurnCancelled, Completed: at(5)}, "it had not started"},
		"ended first":    {frontend.TurnView{Status: frontend.TurnCompleted, Started: noon, Completed: at(6)}, "the Turn ended by itself"},
		"unconfirmed":    {frontend.TurnView{Status: frontend.TurnFailed, Started: noon, Completed: at(20), Code: "cancel_unconfirmed"}, ">not confirmed<"},
		"no outcome":     {frontend.TurnView{Status: frontend.TurnFailed, Started: noon, Completed: at(7), Code: "cancel_outcome_unavailable"}, "confirmed at 12:00:07"},
		"another end":    {frontend.TurnView{Status: frontend.TurnFailed, Started: noon, Completed: at(7), Code: "event_stream_incomplete"}, ">not confirmed<"},
	} {
		view := conversation()
		tt.turn.Cancel = at(5)
		view.Turns, view.Last = []frontend.TurnView{tt.turn}, &tt.turn
		checkParts(t, renderPage(t, frontend.SessionPage(view)), "asked 12:00:05", tt.want)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// behaviour 8.5 and ux-anchors R9: every error code says how certain it is what happened, and an unknown one proves nothing.
func TestTurnFailuresSayHowCertainTheyAre(t *testing.T) {
	t.Parallel()
	const did, not, unknown = ">happened<", ">did not happen<", ">not known whether it happened<"
	for code, want := range map[string]string{
		"execution_unavailable": not, "model_provider_required": not, "device_disconnected": not, "preparation_interrupted": not,
		"preparation_start_failed": not, "executor_recovery_failed": not, "engine_failed": did, "invalid_executor_result": did,
		"cancel_outcome_unavailable": did, "invalid_input": did, "message_input_unsupported": did, "input_not_applied": did,
		"input_rejected": did, "function_call_invalid": did, "function_result_invalid": did, "interaction_not_supported": did,
		"artifact_capture_failed": did, "execution_interrupted": unknown, "delivery_unknown": unknown, "event_stream_incomplete": unknown,
		"cancel_unconfirmed": unknown, "input_outcome_unknown": unknown, "function_result_unconfirmed": unknown,
		"event_persistence_failed": unknown, "execution_state_unavailable": unknown, "execution_state_changed": unknown, "": unknown, "novel": unknown,
	} {
		view := conversation()
		turn := frontend.TurnView{ID: "t", Number: 1, Status: frontend.TurnFailed, Completed: noon, Code: code}
		view.Turns, view.Last = []frontend.TurnView{turn}, &turn
		html := renderPage(t, frontend.SessionPage(view))
		if !strings.Contains(html, want) {
			t.Errorf("%s: got no %s in the page", code, want)
		}
		if want == unknown && (strings.Contains(html, "asks again") || strings.Contains(html, "Retry")) {
			t.Errorf("%s: got an offer to do it again, want none where it is not known whether it happened", code)
		}
	}
}

// ux-anchors S5: usage that nobody told is unknown, never zero.
func TestUnknownUsageIsNotZero(t *testing.T) {
	t.Parallel()
	view := conversation()
	view.Usage = nil
	html := renderPage(t, frontend.SessionPage(view))
	checkParts(t, html, "usage unknown", "1,206 tokens", "no Turn of this Session told what it used")
	if strings.Contains(html, ">0 tokens") {
		t.Error("page: got 0 tokens, want unknown")
	}
}

// hostile-inputs U-1: what an agent, a tool or a subagent says is shown as text.
func TestScriptInASessionStaysText(t *testing.T) {
	t.Parallel()
	for _, canary := range []string{`<script>owned()</script>`, `" onfocus="owned()`, `javascript:owned()`, `</textarea></pre><b>`} {
		turn := frontend.TurnView{ID: canary, Number: 1, Status: frontend.TurnStatus(canary), Code: canary, Told: canary, RunID: canary}
		for _, kind := range []frontend.ItemKind{frontend.ItemUser, frontend.ItemMessage, frontend.ItemReasoning, frontend.ItemCommand, frontend.ItemMCP,
			frontend.ItemSearch, frontend.ItemCall, frontend.ItemSubagent, frontend.ItemKind(canary)} {
			turn.Items = append(turn.Items, frontend.ItemView{ID: canary, Kind: kind, Status: canary, Text: canary, Title: canary, Arguments: canary, Fault: canary,
				Call: &frontend.CallView{Turn: canary, ID: canary, State: "open", Answer: canary}})
		}
		failed := turn
		failed.Status = frontend.TurnFailed
		view := frontend.SessionView{Lab: lab, Now: noon, ID: canary, Model: canary, State: frontend.SessionState(canary), Earlier: "t",
			Agent: frontend.AgentChoice{ID: canary, Name: canary, Harness: canary}, Turns: []frontend.TurnView{turn, failed}, Last: &failed, DeviceID: canary,
			Environment: &frontend.EnvironmentView{ID: canary, Type: canary, State: canary, Init: canary, Workspace: canary, DeviceID: canary, Code: canary}}
		list := frontend.SessionsView{Lab: lab, Rows: []frontend.SessionRow{{ID: canary, Agent: canary, State: frontend.SessionState(canary)}},
			Agents: []frontend.AgentChoice{{ID: canary, Name: canary, About: canary, Harness: canary}}, AgentsError: ""}
		for _, page := range []templ.Component{frontend.SessionPage(view), frontend.SessionLive(view), frontend.SessionsPage(list)} {
			for n := range parse(t, renderPage(t, page)).Descendants() {
				if fault := inlineFault(n); fault != "" || n.Data == "b" {
					t.Errorf("%q: got <%s> %s, want text", canary, n.Data, fault)
				}
			}
		}
	}
}

// A lab without Sessions shows nothing of them; one with them leads there from every page.
func TestWithoutSessionsNothingOfThemIsShown(t *testing.T) {
	t.Parallel()
	without := renderPage(t, frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true}))
	if strings.Contains(without, `href="/sessions"`) {
		t.Error("page: got a link to Sessions, want none")
	}
	checkParts(t, renderPage(t, frontend.HistoryPage(frontend.HistoryView{Lab: sessionLab(), First: true})),
		`href="/sessions"`, `&#34;path&#34;:&#34;/sessions&#34;`)
}
