package gateway_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// behaviour 4.1: acknowledgement waiters.
func TestDecisionWaiter(t *testing.T) {
	t.Parallel()
	ack := &proto.DecisionAck{DeliveryID: "cancel:run", Applied: true}
	bubble(t, "answer", func(t *testing.T) {
		p, w, _ := awaiting(t)
		p.send("run", &proto.DecisionAck{DeliveryID: "cancel:other", Applied: true})
		p.send("run", ack)
		got, err := w.Wait(t.Context())
		if err != nil || !got.Applied || got.DeliveryID != "cancel:run" {
			t.Errorf("got %+v, %v, want the receipt of this delivery", got, err)
		}
	})
	bubble(t, "15 seconds", func(t *testing.T) {
		_, w, c := awaiting(t)
		start := time.Now()
		_, err := w.Wait(t.Context())
		endedWith(t, err, gateway.ErrUnconfirmed)
		endedWith(t, err, gateway.ErrNoAnswer)
		if waited := time.Since(start); waited != 15*time.Second {
			t.Errorf("got an end after %s, want 15s", waited)
		}
		if _, err := c.AwaitDecision("cancel:run"); err != nil {
			t.Errorf("got %v after the end, want the id free", err)
		}
	})
	bubble(t, "caller gives up", func(t *testing.T) {
		_, w, _ := awaiting(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := w.Wait(ctx)
		endedWith(t, err, gateway.ErrUnconfirmed)
		endedWith(t, err, context.DeadlineExceeded)
	})
	bubble(t, "a queued answer counts though ctx and connection ended", func(t *testing.T) {
		p, w, c := awaiting(t)
		p.send("run", ack)
		synctest.Wait()
		_ = p.ws.Close()
		<-c.Done()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := w.Wait(ctx); err != nil || !got.Applied {
			t.Errorf("got %+v, %v, want the receipt", got, err)
		}
	})
	bubble(t, "connection ends", func(t *testing.T) {
		p, w, _ := awaiting(t)
		p.send("run", &proto.Done{})
		_ = p.ws.Close()
		_, err := w.Wait(t.Context())
		endedWith(t, err, gateway.ErrUnconfirmed) // a done is no receipt
		endedWith(t, err, gateway.ErrSessionClosed)
	})
	bubble(t, "invalid receipt", func(t *testing.T) {
		p, w, _ := awaiting(t)
		p.text(`{"type":"interaction_decision_ack","id":"run","payload":{"delivery_id":"cancel:run","applied":true,"error_code":"cancel_failed"}}`)
		var observation *gateway.ObservationError
		_, err := w.Wait(t.Context())
		endedWith(t, err, gateway.ErrUnconfirmed)
		endedWith(t, err, &observation)
	})
	bubble(t, "closed", func(t *testing.T) {
		p, w, c := awaiting(t)
		w.Close()
		w.Close()
		p.send("run", ack)
		synctest.Wait()
		if _, err := c.AwaitDecision("cancel:run"); err != nil {
			t.Errorf("got %v, want the id free", err)
		}
	})
}

// awaiting gives a waiter for cancel:run, whose id was given with blanks around.
func awaiting(t *testing.T) (*peer, *gateway.Waiter, *gateway.Connection) {
	t.Helper()
	p, c := newRig(t, nil).dial("one")
	w, err := c.AwaitDecision(" cancel:run\t")
	if err != nil {
		t.Fatal(err)
	}
	return p, w, c
}

// behaviour 4.1
func TestWaitersNeedAnIDOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, c := r.dial("one")
		decide := func(id string) error { _, err := c.AwaitDecision(id); return err }
		steer := func(run, input string) error { _, err := c.AwaitInput(run, input); return err }
		for _, tc := range []struct {
			got, want error
		}{
			{decide("a"), nil}, {decide(" a "), gateway.ErrDuplicate}, {decide(""), gateway.ErrBlank}, {decide(" "), gateway.ErrBlank},
			{steer("run", "1"), nil}, {steer("run", "1"), gateway.ErrDuplicate}, {steer("run2", "1"), nil}, {steer("ru", "n1"), nil},
			{steer("", "1"), gateway.ErrBlank}, {steer("run", " "), gateway.ErrBlank},
		} {
			endedWith(t, tc.got, tc.want)
		}
		r.gateway.Close()
		endedWith(t, decide("b"), gateway.ErrSessionClosed)
		endedWith(t, steer("run", "2"), gateway.ErrSessionClosed)
	})
}

// wire 3.9.2: written, then accepted; neither is an event of the Run.
func TestInputWaiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		run, err := c.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		w, err := c.AwaitInput("run", "7")
		if err != nil {
			t.Fatal(err)
		}
		p.send("other", &proto.PromptSteerAck{InputID: "7", Accepted: true})
		p.send("run", &proto.PromptSteerAck{InputID: "8", Accepted: true})
		p.send("run", &proto.PromptSteerAck{InputID: "7", Written: true})
		p.send("run", &proto.PromptSteerAck{InputID: "7", Accepted: true})
		p.send("run", &proto.PromptSteerAck{InputID: "7", ErrorCode: proto.CodeBusy})
		synctest.Wait()
		for _, want := range []proto.PromptSteerAck{{InputID: "7", Written: true}, {InputID: "7", Accepted: true}} {
			if got, err := w.Wait(t.Context()); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		}
		if _, err := w.Wait(t.Context()); !errors.Is(err, gateway.ErrUnconfirmed) {
			t.Errorf("got %v for a third receipt, want ErrUnconfirmed", err)
		}
		keptOn(t, p, run)

		ending, err := c.AwaitInput("run", "9")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), proto.WrittenWait)
		defer cancel()
		_, err = ending.Wait(ctx)
		endedWith(t, err, gateway.ErrUnconfirmed)
		if waited := time.Since(start); waited != 30*time.Second {
			t.Errorf("got an end after %s, want the caller's 30s", waited)
		}
		p.send("run", &proto.PromptSteerAck{InputID: "9", Written: true}) // still waited for: written counts when it comes
		if got, err := ending.Wait(t.Context()); err != nil || !got.Written {
			t.Errorf("got %+v, %v, want written", got, err)
		}
		_ = p.ws.Close()
		_, err = ending.Wait(t.Context())
		endedWith(t, err, gateway.ErrSessionClosed)
		ending.Close()
	})
}
