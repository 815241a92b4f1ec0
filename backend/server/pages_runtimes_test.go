package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/backend/server"
)

// listed is Core's side with a list of its own.
type listed struct {
	server.Core
	list []server.Runtime
	err  error
}

func (l listed) Runtimes(context.Context) (server.Runtimes, error) {
	return server.Runtimes{List: l.list, Revoked: 3}, l.err
}

func crowdOfTwo() []server.Runtime {
	at := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	return []server.Runtime{
		{DeviceID: "d1", Name: "quay-east", Online: true, Declared: true, LastSeen: at,
			Connection: &server.RuntimeConnection{Since: at, Build: "9.8.7", Active: 4, In: 1234, Out: 5, Dropped: 6},
			LastEnd:    &server.RuntimeEnd{At: at, ByCore: true, Code: 1002, Why: "invalid heartbeat"},
			Kinds:      []server.RuntimeKind{{Kind: "scripted", Available: true, Version: "v3", Capabilities: []string{"streaming"}}}},
		{DeviceID: "d2", Name: "lab", Own: true, State: "waiting", StateSince: at, Failures: 3, NextAttempt: at, LastError: "no route", Kinds: []server.RuntimeKind{}},
	}
}

// ux-anchors 2, F22: what Core and the lab's own Runtime know reaches the page, and the parts that an open page asks for.
func TestRuntimesPageTellsWhatIsKnown(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Core = listed{list: crowdOfTwo()} })
	east := []string{"1,234 in, 5 out", "9.8.7", "4 active at the last heartbeat", "closed by Core, code 1002: invalid heartbeat", "1 of 25 capabilities supported", "v3"}
	own := []string{"3 failed in a row", "no route", "waiting since", "waits for its next attempt", "lab: waiting", canaryPath[1:], h.addr, "3 devices more may not connect: revoked."}
	for path, tt := range map[string]struct {
		status int
		parts  []string
	}{
		"/runtimes":                             {200, own[:5]}, // the lab's own is the first
		"/runtimes/d1":                          {200, append(east, own[3:]...)},
		"/runtimes/d2":                          {200, own},
		"/runtimes/d3":                          {404, []string{"No Runtime has this id", "quay-east"}},
		"/api/v1/lab/runtimes/screen":           {200, own[:5]},
		"/api/v1/lab/runtimes/screen?device=d1": {200, east},
		"/api/v1/lab/runtimes/screen?device=d3": {200, []string{"No Runtime has this id"}},
		"/api/v1/lab/runtimes/rail":             {200, []string{"lab: waiting"}},
		"/runner":                               {200, []string{"lab: waiting", `href="/runtimes"`}},
		"/runs":                                 {200, []string{"lab: waiting", `href="/runtimes"`}},
		"/runtimes/%3Cscript%3Eowned%28%29":     {404, []string{"&lt;script&gt;owned()"}},
	} {
		got := h.call("GET", path, "")
		if got.status != tt.status || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s, want HTML with %d", path, got.status, got.header.Get("Content-Type"), tt.status)
		}
		for _, part := range tt.parts {
			if !strings.Contains(got.body, part) {
				t.Errorf("%s: got a page without %q", path, part)
			}
		}
	}
}

// A list that cannot be read is said to be that, without its cause; no page fails because of it.
func TestPagesWithoutAList(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Core = listed{err: errors.New("canary of the cause")} })
	for path, want := range map[string]string{"/runtimes": "runtimes_unreadable", "/runtimes/d1": "runtimes_unreadable", "/runs": "not read", "/runner": "not read",
		"/api/v1/lab/runtimes/screen": "runtimes_unreadable", "/api/v1/lab/runtimes/rail": "not read"} {
		got := h.call("GET", path, "")
		if got.status != 200 || !strings.Contains(got.body, want) || strings.Contains(got.body, "canary of the cause") {
			t.Errorf("%s: got %d, want a page with %q and without the cause", path, got.status, want)
		}
	}
}

// Without Core, and beyond this machine, nothing of the Runtimes is there.
func TestPagesWithoutCore(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Core = nil })
	for _, path := range []string{"/runtimes", "/runtimes/d1", "/api/v1/lab/runtimes/screen", "/api/v1/lab/runtimes/rail"} {
		if got := h.call("GET", path, ""); got.status != 404 {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
	}
	if got := h.call("GET", "/runs", ""); got.status != 200 || strings.Contains(got.body, "untimes") {
		t.Errorf("history: got %d, want it without a word of Runtimes", got.status)
	}
}
