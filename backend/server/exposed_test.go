package server_test

import (
	"net/http"
	"slices"
	"testing"

	"parley/backend/server"
)

// hostile-inputs 2: beyond this machine only the offline runner contract, the machine connection and Core's API answer.
func TestExposedServerHasTheContractsOnly(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) {
		*o = server.Options{Runner: o.Runner, Now: o.Now, Log: o.Log, Machine: o.Machine, API: o.API, Exposed: true}
	})
	eachRoute(t, func(t *testing.T, r server.Route, e expectation) {
		got := h.raw(request(r.Method, e.path, "some.example", e.body, withKey(r)...))
		want := http.StatusNotFound
		if slices.Contains([]server.Group{server.GroupContract, server.GroupMachine, server.GroupCore}, r.Group) ||
			r.Path == "/healthz" || r.Path == "/v1/openapi.json" {
			want = e.fine
		}
		if got.status != want {
			t.Errorf("got %d, want %d", got.status, want)
		}
	})
}

func TestServerNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("got a server made of nothing, want an error")
	}
}
