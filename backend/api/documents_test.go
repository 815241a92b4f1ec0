package api_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/api"
	"parley/backend/store"
)

var writeDocs = flag.Bool("write-docs", false, "write docs/openapi.json instead of comparing it")

// The published description is the one that is served, and every success that it promises is checked in these tests.
func TestDescriptionIsPublished(t *testing.T) {
	t.Parallel()
	const published = "../../docs/openapi.json"
	if *writeDocs {
		if err := os.WriteFile(published, api.Description(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(published)
	if err != nil || string(text) != string(api.Description()) {
		t.Errorf("docs/openapi.json is not what is served (%v); run go generate ./backend/api", err)
	}
	r := newRig(t)
	if got := r.call("GET", "/v1/openapi.json", "", "Authorization", "", "OpenAI-Beta", ""); got.status != 200 || got.body != string(text) {
		t.Errorf("got %d %.80s, want the description without a key", got.status, got.body)
	}
	for method, path := range map[string]string{"POST": "/v1/agents/sessions", "GET": "/v1/agents/sessions/x/turns/y/items", "DELETE": "/v1/agents/x"} {
		if name := r.schemaOf(method, path); schemas()[name] == nil {
			t.Errorf("%s %s: got schema %q, want one of the description", method, path, name)
		}
	}
}

// behaviour 8.6: agents are made, replaced and forgotten; a Session keeps the one it was made with.
func TestAgentsAndTheirSessions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	full := `{"name":"quay","description":"d","model":"m","instructions":"<i> & é","tools":[{"type":"function","name":"lookup",
		"parameters":{"type":"object","properties":{"n":{"const":12345678901234567890}}}}],"text":{"verbosity":"low"},
		"reasoning":{"effort":"high"},"multi_agent":{"enabled":false},"metadata":{"k":"v"},"x_agents_core":{"harness":"scripted"}}`
	id := r.made("/v1/agents", full)
	before := r.call("GET", "/v1/agents/"+id, "")
	if !strings.Contains(before.body, "12345678901234567890") {
		t.Errorf("got %s, want the exact number", before.body)
	}
	if got := before.members(t); got["object"] != "agent" || got["instructions"] != "<i> & é" || got["created_at"] == nil {
		t.Errorf("got %v", got)
	}
	session := r.made("/v1/agents/sessions", `{"agent":"`+id+`","input":"x","metadata":{"a":"b"}}`)
	if got := r.call("POST", "/v1/agents/"+id, agentBody); got.status != 200 || strings.Contains(got.body, "lookup") {
		t.Errorf("replace: got %d %s", got.status, got.body)
	}
	if got := r.call("DELETE", "/v1/agents/"+id, ""); got.status != 200 || got.members(t)["deleted"] != true {
		t.Errorf("delete: got %d %s", got.status, got.body)
	}
	got := r.call("GET", "/v1/agents/sessions/"+session, "").members(t)
	if agent := got["agent"].(map[string]any); agent["id"] != id || agent["instructions"] != "<i> & é" || agent["created_at"] != nil {
		t.Errorf("got agent %v, want the Session's copy", agent)
	}
	if got["status"] != "in_progress" || got["object"] != "agent.session" || fmt.Sprint(got["metadata"]) != "map[a:b]" || got["usage"] != nil ||
		fmt.Sprint(got["environment"]) != "map[type:none]" || fmt.Sprint(got["vault_ids"]) != "[]" {
		t.Errorf("got %v", got)
	}
	if got := r.call("POST", "/v1/agents/sessions/"+session, `{"metadata":{"c":"d"}}`).members(t); fmt.Sprint(got["metadata"]) != "map[c:d]" {
		t.Errorf("got metadata %v, want the new one alone", got["metadata"])
	}
}

// behaviour 8.2, 8.6: what is given as input becomes messages, cancels and answers; 202 has no body.
func TestInputsOfASession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	agent := r.agent()
	const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
	for name, input := range map[string]string{
		"a text":        `"hello"`,
		"parts":         `[{"type":"input_text","text":"hello"},{"type":"input_image","image_url":"` + png + `"}]`,
		"events":        `[{"type":"agent.session.input.message","content":"hello"},{"type":"agent.session.input.message","content":[{"type":"input_text","text":"more"}]}]`,
		"none selected": `"hello","environment":{"type":"none"}`,
	} {
		id := r.made("/v1/agents/sessions", `{"agent":"`+agent+`","input":`+input+`}`)
		items := r.call("GET", "/v1/agents/sessions/"+id+"/items?order=asc", "").members(t)["data"].([]any)
		want := 1
		if name == "events" {
			want = 2
		}
		if len(items) != want || items[0].(map[string]any)["role"] != "user" || !strings.Contains(fmt.Sprint(items[0]), "hello") {
			t.Errorf("%s: got items %v, want %d messages of the user", name, items, want)
		}
	}
	id := r.session()
	events := "/v1/agents/sessions/" + id + "/events"
	for _, body := range []string{
		`{"events":[{"type":"agent.session.input.message","content":"and"},{"type":"agent.session.input.message","content":"more"}]}`,
		`{"events":[{"type":"agent.session.input.cancel"}]}`,
		`{"events":[{"type":"agent.session.input.cancel"}]}`, // of an idle Session: its identity alone
	} {
		if got := r.call("POST", events, body); got.status != http.StatusAccepted || got.body != "" {
			t.Errorf("%s: got %d %q, want 202 without a body", body, got.status, got.body)
		}
	}
	turns := r.call("GET", "/v1/agents/sessions/"+id+"/turns", "").members(t)["data"].([]any)
	if len(turns) != 1 || turns[0].(map[string]any)["status"] != "cancelled" {
		t.Errorf("got %v, want one Turn that was cancelled", turns)
	}
	if got := r.call("GET", "/v1/agents/sessions/"+id, "").members(t); got["status"] != "idle" || got["error"] != nil {
		t.Errorf("got %v, want idle", got)
	}
	if got := r.call("DELETE", "/v1/agents/sessions/"+id, ""); got.status != 200 || got.members(t)["object"] != "agent.session.deleted" {
		t.Errorf("delete: got %d %s", got.status, got.body)
	}
}

// running brings a Session's Turn into execution, as the worker would.
func (r *rig) running(session string) store.Turn {
	r.t.Helper()
	turn, err := r.store.LatestTurn(r.t.Context(), session)
	if err == nil {
		turn, err = r.store.ClaimTurn(r.t.Context(), turn.ID, store.Attempt{RunID: turn.ID, DeviceID: "d", Declaration: []byte("{}"), At: time.Now()}, nil)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return turn
}

// behaviour 8.6: a Session that waits says for what, alone and in the list, and takes the answer; usage is the sum of what
// is known, and a failed Turn makes a failed Session.
func TestSessionThatAsksAndFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	base := "/v1/agents/sessions/" + id
	turn := r.running(id)
	if _, err := r.store.OpenCall(t.Context(), store.Call{TurnID: turn.ID, CallID: "c1", Name: "lookup", Arguments: []byte(`{"q":1}`), Created: time.Now()}, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{base, "/v1/agents/sessions"} {
		want := `"status":"requires_action"`
		action := `"required_actions":[{"type":"function_call","call_id":"c1","name":"lookup","turn_id":"` + turn.ID + `","arguments":{"q":1}}]`
		if got := r.call("GET", path, ""); !strings.Contains(got.body, want) || !strings.Contains(got.body, action) {
			t.Errorf("%s: got %s, want %s and %s", path, got.body, want, action)
		}
	}
	answer := `{"events":[{"type":"agent.session.input.tool_result","turn_id":"` + turn.ID + `","call_id":"c1","success":false,"output":null,"error":"no"}]}`
	if got := r.call("POST", base+"/events", answer); got.status != 202 {
		t.Fatalf("answer: got %d %s", got.status, got.body)
	}
	calls, err := r.store.Calls(t.Context(), turn.ID)
	if err != nil || calls[0].State != store.CallAnswered || !strings.Contains(string(calls[0].Result), `{"success":false,"content":[{"type":"input_text","text":"no"}]}`) {
		t.Errorf("got %+v %s (%v), want the answer kept", calls, calls[0].Result, err)
	}
	checkCode(t, "answered twice", r.call("POST", base+"/events", answer), 409, "conflict_error", "")
	usage := []byte(`{"input_tokens":3,"cached_input_tokens":1,"output_tokens":2,"reasoning_output_tokens":0,"total_tokens":5}`)
	for i := range 2 {
		if _, err := r.store.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: store.TurnFailed, ErrorCode: "engine_failed", Usage: usage,
			Outcome: []byte(`{"error_code":"engine_failed"}`), At: time.Now()}, nil); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`"total_tokens":%d}`, 5*(i+1))
		for _, path := range []string{base, "/v1/agents/sessions"} {
			if got := r.call("GET", path, ""); !strings.Contains(got.body, want) {
				t.Errorf("%s: got %s, want %s", path, got.body, want)
			}
		}
		if got := r.call("POST", base+"/events", `{"events":[{"type":"agent.session.input.message","content":"again"}]}`); got.status != 202 {
			t.Fatalf("got %d %s", got.status, got.body)
		}
		turn = r.running(id)
	}
	if _, err := r.store.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: store.TurnFailed, ErrorCode: "engine_failed", At: time.Now()}, nil); err != nil {
		t.Fatal(err)
	}
	got := r.call("GET", base, "").members(t)
	if got["status"] != "failed" || got["error"].(map[string]any)["code"] != "internal_error" || got["usage"].(map[string]any)["total_tokens"] != 10.0 {
		t.Errorf("got %v, want failed with the usage of two Turns", got)
	}
	shown := r.call("GET", base+"/turns/"+turn.ID, "").members(t)
	if shown["error"].(map[string]any)["code"] != "internal_error" || shown["usage"] != nil || shown["x_agents_core"].(map[string]any)["error_code"] != "engine_failed" {
		t.Errorf("got %v, want the public error and Core's own code apart", shown)
	}
}

