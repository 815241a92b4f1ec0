package server_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"parley/backend/server"
	"parley/backend/store"
)

// explosive is a store that panics with something private.
type explosive struct{ server.Store }

func (explosive) Record(context.Context, string) (store.Record, error) { panic("canary-of-the-panic") }

// A handler that panics answers nothing, the place is in the log, the value is nowhere, and the server goes on.
func TestPanicEndsItsConnectionOnly(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Store = explosive{o.Store} })
	c := h.dial()
	defer c.Close()
	io.WriteString(c, request("GET", "/api/v1/lab/records/x/answer", h.addr, "", "Authorization: Bearer "+apiKey))
	if got, _ := io.ReadAll(c); len(got) != 0 {
		t.Errorf("got %q, want the end of the connection", got)
	}
	if log := h.log.String(); !strings.Contains(log, "handler panicked") || !strings.Contains(log, "panic_test.go") || strings.Contains(log, "canary-of-the-panic") {
		t.Errorf("log %q: want the place without the value", log)
	}
	if got := h.call("GET", "/healthz", ""); got.status != 200 {
		t.Errorf("afterwards: got %d, want 200", got.status)
	}
}
