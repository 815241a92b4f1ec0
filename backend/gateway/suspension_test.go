package gateway_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// behaviour 4.2, wire 3.11: both requests, with every kind of reply.
func TestSuspension(t *testing.T) {
	t.Parallel()
	refused, observation := &gateway.RefusedError{}, &gateway.ObservationError{}
	s := proto.Suspension{EnvironmentID: "environment", SuspendID: "suspend"}
	for name, tc := range map[string]struct {
		reply string // REPLY stands for the right type
		err   []any
	}{
		"accepted":             {`{"environment_id":"environment","suspend_id":"suspend","accepted":true}`, nil},
		"refused":              {`{"environment_id":"environment","suspend_id":"suspend","accepted":false,"error_code":"resource_busy"}`, []any{&refused}},
		"accepted with a code": {`{"environment_id":"environment","suspend_id":"suspend","accepted":true,"error_code":"resource_busy"}`, []any{gateway.ErrUnconfirmed, &observation}},
		"other environment":    {`{"environment_id":"other","suspend_id":"suspend","accepted":true}`, []any{gateway.ErrUnconfirmed, &observation}},
		"other suspension":     {`{"environment_id":"environment","suspend_id":"other","accepted":true}`, []any{gateway.ErrUnconfirmed, &observation}},
		"does not decode":      {`{"accepted":"yes"}`, []any{gateway.ErrUnconfirmed, &observation}},
	} {
		for _, verb := range []struct {
			name string
			ask  func(c *gateway.Connection, ctx context.Context, id string, s proto.Suspension) error
			sent proto.Type
			by   proto.Type
			not  proto.Type
		}{
			{"quiesce", (*gateway.Connection).Quiesce, proto.TypeEnvironmentQuiesce, proto.TypeEnvironmentQuiesced, proto.TypeEnvironmentResumed},
			{"resume", (*gateway.Connection).Resume, proto.TypeEnvironmentResume, proto.TypeEnvironmentResumed, proto.TypeEnvironmentQuiesced},
		} {
			ask := func(t *testing.T) (*peer, chan outcome[bool]) {
				p, c := newRig(t, nil).dial("one")
				got := beside(func() (bool, error) { return true, verb.ask(c, t.Context(), "request", s) })
				if f := p.next(); f.Type != verb.sent || f.ID != "request" {
					t.Fatalf("got %s %q, want %s", f.Type, f.ID, verb.sent)
				}
				return p, got
			}
			bubble(t, verb.name+", "+name, func(t *testing.T) {
				p, got := ask(t)
				p.text(`{"type":"` + string(verb.by) + `","id":"request","payload":` + tc.reply + `}`)
				// The Runtime ends the connection right after its reply (behaviour 7.5): that is still read.
				_ = p.ws.Close()
				g := <-got
				if tc.err == nil {
					endedWith(t, g.err, nil)
				}
				for _, want := range tc.err {
					endedWith(t, g.err, want)
				}
			})
			bubble(t, verb.name+", reply of the other type, "+name, func(t *testing.T) {
				p, got := ask(t)
				p.text(`{"type":"` + string(verb.not) + `","id":"request","payload":` + tc.reply + `}`)
				g := <-got
				endedWith(t, g.err, gateway.ErrUnconfirmed)
				endedWith(t, g.err, &observation)
			})
		}
	}
}

// behaviour 4.2: two at once, the caller's wait.
func TestSuspensionsAreBounded(t *testing.T) {
	t.Parallel()
	s := proto.Suspension{EnvironmentID: "environment", SuspendID: "suspend"}
	bubble(t, "two at once", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		first := beside(func() (bool, error) { return true, c.Quiesce(t.Context(), "1", s) })
		second := beside(func() (bool, error) { return true, c.Resume(t.Context(), "2", s) })
		p.next()
		p.next()
		endedWith(t, c.Resume(t.Context(), "3", s), gateway.ErrBusy)
		endedWith(t, c.Resume(t.Context(), "2", s), gateway.ErrDuplicate)
		_ = p.ws.Close()
		for _, got := range []chan outcome[bool]{first, second} {
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, gateway.ErrSessionClosed)
		}
	})
	bubble(t, "the caller's wait", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		ctx, cancel := context.WithTimeout(t.Context(), proto.QuiesceTimeout)
		defer cancel()
		start := time.Now()
		err := c.Quiesce(ctx, "1", s)
		endedWith(t, err, gateway.ErrUnconfirmed)
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("got an end after %s, want the caller's 5s", waited)
		}
		p.next()
		p.silent()
	})
	bubble(t, "what is wrong with the request", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		for _, bad := range []proto.Suspension{{EnvironmentID: "environment"}, {SuspendID: "suspend"},
			{EnvironmentID: "environment", SuspendID: "suspend", Rollback: true}} {
			if err := c.Quiesce(t.Context(), "1", bad); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
				t.Errorf("got %v for %+v, want a definite error", err, bad)
			}
		}
		p.silent()
	})
}
