package transport_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/transport"
)

// answering is a server that gives one answer to every request and keeps what it was asked.
type answering struct {
	status int
	body   string
	asked  []*http.Request
	bodies []string
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.asked, a.bodies = append(a.asked, r), append(a.bodies, string(body))
	if a.status >= 300 && a.status < 400 {
		w.Header().Set("Location", "/elsewhere")
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func details(change map[string]any) string {
	answer := map[string]any{
		"device_id": device, "workspace_id": "w", "ws_url": "ws://core.example/api/v1/agent-daemon/ws",
		"heartbeat_seconds": 20, "protocol_version": proto.Version,
	}
	for key, value := range change {
		answer[key] = value
	}
	text, _ := json.Marshal(answer)
	return string(text)
}

// behaviour 2.1, wire 6.2
func TestBootstrapRequest(t *testing.T) {
	t.Parallel()
	a := &answering{status: 200, body: details(map[string]any{"later": []int{1}})}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	got, err := transport.Bootstrap(t.Context(), server.Client(), server.URL+"/api/v1/?token="+credential+"&keep=1", device, credential)
	want := transport.Details{DeviceID: device, WorkspaceID: "w", WSURL: "ws://core.example/api/v1/agent-daemon/ws", Heartbeat: 20 * time.Second, ProtocolVersion: proto.Version}
	if err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	asked := a.asked[0]
	if asked.Method != http.MethodPost || asked.URL.String() != "/api/v1/agent-daemon/bootstrap?keep=1" {
		t.Errorf("got %s %s, want POST without the token", asked.Method, asked.URL)
	}
	if asked.Header.Get("Authorization") != "Bearer "+credential || a.bodies[0] != `{"device_id":"runtime"}` {
		t.Errorf("got %q and %q, want the bearer and the device", asked.Header.Get("Authorization"), a.bodies[0])
	}
}

// behaviour 2.1, 3.1: what is no proper answer ends bootstrap after one request.
func TestBootstrapAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(" ", proto.MaxBootstrapReply)
	for name, tc := range map[string]struct {
		status int
		body   string
		code   string // of a StatusError
		says   string // "": accepted
	}{
		"401":                       {status: 401, body: `{"error":"bad_credential","detail":"` + credential + `"}`, code: "bad_credential", says: "401"},
		"403":                       {status: 403, body: `{"error":"wrong_runtime_type"}`, code: "wrong_runtime_type", says: "403"},
		"code that is text":         {status: 500, body: `{"error":"It broke, see ` + credential + `"}`, says: "500"},
		"code that is a secret":     {status: 500, body: `{"error":"synthetic_credential"}`, code: "synthetic_credential", says: "500"},
		"help":                      {status: 401, body: `{"error":"bad_credential","detail":"create a new device"}`, code: "bad_credential", says: "code bad_credential: create a new device"},
		"help of another form":      {status: 401, body: `{"error":"bad_credential","detail":["x"]}`, code: "bad_credential", says: "bad_credential"},
		"not found by another":      {status: 404, body: "404 page not found", says: "is not a Core: server_url must be the address of a lab and end in /api/v1"},
		"not found by a lab":        {status: 404, body: `{"error":{"code":"not_found"}}`, says: "is not a Core"},
		"a page":                    {status: 200, body: "<!doctype html>", says: "not a Core"},
		"no JSON":                   {status: 503, body: `oops`, says: "503"},
		"created":                   {status: 201, body: details(nil), says: "201"},
		"redirect":                  {status: 307, body: details(nil), says: "307"},
		"no object":                 {status: 200, body: `[]`, says: "expected a JSON object"},
		"other device":              {status: 200, body: details(map[string]any{"device_id": "other"}), says: "device_id"},
		"no device":                 {status: 200, body: `{}`, says: "device_id"},
		"http address":              {status: 200, body: details(map[string]any{"ws_url": "http://core.example/ws"}), says: "ws_url"},
		"no address":                {status: 200, body: details(map[string]any{"ws_url": ""}), says: "ws_url"},
		"address without a host":    {status: 200, body: details(map[string]any{"ws_url": "ws:///ws"}), says: "ws_url"},
		"address with a user":       {status: 200, body: details(map[string]any{"ws_url": "ws://u:" + credential + "@core.example/ws"}), says: "user name"},
		"address that is no URL":    {status: 200, body: details(map[string]any{"ws_url": "ws://core.example/%" + credential}), says: "ws_url"},
		"heartbeat as text":         {status: 200, body: details(map[string]any{"heartbeat_seconds": "15"}), says: "heartbeat_seconds"},
		"heartbeat of centuries":    {status: 200, body: details(map[string]any{"heartbeat_seconds": 1 << 62}), says: "heartbeat_seconds"},
		"over the limit":            {status: 200, body: details(nil) + long, says: "limit"},
		"just below the limit":      {status: 200, body: details(nil) + long[len(details(nil)):]},
		"no heartbeat":              {status: 200, body: details(map[string]any{"heartbeat_seconds": 0})},
		"secure address":            {status: 200, body: details(map[string]any{"ws_url": "wss://core.example/ws"})},
		"another version of theirs": {status: 200, body: details(map[string]any{"protocol_version": "9.9.9"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &answering{status: tc.status, body: tc.body}
			server := httptest.NewServer(a)
			t.Cleanup(server.Close)
			_, err := transport.Bootstrap(t.Context(), server.Client(), server.URL+"/api/v1", device, credential)
			if len(a.asked) != 1 {
				t.Errorf("got %d requests, want one", len(a.asked))
			}
			if tc.says == "" {
				if err != nil {
					t.Errorf("got %v, want the details", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), credential) {
				t.Fatalf("got %v, want an error that says %q and not the credential", err, tc.says)
			}
			refusal, ok := errors.AsType[*transport.StatusError](err)
			if ok != (tc.status != 200) || ok && (refusal.Status != tc.status || refusal.Code != tc.code) {
				t.Errorf("got %+v, want status %d, code %q", refusal, tc.status, tc.code)
			}
		})
	}
}

// behaviour 3.2: where nothing listens the address is named, and what to do.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := transport.Bootstrap(t.Context(), http.DefaultClient, server.URL+"/api/v1", device, credential)
	want := "no Core answers at " + strings.TrimPrefix(server.URL, "http://") + "; start the lab (parley serve), or make the profile again if it moved"
	if !errors.Is(err, transport.ErrNoAnswer) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A server reached over TLS does not make the Runtime send its credential over an open line.
func TestBootstrapOverTLS(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{"ws://core.example/ws": false, "wss://core.example/ws": true} {
		server := httptest.NewTLSServer(&answering{status: 200, body: details(map[string]any{"ws_url": address})})
		_, err := transport.Bootstrap(t.Context(), server.Client(), server.URL+"/api/v1", device, credential)
		server.Close()
		if (err == nil) != good {
			t.Errorf("%s: got %v, want accepted %v", address, err, good)
		}
	}
}

// behaviour 3.1: 10 s for the call, body included.
func TestBootstrapTakesTenSeconds(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"half a body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, `{"device_id":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			listener := newMemory()
			server := &http.Server{Handler: hang}
			go func() { _ = server.Serve(listener) }()
			client := &http.Client{Transport: &http.Transport{DialContext: listener.dial, DisableKeepAlives: true}}
			began := time.Now()
			_, err := transport.Bootstrap(t.Context(), client, "http://core.test/api/v1?secret="+credential, device, credential)
			if err == nil || strings.Contains(err.Error(), credential) || time.Since(began) != proto.BootstrapTimeout {
				t.Errorf("%s: got %v after %v, want an error after 10 s", name, err, time.Since(began))
			}
			_ = server.Close()
			synctest.Wait()
		})
	}
}
