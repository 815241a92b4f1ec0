package gateway_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// drain takes what is left until the channel closes.
func drain[T any](events <-chan T) []T {
	var all []T
	for e := range events {
		all = append(all, e)
	}
	return all
}

// behaviour 4.1: how a Run subscription ends. Each case sends, then says what was delivered and why it closed.
func TestRunSubscriptionEnds(t *testing.T) {
	t.Parallel()
	var observation *gateway.ObservationError
	for name, tc := range map[string]struct {
		act  func(p *peer, c *gateway.Connection, s *gateway.Subscription)
		want int // frames delivered before
		err  any // nil, an error for errors.Is, or a target for errors.As
	}{
		"done": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.send("run", &proto.Delta{Delta: "a", Sequence: 1})
			p.send("run", &proto.Failure{Error: "not terminal"})
			p.send("run", &proto.Done{})
			p.send("run", &proto.Delta{Delta: "late", Sequence: 2})
		}, 3, nil},
		"unsubscribe": {func(p *peer, _ *gateway.Connection, s *gateway.Subscription) {
			p.send("run", &proto.Delta{Delta: "a", Sequence: 1})
			synctest.Wait()
			s.Unsubscribe()
			s.Unsubscribe()
			p.send("run", &proto.Done{})
		}, 1, nil},
		"second subscription": {func(p *peer, c *gateway.Connection, _ *gateway.Subscription) {
			p.send("run", &proto.Delta{Delta: "a", Sequence: 1})
			synctest.Wait()
			second, err := c.SubscribeDurable("run")
			if err != nil {
				p.t.Fatal(err)
			}
			p.send("run", &proto.Done{})
			if got := drain(second.Events()); len(got) != 1 || second.Err() != nil {
				p.t.Errorf("got %d frames and %v on the second, want done alone", len(got), second.Err())
			}
		}, 1, gateway.ErrSessionClosed},
		"connection ends": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.send("run", &proto.Delta{Delta: "a", Sequence: 1})
			_ = p.ws.Close()
		}, 1, gateway.ErrSessionClosed},
		"overflow": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			for i := range 300 {
				p.send("run", &proto.Delta{Delta: "a", Sequence: uint64(i + 1)})
			}
			p.send("run", &proto.Done{})
		}, 256, gateway.ErrOverflow},
		"done into a full buffer": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			for i := range 256 {
				p.send("run", &proto.Delta{Delta: "a", Sequence: uint64(i + 1)})
			}
			p.send("run", &proto.Done{})
		}, 256, gateway.ErrOverflow},
		"full and done within": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			for i := range 255 {
				p.send("run", &proto.Delta{Delta: "a", Sequence: uint64(i + 1)})
			}
			p.send("run", &proto.Done{})
		}, 256, nil},
		"payload does not decode": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.send("run", &proto.Delta{Delta: "a", Sequence: 1})
			p.text(`{"type":"delta","id":"run","payload":{"delta":7}}`)
			p.send("run", &proto.Done{})
		}, 1, &observation},
		"strict payload": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.text(`{"type":"tool_call","id":"run","payload":{"surprise":1}}`)
		}, 0, &observation},
		"invalid payload": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.text(`{"type":"output_message","id":"run","payload":{"id":"","status":"perhaps"}}`)
		}, 0, &observation},
		"unknown type is passed on": {func(p *peer, _ *gateway.Connection, _ *gateway.Subscription) {
			p.text(`{"type":"news","id":"run","payload":{"x":1}}`)
			p.send("run", &proto.Done{})
		}, 2, nil},
	} {
		bubble(t, name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			s, err := c.SubscribeDurable("run")
			if err != nil {
				t.Fatal(err)
			}
			other, err := c.SubscribeDurable("other")
			if err != nil {
				t.Fatal(err)
			}
			tc.act(p, c, s)
			synctest.Wait()
			got := drain(s.Events())
			if len(got) != tc.want {
				t.Errorf("got %d frames, want %d", len(got), tc.want)
			}
			for _, f := range got {
				if f.ID != "run" || (f.Payload == nil && f.Type != "news") {
					t.Errorf("got %s of %q, want a typed frame of the Run", f.Type, f.ID)
				}
			}
			endedWith(t, s.Err(), tc.err)
			p.frameless(c)
			if c.Send(t.Context(), proto.New("run", &proto.PromptCancel{})) != nil {
				return // the connection was ended by the case
			}
			p.send("other", &proto.Done{})
			if got := drain(other.Events()); len(got) != 1 || other.Err() != nil {
				t.Errorf("got %d frames and %v for another Run, want it unhurt", len(got), other.Err())
			}
		})
	}
}

// endedWith compares by errors.Is, errors.As or nil.
func endedWith(t *testing.T, got error, want any) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		if got != nil {
			t.Errorf("got error %v, want none", got)
		}
	case error:
		if !errors.Is(got, want) {
			t.Errorf("got error %v, want %v", got, want)
		}
	default:
		fresh := reflect.New(reflect.TypeOf(want).Elem()) // want is shared by parallel cases
		if !errors.As(got, fresh.Interface()) {
			t.Errorf("got error %v, want one of %T", got, want)
		}
	}
}

// frameless checks that Core said nothing of its own to the peer.
func (p *peer) frameless(c *gateway.Connection) {
	p.t.Helper()
	select {
	case <-c.Done():
	default:
		p.silent()
	}
}

// behaviour 4.1: in order, and each Run's frames to its own observer.
func TestRunFramesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		var subs []*gateway.Subscription
		for i := range 3 {
			s, err := c.SubscribeDurable(fmt.Sprint("run", i))
			if err != nil {
				t.Fatal(err)
			}
			subs = append(subs, s)
		}
		for i := range 60 {
			p.send(fmt.Sprint("run", i%3), &proto.Delta{Delta: "x", Sequence: uint64(i/3 + 1)})
		}
		synctest.Wait()
		for i, s := range subs {
			for want := range uint64(20) {
				f := <-s.Events()
				if delta, ok := f.Payload.(*proto.Delta); !ok || delta.Sequence != want+1 {
					t.Fatalf("got %v for run%d, want sequence %d", f.Payload, i, want+1)
				}
			}
			if s.Err() != nil {
				t.Errorf("got %v while it is open, want nil", s.Err())
			}
		}
	})
}

// behaviour 4.1
func TestRunSubscriptionNeedsAnID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, c := r.dial("one")
		for _, id := range []string{"", " "} {
			if _, err := c.SubscribeDurable(id); !errors.Is(err, gateway.ErrBlank) {
				t.Errorf("got %v for %q, want ErrBlank", err, id)
			}
		}
		r.gateway.Close()
		if _, err := c.SubscribeDurable("run"); !errors.Is(err, gateway.ErrSessionClosed) {
			t.Errorf("got %v after the end, want ErrSessionClosed", err)
		}
	})
}
