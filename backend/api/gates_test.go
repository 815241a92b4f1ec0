package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/backend/api"
	"parley/backend/store"
)

// checkCode looks at a refusal.
func checkCode(t *testing.T, name string, got answer, status int, code, param string) {
	t.Helper()
	refused, _ := got.members(t)["error"].(map[string]any)
	found, _ := refused["param"].(string)
	if got.status != status || refused["code"] != code || found != param || refused["message"] == "" {
		t.Errorf("%s: got %d %s, want %d with code %q and param %q", name, got.status, got.body, status, code, param)
	}
}

// behaviour 8.6: version header before the key, the key before the body, the body's gates in their order. Each row has
// everything before its fault in order and everything after it wrong where that can be.
func TestGatesInTheirOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const path = "/v1/agents"
	large := `{"name":"` + strings.Repeat("x", api.MaxBody) + `"`
	for _, tt := range []struct {
		name, body string
		headers    []string
		status     int
		code       string
	}{
		{"no beta", "{", []string{"OpenAI-Beta", "", "Authorization", ""}, 400, "invalid_beta"},
		{"other beta", "{", []string{"OpenAI-Beta", "agents=v2", "Authorization", ""}, 400, "invalid_beta"},
		{"two betas in one", "{", []string{"OpenAI-Beta", "agents=v1, agents=v1"}, 400, "invalid_beta"},
		{"no key", "{", []string{"Authorization", "", "Content-Type", "text/plain"}, 401, "invalid_api_key"},
		{"wrong key", "{", []string{"Authorization", "Bearer parley_other", "Content-Type", "text/plain"}, 401, "invalid_api_key"},
		{"empty key", "{", []string{"Authorization", "Bearer "}, 401, "invalid_api_key"},
		{"basic", "{", []string{"Authorization", "Basic " + ownKey}, 401, "invalid_api_key"},
		{"key alone", "{", []string{"Authorization", ownKey}, 401, "invalid_api_key"},
		{"no type", large, []string{"Content-Type", ""}, 415, "unsupported_media_type"},
		{"other type", large, []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type"},
		{"broken type", "{", []string{"Content-Type", "application/json; ="}, 415, "unsupported_media_type"},
		{"large", large + "\xff", nil, 413, "request_too_large"},
		{"not UTF-8", "{\"a\":\"\xff\"", nil, 400, "invalid_utf8"},
		{"empty", "", nil, 400, "invalid_json"},
		{"half", `{"a":1,"a":1`, nil, 400, "invalid_json"},
		{"two values", `{} {}`, nil, 400, "invalid_json"},
		{"comment", `{} // x`, nil, 400, "invalid_json"},
		{"byte order mark", "\uFEFF{}", nil, 400, "invalid_json"},
		{"lone surrogate", `{"a":"\ud800"}`, nil, 400, "invalid_json"},
		{"too deep", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), nil, 400, "invalid_json"},
		{"far too deep", strings.Repeat("[", 100_000), nil, 400, "invalid_json"},
		{"duplicate", `[{"a":1,"a":1}]`, nil, 400, "duplicate_parameter"},
		{"duplicate by escape", `{"name":"x","n\u0061me":"x"}`, nil, 400, "duplicate_parameter"},
		{"array", `[]`, nil, 400, "invalid_root"},
		{"null", `null`, nil, 400, "invalid_root"},
	} {
		checkCode(t, tt.name, r.call("POST", path, tt.body, tt.headers...), tt.status, tt.code, "")
	}
	if got := r.call("POST", path, agentBody, "Content-Type", "Application/JSON; charset=utf-8"); got.status != 200 {
		t.Errorf("in order: got %d %s", got.status, got.body)
	}
	if list := r.call("GET", path, "").members(t)["data"].([]any); len(list) != 1 {
		t.Errorf("got %d agents, want the one that was in order", len(list))
	}
}