// behaviour 8.3: an Environment is shown by itself and named by its Session.
func TestEnvironmentOfASession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.made("/v1/agents/sessions", `{"agent":"`+r.agent()+`","environment":{"type":"self_hosted","device_id":"d","workspace_directory":"/srv/w",
		"initialization":[{"action":"setup","command":"true"}]}}`)
	session := r.call("GET", "/v1/agents/sessions/"+id, "").members(t)
	named := session["environment"].(map[string]any)
	if session["status"] != "idle" || named["type"] != "self_hosted" {
		t.Errorf("got %v, want idle with an Environment", session)
	}
	got := r.call("GET", "/v1/agents/environments/"+named["id"].(string), "").members(t)
	if got["session_id"] != id || got["workspace_directory"] != "/srv/w" || got["status"] != "pending" || got["initialization"] != "pending" {
		t.Errorf("got %v", got)
	}
	kept, err := r.store.EnvironmentOf(t.Context(), id)
	if err != nil || string(kept.Steps) != `[{"action":"setup","command":"true"}]` {
		t.Errorf("got steps %s (%v)", kept.Steps, err)
	}
}

// behaviour 8.2: the same key and bytes have one effect, other bytes are a conflict; a key has at most 128 bytes.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	agent := r.agent()
	body := `{"agent":"` + agent + `","input":"once"}`
	first := r.made("/v1/agents/sessions", body, "Idempotency-Key", "k1")
	if again := r.made("/v1/agents/sessions", body, "Idempotency-Key", "k1"); again != first {
		t.Errorf("got Session %s, want %s again", again, first)
	}
	checkCode(t, "other body", r.call("POST", "/v1/agents/sessions", `{"agent":"`+agent+`","input":"twice"}`, "Idempotency-Key", "k1"), 409, "idempotency_conflict", "")
	events := "/v1/agents/sessions/" + first + "/events"
	message := `{"events":[{"type":"agent.session.input.message","content":"more"}]}`
	for range 2 {
		if got := r.call("POST", events, message, "Idempotency-Key", strings.Repeat("k", 128)); got.status != 202 {
			t.Errorf("got %d %s", got.status, got.body)
		}
	}
	checkCode(t, "other events", r.call("POST", events, message+" ", "Idempotency-Key", strings.Repeat("k", 128)), 409, "idempotency_conflict", "")
	checkCode(t, "long key", r.call("POST", events, message, "Idempotency-Key", strings.Repeat("k", 129)), 400, "invalid_idempotency_key", "")
	if items := r.call("GET", "/v1/agents/sessions/"+first+"/items", "").members(t)["data"].([]any); len(items) != 2 {
		t.Errorf("got %d items, want one a message", len(items))
	}
}

