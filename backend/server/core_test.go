package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/backend/server"
)

// fakeCore stands for Core's side; its lines come back as they went in.
type fakeCore struct {
	woken int
	own   bool
	fails bool
}

func (f *fakeCore) Runtimes(context.Context) (server.Runtimes, error) {
	if f.fails {
		return server.Runtimes{}, errors.New("the store is gone")
	}
	lab := server.Runtime{DeviceID: "d1", Name: "lab", Own: true, Online: true, Kinds: []server.RuntimeKind{}}
	return server.Runtimes{List: []server.Runtime{lab}, Revoked: 2}, nil
}

func (f *fakeCore) Wake() bool {
	f.woken++
	return f.own
}

func (f *fakeCore) Drive(_ context.Context, line []byte) ([]byte, error) { return line, nil }

func TestRuntimesAreListedWokenAndDriven(t *testing.T) {
	t.Parallel()
	core := &fakeCore{own: true}
	h := openHouse(t, func(o *server.Options) { o.Core = core })
	if got := h.call("GET", "/api/v1/lab/runtimes", ""); got.status != 200 || !strings.Contains(got.body, `"device_id":"d1"`) || !strings.Contains(got.body, `"revoked":2`) {
		t.Errorf("list: got %d %q", got.status, got.body)
	}
	if got := h.call("POST", "/api/v1/lab/runtimes/own/wake", ""); got.status != 204 || core.woken != 1 {
		t.Errorf("wake: got %d after %d wakes, want 204 and 1", got.status, core.woken)
	}
	if got := h.call("POST", "/api/v1/lab/core/drive", `{"do":"connected"}`); got.status != 200 || got.body != `{"do":"connected"}` {
		t.Errorf("drive: got %d %q", got.status, got.body)
	}
	core.own, core.fails = false, true
	if got := h.call("POST", "/api/v1/lab/runtimes/own/wake", ""); got.status != 404 {
		t.Errorf("wake without a runtime: got %d, want 404", got.status)
	}
	if got := h.call("GET", "/api/v1/lab/runtimes", ""); got.status != 500 || strings.Contains(got.body, "store is gone") {
		t.Errorf("list that fails: got %d %q, want 500 without the cause", got.status, got.body)
	}
}

func TestWithoutCoreThereAreNoRuntimes(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Core = nil })
	if got := h.call("GET", "/api/v1/lab/runtimes", ""); got.status != 404 {
		t.Errorf("got %d, want 404", got.status)
	}
}