// behaviour 8.6: the header counts, not its content twice.
func TestHeadersThatComeTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, tt := range []struct{ name, code string }{
		{"OpenAI-Beta", "invalid_beta"}, {"Authorization", "invalid_api_key"}, {"Content-Type", "unsupported_media_type"},
	} {
		request := r.request(t.Context(), "POST", "/v1/agents", strings.NewReader(agentBody))
		request.Header.Add(tt.name, request.Header.Get(tt.name))
		response, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(body), tt.code) {
			t.Errorf("%s twice: got %s (%v), want %s", tt.name, body, err, tt.code)
		}
	}
}

// hostile-inputs J-1: a name twice, one that is unknown and one in another case are refused with what is meant; null is a
// value that is not there.
func TestDocumentsAreReadStrictly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	session := r.session()
	agent := r.agent()
	events := "/v1/agents/sessions/" + session + "/events"
	const sessions = "/v1/agents/sessions"
	for _, tt := range []struct{ path, body, code, param string }{
		{"/v1/agents", `{"name":"a","model":"m","x_agents_core":{"harness":"h"},"nothing":1}`, "unknown_parameter", "nothing"},
		{"/v1/agents", `{"Name":"a","model":"m","x_agents_core":{"harness":"h"}}`, "unknown_parameter", "Name"},
		{"/v1/agents", `{"name":"a","model":"m","tools":[{"type":"function","name":"f","strict":true}],"x_agents_core":{"harness":"h"}}`, "unknown_parameter", "tools[0].strict"},
		{"/v1/agents", `{"name":null,"model":"m","x_agents_core":{"harness":"h"}}`, "invalid_value", "name"},
		{"/v1/agents", `{"name":7,"model":"m","x_agents_core":{"harness":"h"}}`, "invalid_value", "name"},
		{"/v1/agents", `{"name":"a","model":" ","x_agents_core":{"harness":"h"}}`, "invalid_value", "model"},
		{"/v1/agents", `{"name":"a","model":"m"}`, "invalid_value", "x_agents_core.harness"},
		{"/v1/agents", `{"name":"a","model":"m","metadata":{"a":1},"x_agents_core":{"harness":"h"}}`, "invalid_value", "metadata.a"},
		{"/v1/agents", `{"name":"a","model":"m","text":{"verbosity":"loud"},"x_agents_core":{"harness":"h"}}`, "invalid_value", "text.verbosity"},
		{sessions, `{}`, "invalid_value", "agent"},
		{sessions, `{"agent":{"id":"x"}}`, "invalid_value", "agent"},
		{sessions, `{"agent":"` + agent + `"}`, "invalid_value", "input"},
		{sessions, `{"agent":"` + agent + `","input":null}`, "invalid_value", "input"},
		{sessions, `{"agent":"` + agent + `","input":[]}`, "invalid_value", "input"},
		{sessions, `{"agent":"` + agent + `","input":""}`, "invalid_value", "input[0].content"},
		{sessions, `{"agent":"` + agent + `","input":7}`, "invalid_value", "input"},
		{sessions, `{"agent":"` + agent + `","input":[{"type":"agent.session.input.cancel"}]}`, "invalid_value", "input[0].type"},
		{sessions, `{"agent":"` + agent + `","input":[{"type":"input_text","text":"a","bold":1}]}`, "unknown_parameter", "input[0].bold"},
		{sessions, `{"agent":"` + agent + `","input":[{"type":"input_audio"}]}`, "invalid_value", "input[0].type"},
		{sessions, `{"agent":"` + agent + `","input":[{"type":"input_text"}]}`, "invalid_value", "input[0]"},
		{sessions, `{"agent":"` + agent + `","input":[{"type":"input_image","image_url":"http://x/y.png"}]}`, "invalid_value", "input[0].content[0].image_url"},
		{sessions, `{"agent":"` + agent + `","input":"a","environment":{"type":"openai_hosted"}}`, "invalid_value", "environment.type"},
		{sessions, `{"agent":"` + agent + `","input":"a","environment":{"type":"none","device_id":"d"}}`, "invalid_value", "environment"},
		{sessions, `{"agent":"` + agent + `","input":"a","environment":{"type":"self_hosted"}}`, "invalid_value", "environment.workspace_directory"},
		{sessions, `{"agent":"` + agent + `","input":"a","stream":"yes"}`, "invalid_value", "stream"},
		{"/v1/agents/sessions/" + session, `{}`, "invalid_value", "metadata"},
		{"/v1/agents/sessions/" + session, `{"metadata":{"a":null},"status":"idle"}`, "unknown_parameter", "status"},
		{events, `{}`, "invalid_value", "events"},
		{events, `{"events":[]}`, "invalid_value", "events"},
		{events, `{"events":[` + strings.Repeat(`{"type":"agent.session.input.cancel"},`, 64) + `{"type":"agent.session.input.cancel"}]}`, "invalid_value", "events"},
		{events, `{"events":[7]}`, "invalid_value", "events[0].type"},
		{events, `{"events":[{"type":"agent.session.input.message"}]}`, "invalid_value", "events[0].content"},
		{events, `{"events":[{"type":"agent.session.input.message","content":"a","role":"user"}]}`, "unknown_parameter", "events[0].role"},
		{events, `{"events":[{"type":"agent.session.input.cancel","why":"a"}]}`, "unknown_parameter", "events[0].why"},
		{events, `{"events":[{"type":"agent.session.input.tool_result","turn_id":"t","call_id":"c"}]}`, "invalid_value", "events[0].success"},
		{events, `{"events":[{"type":"agent.session.input.tool_result","turn_id":"t","call_id":"c","success":true,"error":"x"}]}`, "invalid_value", "events[0].error"},
		{events, `{"events":[{"type":"agent.session.input.tool_result","turn_id":"t","call_id":"c","success":false,"output":"x"}]}`, "invalid_value", "events[0].output"},
		{events, `{"events":[{"type":"agent.session.input.tool_result","turn_id":"t","call_id":"c","success":true}]}`, "invalid_value", "events[0].output"},
		{events, `{"events":[{"type":"agent.session.input.tool_result","success":true,"output":""}]}`, "invalid_value", "events[0].call_id"},
	} {
		checkCode(t, tt.path+" "+tt.body, r.call("POST", tt.path, tt.body), 400, tt.code, tt.param)
	}
	if turns := r.call("GET", "/v1/agents/sessions/"+session+"/turns", "").members(t)["data"].([]any); len(turns) != 1 {
		t.Errorf("got %d Turns, want the first alone: a refused request has no effect", len(turns))
	}
}