// behaviour 8.6: lists are newest first, 20 unless asked for up to 100, and go on after an id.
func TestLists(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var ids []string // newest first
	for range 23 {
		ids = append([]string{r.agent()}, ids...)
	}
	other := r.made("/v1/agents/sessions", `{"agent":"`+ids[0]+`","input":"a"}`)
	session := r.made("/v1/agents/sessions", `{"agent":"`+ids[1]+`","input":"b"}`)
	for _, tt := range []struct {
		query    string
		from, to int
		more     bool
	}{
		{"", 0, 20, true}, {"?limit=100", 0, 23, false}, {"?limit=1", 0, 1, true}, {"?limit=3&after=" + ids[19], 20, 23, false},
		{"?after=" + ids[22], 23, 23, false}, {"?order=desc&limit=2", 0, 2, true},
	} {
		checkList(t, r.call("GET", "/v1/agents"+tt.query, ""), tt.query, ids[tt.from:tt.to], tt.more)
	}
	slices.Reverse(ids)
	checkList(t, r.call("GET", "/v1/agents?order=asc&limit=2&after="+ids[4], ""), "oldest first", ids[5:7], true)
	checkList(t, r.call("GET", "/v1/agents/sessions", ""), "Sessions", []string{session, other}, false)
	checkList(t, r.call("GET", "/v1/agents/sessions?agent_id="+ids[21], ""), "Sessions of an agent", []string{session}, false)
	checkList(t, r.call("GET", "/v1/agents/sessions?agent_id=none", ""), "Sessions of no agent", nil, false)
	for query, param := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "limit=": "limit", "order=up": "order", "order=": "order",
		"after=none": "after", "limit=1&limit=1": "limit",
	} {
		for _, path := range []string{"/v1/agents", "/v1/agents/sessions", "/v1/agents/sessions/" + session + "/turns", "/v1/agents/sessions/" + session + "/items"} {
			checkCode(t, path+"?"+query, r.call("GET", path+"?"+query, ""), 400, "invalid_value", param)
		}
	}
	checkCode(t, "unknown", r.call("GET", "/v1/agents?page=2", ""), 400, "unknown_parameter", "page")
	checkCode(t, "badly encoded", r.call("GET", "/v1/agents?limit=%zz", ""), 400, "invalid_value", "")
}

