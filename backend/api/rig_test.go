package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"parley/backend/api"
	"parley/backend/core"
	"parley/backend/gateway"
	"parley/backend/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ownKey = "parley_key-of-the-test"

// deserted is a gateway to which no Runtime is connected, so that Turns stay as the test leaves them.
type deserted struct{}

func (deserted) Connection(string) (*gateway.Connection, bool) { return nil, false }

func (deserted) Devices() []string { return nil }

// rig is the API on a real socket, over a real store.
type rig struct {
	t      testing.TB
	store  *store.Store
	core   *core.Service
	url    string
	client *http.Client
	stop   func() // ends the requests under way
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, client: &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}}
	var made *api.API
	r.store, r.core, made = newAPI(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + listener.Addr().String()
	life, end := context.WithCancel(context.Background())
	server := &http.Server{Handler: mux(made), ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return life }}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // ends with Close
	r.stop = end
	t.Cleanup(func() {
		end()
		_ = server.Close()
		serving.Wait()
		r.client.CloseIdleConnections()
		closeAPI(t, r.store, r.core)
	})
	return r
}

func newAPI(t testing.TB) (*store.Store, *core.Service, *api.API) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	service, err := core.New(t.Context(), core.Config{Store: s, Runtimes: deserted{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	made, err := api.New(api.Options{Core: service, Keys: s, APIKey: ownKey, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return s, service, made
}

func closeAPI(t testing.TB, s *store.Store, service *core.Service) {
	service.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// operation is one of the description.
type operation struct {
	OperationID string                     `json:"operationId"`
	Responses   map[string]json.RawMessage `json:"responses"`
}

// operations reads the description: by path, then by method in lower case.
func operations(t testing.TB) map[string]map[string]operation {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]operation `json:"paths"`
	}
	if err := json.Unmarshal(api.Description(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Paths
}

// mux mounts the API as its description says: the handler of an operation is the method of its name.
func mux(made *api.API) *http.ServeMux {
	m := http.NewServeMux()
	var doc struct {
		Paths map[string]map[string]operation `json:"paths"`
	}
	if err := json.Unmarshal(api.Description(), &doc); err != nil {
		panic(err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			name := strings.ToUpper(op.OperationID[:1]) + op.OperationID[1:]
			if op.OperationID == "getDescription" {
				name = "OpenAPI"
			}
			handle := reflect.ValueOf(made).MethodByName(name).Interface().(func(http.ResponseWriter, *http.Request))
			m.HandleFunc(strings.ToUpper(method)+" "+path, handle)
		}
	}
	return m
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// call sends a request in order. Headers are pairs that replace what is sent; an empty value removes the header.
func (r *rig) call(method, path, body string, headers ...string) answer {
	r.t.Helper()
	response, err := r.client.Do(r.request(r.t.Context(), method, path, strings.NewReader(body), headers...))
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	got := answer{response.StatusCode, response.Header, string(text)}
	r.check(method, path, got)
	return got
}

func (r *rig) request(ctx context.Context, method, path string, body io.Reader, headers ...string) *http.Request {
	r.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+ownKey)
	request.Header.Set("OpenAI-Beta", "agents=v1")
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if request.Header.Del(headers[i]); headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	return request
}

// check holds an answer to the description and to what every answer carries (behaviour 8.6).
func (r *rig) check(method, path string, got answer) {
	r.t.Helper()
	id := got.header.Get("X-Request-Id")
	if len(id) != len("req_")+32 || !strings.HasPrefix(id, "req_") || got.header.Get("OpenAI-Version") != "2020-10-01" ||
		got.header.Get("Cache-Control") != "no-store" {
		r.t.Errorf("%s %s: got headers %v", method, path, got.header)
	}
	if got.body == "" || got.header.Get("Content-Type") != "application/json" {
		return
	}
	if !jsontext.Value(got.body).IsValid() { // a name twice is none
		r.t.Errorf("%s %s: answered %s, want JSON without a name twice", method, path, got.body)
	}
	name := "Error"
	if got.status < 300 {
		name = r.schemaOf(method, path)
	}
	if name == "" {
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := schemas()[name].Validate(value); err != nil {
		r.t.Errorf("%s %s: answered %s, which is no %s: %v", method, path, got.body, name, err)
	}
}

// schemaOf finds the schema of a success.
func (r *rig) schemaOf(method, path string) string {
	r.t.Helper()
	path, _, _ = strings.Cut(path, "?")
	for pattern, methods := range operations(r.t) {
		op, ok := methods[strings.ToLower(method)]
		if !ok || !matches(pattern, path) {
			continue
		}
		_, name, ok := strings.Cut(string(op.Responses["200"]), `"$ref": "#/components/schemas/`)
		if name, _, _ = strings.Cut(name, `"`); ok {
			return name
		}
	}
	return ""
}

func matches(pattern, path string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) || strings.HasSuffix(pattern, "/agents/{id}") && have[len(have)-1] == "sessions" {
		return false
	}
	for i := range want {
		if want[i] != have[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}

// schemas are those of the description, ready for use.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	const place = "https://parley.test/openapi.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(api.Description()))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(place, doc); err != nil {
		panic(err)
	}
	all := map[string]*jsonschema.Schema{}
	for name := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		all[name] = compiler.MustCompile(place + "#/components/schemas/" + name)
	}
	return all
})

// members reads an answer's object.
func (a answer) members(t testing.TB) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(a.body), &members); err != nil {
		t.Fatalf("got %d %q: %v", a.status, a.body, err)
	}
	return members
}

const agentBody = `{"name":"quay","model":"none","x_agents_core":{"harness":"scripted","harness_config":{"script":"hello"}}}`

// made sends what must succeed and gives the id of what it made.
func (r *rig) made(path, body string, headers ...string) string {
	r.t.Helper()
	got := r.call("POST", path, body, headers...)
	if got.status != http.StatusOK {
		r.t.Fatalf("POST %s: got %d %s", path, got.status, got.body)
	}
	return got.members(r.t)["id"].(string)
}

func (r *rig) agent() string { return r.made("/v1/agents", agentBody) }

func (r *rig) session() string {
	return r.made("/v1/agents/sessions", `{"agent":"`+r.agent()+`","input":"hello"}`)
}

// sent is one event of a stream.
type sent struct {
	id, event, data string
}

// follower reads a stream.
type follower struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Reader
	status int
}

