package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/backend/api"
	"parley/backend/core"
	"parley/backend/gateway"
	"parley/backend/server"
)

// deserted is a gateway to which no Runtime is connected.
type deserted struct{}

func (deserted) Connection(string) (*gateway.Connection, bool) { return nil, false }

func (deserted) Devices() []string { return nil }

// api makes Core's public API over the house's store.
func (h *house) api(log *slog.Logger) *api.API {
	h.t.Helper()
	var err error
	if h.core, err = core.New(context.Background(), core.Config{Store: h.store, Runtimes: deserted{}, Log: log}); err != nil {
		h.t.Fatal(err)
	}
	made, err := api.New(api.Options{Core: h.core, Keys: h.store, APIKey: apiKey, Log: log})
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

// behaviour 8.6: what the server itself refuses below /v1 has the API's form and headers.
func TestCoreAPIRefusalsHaveItsForm(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, tt := range []struct {
		method, path, origin, kind, code string
		status                           int
	}{
		{"GET", "/v1/nothing", "", "not_found_error", "not_found", 404},
		{"DELETE", "/v1/agents/sessions", "", "invalid_request_error", "method_not_allowed", 405},
		{"PATCH", "/v1/agents/x", "", "invalid_request_error", "method_not_allowed", 405},
		{"GET", "/v1/agents", "http://evil.example", "permission_error", "not_local", 403},
		{"GET", "/v1/nothing", "http://evil.example", "permission_error", "not_local", 403},
	} {
		got := h.call(tt.method, tt.path, "", "Origin", tt.origin)
		want := `","type":"` + tt.kind + `","code":"` + tt.code + `","param":null}}` + "\n"
		if got.status != tt.status || !strings.HasPrefix(got.body, `{"error":{"message":"`) || !strings.HasSuffix(got.body, want) {
			t.Errorf("%s %s: got %d %s, want %d …%s", tt.method, tt.path, got.status, got.body, tt.status, want)
		}
		if id := got.header.Get("X-Request-Id"); len(id) != 36 || got.header.Get("OpenAI-Version") != api.Version {
			t.Errorf("%s %s: got request id %q, version %q", tt.method, tt.path, id, got.header.Get("OpenAI-Version"))
		}
	}
}

// The description and the route table name the same routes, with a body where the table has one.
func TestDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	var described struct {
		Paths map[string]map[string]struct {
			RequestBody json.RawMessage
		}
	}
	if err := json.Unmarshal(api.Description(), &described); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{} // has a body, by method and path
	for path, methods := range described.Paths {
		for method, operation := range methods {
			want[strings.ToUpper(method)+" "+path] = operation.RequestBody != nil
		}
	}
	got := map[string]bool{}
	part := regexp.MustCompile(`:(\w+)`)
	for _, r := range server.Routes() {
		if strings.HasPrefix(r.Path, "/v1/") {
			got[r.Method+" "+part.ReplaceAllString(r.Path, "{$1}")] = r.Body > 0
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the table has %v, the description %v", got, want)
	}
}

// runner 7.2: a stop ends streams, and does not wait for their readers.
func TestStopEndsStreams(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	beta := []string{"OpenAI-Beta", "agents=v1"}
	made := h.call("POST", "/v1/agents", `{"name":"quay","model":"m","x_agents_core":{"harness":"scripted"}}`, beta...)
	var agent struct{ ID string }
	if err := json.Unmarshal([]byte(made.body), &agent); err != nil {
		t.Fatalf("got %s (%v)", made.body, err)
	}
	c := h.dial()
	defer c.Close()
	body := `{"agent":"` + agent.ID + `","input":"x","stream":true}`
	fmt.Fprint(c, request("POST", "/v1/agents/sessions", h.addr, body, "Authorization: Bearer "+apiKey, "OpenAI-Beta: agents=v1", "Content-Type: application/json"))
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	h.stop()
	if rest, err := io.ReadAll(response.Body); err != nil || time.Since(started) > 5*time.Second {
		t.Errorf("got %q (%v) after %s, want the end in order and soon", rest, err, time.Since(started))
	}
}

// The cookie of a page opens the lab, not the API.
func TestCoreAPITakesNoCookie(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	cookie, _, _ := strings.Cut(cookieOf(t, h), ";")
	got := h.call("GET", "/v1/agents", "", "Authorization", "", "OpenAI-Beta", "agents=v1", "Cookie", cookie)
	if got.status != 401 || !strings.Contains(got.body, "invalid_api_key") {
		t.Errorf("got %d %s, want 401", got.status, got.body)
	}
}

// Without Core's API its addresses do not exist.
func TestNoCoreAPI(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.API = nil })
	for _, path := range []string{"/v1/agents", "/v1/openapi.json"} {
		if got := h.call("GET", path, "", "OpenAI-Beta", "agents=v1"); got.status != 404 || !strings.HasPrefix(got.body, `{"code":"not_found"`) {
			t.Errorf("%s: got %d %s, want 404 of the lab", path, got.status, got.body)
		}
	}
}