// hostile-inputs J-3: a body that is cheap to send is refused without costing much.
func TestBodiesThatAreDearToHold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	fill := func(before, unit, after string) string {
		return before + strings.TrimSuffix(strings.Repeat(unit, (api.MaxBody-len(before)-len(after))/len(unit)), ",") + after
	}
	var keys strings.Builder
	for i := 0; keys.Len() < api.MaxBody-20; i++ {
		fmt.Fprintf(&keys, `"%x":0,`, i)
	}
	for name, body := range map[string]string{
		"arrays":    fill(`{"events":[`, "[],", "]}"),
		"events":    fill(`{"events":[`, "7,", "]}"),
		"keys":      "{" + strings.TrimSuffix(keys.String(), ",") + "}",
		"same keys": fill("{", `"a":0,`, "}"),
		"digits":    fill(`{"events":`, "9", "}"),
		"escapes":   fill(`{"events":"`, `\u0000`, `"}`),
	} {
		started := time.Now()
		got := r.call("POST", "/v1/agents/sessions/none/events", body)
		if took := time.Since(started); got.status != 400 || len(got.body) > 1000 || took > 5*time.Second {
			t.Errorf("%s: got %d with %d bytes after %s, want a small refusal soon", name, got.status, len(got.body), took)
		}
	}
}