func checkList(t *testing.T, got answer, name string, want []string, more bool) {
	t.Helper()
	list := got.members(t)
	var ids []string
	for _, one := range list["data"].([]any) {
		ids = append(ids, one.(map[string]any)["id"].(string))
	}
	if !slices.Equal(ids, want) || list["has_more"] != more || list["object"] != "list" {
		t.Errorf("%s: got %v, more %v, want %v, more %t", name, ids, list["has_more"], want, more)
	}
	if len(ids) > 0 && (list["first_id"] != ids[0] || list["last_id"] != ids[len(ids)-1]) || len(ids) == 0 && (list["first_id"] != nil || list["last_id"] != nil) {
		t.Errorf("%s: got first %v and last %v", name, list["first_id"], list["last_id"])
	}
}

// behaviour 8.6: items of a Turn and of a Session keep their order, the user's between the agent's as it was taken.
func TestItems(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	id := r.session()
	turn := r.running(id)
	var saved []store.Item
	for i := range 3 {
		saved = append(saved, store.Item{ID: fmt.Sprintf("item_1_%d", i), TurnID: turn.ID, Index: int64(i), Kind: "message",
			Payload: fmt.Appendf(nil, `{"id":"item_1_%d","type":"message","status":"completed"}`, i)})
	}
	if err := r.store.AppendJournal(t.Context(), id, store.Journal{Items: saved}); err != nil {
		t.Fatal(err)
	}
	want := []string{"input_1", "item_1_0", "item_1_1", "item_1_2"}
	for _, path := range []string{"/items", "/turns/" + turn.ID + "/items"} {
		checkList(t, r.call("GET", "/v1/agents/sessions/"+id+path+"?order=asc", ""), path, want, false)
		checkList(t, r.call("GET", "/v1/agents/sessions/"+id+path+"?order=asc&limit=2&after=input_1", ""), path, want[1:3], true)
		checkCode(t, path, r.call("GET", "/v1/agents/sessions/"+id+path+"?after=none", ""), 400, "invalid_value", "after")
	}
}