func (r *rig) follow(path string) *follower { return r.open("GET", path, "") }

// open begins a stream; its headers have come when it returns.
func (r *rig) open(method, path, body string) *follower {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	r.t.Cleanup(cancel)
	response, err := r.client.Do(r.request(ctx, method, path, strings.NewReader(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode == 200 && kind != "text/event-stream" {
		r.t.Fatalf("%s %s: got content type %q", method, path, kind)
	}
	return &follower{t: r.t, body: response.Body, lines: bufio.NewReader(response.Body), status: response.StatusCode}
}

// next reads one event, io.EOF at the end of the stream.
func (f *follower) next() (sent, error) {
	var e sent
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "id":
			e.id = value
		case "event":
			e.event = value
		case "data":
			e.data = value
		case "":
			if e.event != "" {
				return e, nil
			}
		}
	}
}

// take reads so many events.
func (f *follower) take(n int) []sent {
	f.t.Helper()
	all := make([]sent, 0, n)
	for range n {
		e, err := f.next()
		if err != nil {
			f.t.Fatalf("after %d events: %v", len(all), err)
		}
		all = append(all, e)
	}
	return all
}

func names(events []sent) string {
	var all []string
	for _, e := range events {
		all = append(all, e.id+" "+strings.TrimPrefix(e.event, "agent.session."))
	}
	return strings.Join(all, ", ")
}