// behaviour 8.6: what does not exist, and conflicts.
func TestStatusesOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	session, other := r.session(), r.session()
	turn := r.call("GET", "/v1/agents/sessions/"+other+"/turns", "").members(t)["first_id"].(string)
	base := "/v1/agents/sessions/" + session
	message := `{"events":[{"type":"agent.session.input.message","content":"x"}]}`
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/v1/agents/none", "", 404, "not_found"},
		{"POST", "/v1/agents/none", agentBody, 404, "not_found"},
		{"DELETE", "/v1/agents/none", "", 404, "not_found"},
		{"POST", "/v1/agents/sessions", `{"agent":"none","input":"x"}`, 404, "not_found"},
		{"GET", "/v1/agents/sessions/none", "", 404, "not_found"},
		{"POST", "/v1/agents/sessions/none", `{"metadata":{}}`, 404, "not_found"},
		{"DELETE", "/v1/agents/sessions/none", "", 404, "not_found"},
		{"POST", "/v1/agents/sessions/none/events", message, 404, "not_found"},
		{"GET", "/v1/agents/sessions/none/events", "", 404, "not_found"},
		{"GET", "/v1/agents/sessions/none/turns", "", 404, "not_found"},
		{"GET", "/v1/agents/sessions/none/items", "", 404, "not_found"},
		{"GET", base + "/turns/none", "", 404, "not_found"},
		{"GET", base + "/turns/" + turn, "", 404, "not_found"}, // another Session's
		{"GET", base + "/turns/" + turn + "/items", "", 404, "not_found"},
		{"GET", "/v1/agents/environments/none", "", 404, "not_found"},
		{"DELETE", base, "", 409, "conflict_error"}, // its Turn is queued
		{"POST", base + "/events", `{"events":[{"type":"agent.session.input.tool_result","turn_id":"t","call_id":"c","success":true,"output":""}]}`, 409, "conflict_error"},
		{"POST", base + "/events", `{"events":[{"type":"agent.session.input.message","content":"` + strings.Repeat("x", store.MaxPayload) + `"}]}`, 400, "invalid_value"},
	} {
		checkCode(t, tt.method+" "+tt.path, r.call(tt.method, tt.path, tt.body), tt.status, tt.code, "")
	}
}

// behaviour 8.6: keys of the store are valid beside the lab's own, until they are revoked.
func TestKeysOfTheStore(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const secret = "parley_a-key-of-the-store"
	sum := sha256.Sum256([]byte(secret))
	key, err := r.store.CreateAPIKey(t.Context(), store.APIKey{Name: "ci", Digest: hex.EncodeToString(sum[:]), Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"Bearer " + secret, "bearer " + secret} {
		if got := r.call("GET", "/v1/agents", "", "Authorization", header); got.status != 200 {
			t.Errorf("%s: got %d %s, want 200", header, got.status, got.body)
		}
	}
	checkCode(t, "digest", r.call("GET", "/v1/agents", "", "Authorization", "Bearer "+hex.EncodeToString(sum[:])), 401, "invalid_api_key", "")
	if keys, err := r.store.APIKeys(t.Context()); err != nil || keys[0].LastUsed.IsZero() {
		t.Errorf("got %+v (%v), want its use noted", keys, err)
	}
	if err := r.store.RevokeAPIKey(t.Context(), key.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	checkCode(t, "revoked", r.call("GET", "/v1/agents", "", "Authorization", "Bearer "+secret), 401, "invalid_api_key", "")
}

// hostile-inputs H-4: a body has five seconds, also where the request is refused without it.
func TestSlowBodiesAreGivenUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for key, want := range map[string]string{ownKey: "request_timeout", "other": "invalid_api_key"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.SetDeadline(time.Now().Add(9 * time.Second)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(c, "POST /v1/agents HTTP/1.1\r\nHost: x\r\nOpenAI-Beta: agents=v1\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{", key)
			all, err := io.ReadAll(c) // to the end of the connection
			if err != nil || !strings.Contains(string(all), want) {
				t.Errorf("got %q (%v), want %s and the end", all, err, want)
			}
		})
	}
}

// H13: every code has one row, and the description lists exactly these and the server's two.
func TestCodesAreSaidOnce(t *testing.T) {
	t.Parallel()
	seen := map[api.Code]bool{"not_local": true, "method_not_allowed": true}
	for _, row := range api.Codes() {
		if seen[row.Code] || row.Status < 200 || row.Type == "" || row.When == "" {
			t.Errorf("row %+v: want one row a code, with status, type and when", row)
		}
		seen[row.Code] = true
		if !strings.Contains(string(api.Description()), `"`+string(row.Code)+`"`) || http.StatusText(row.Status) == "" {
			t.Errorf("the description lacks %s", row.Code)
		}
	}
}
