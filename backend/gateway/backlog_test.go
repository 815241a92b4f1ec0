package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// nearly is a text that makes a frame of almost 4 MiB.
func nearly() string { return strings.Repeat("x", proto.MaxFrame-200) }

// wire 1.7: a Run's buffer is bounded in bytes beside its count.
func TestRunSubscriptionIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	const fit = gateway.RunBytes / (proto.MaxFrame - 200)
	large := func(p *peer, first, n int) {
		text := nearly()
		for i := range n {
			p.send("run", &proto.Delta{Delta: text, Sequence: uint64(first + i)})
		}
	}
	bubble(t, "overflow after those that fit", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		s, err := c.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		large(p, 1, fit+2)
		synctest.Wait()
		if got := drain(s.Events()); len(got) != fit {
			t.Errorf("got %d frames of 4 MiB, want the %d that fit into %d bytes", len(got), fit, gateway.RunBytes)
		}
		endedWith(t, s.Err(), gateway.ErrOverflow)
	})
	bubble(t, "what was read makes room", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		s, err := c.SubscribeDurable("run")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			large(p, i*fit+1, fit)
			synctest.Wait()
			for range fit {
				<-s.Events()
			}
		}
		p.send("run", &proto.Done{})
		if got := drain(s.Events()); len(got) != 1 || s.Err() != nil {
			t.Errorf("got %d frames and %v, want done", len(got), s.Err())
		}
	})
}

// wire 1.7: so is that of a preparation; one status is always taken.
func TestPreparationSubscriptionIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		s, err := c.SubscribePreparation("prepare")
		if err != nil {
			t.Fatal(err)
		}
		for revision := range uint64(5) {
			p.text(`{"type":"preparation_status","id":"prepare","payload":{"handle":"h","executor_id":"executor","expires_at":1800000000000,"state":"preparing","revision":` +
				number(int(revision+1)) + `,"other":"` + nearly() + `"}}`)
		}
		synctest.Wait()
		if got := drain(s.Statuses()); len(got) != 1 {
			t.Errorf("got %d statuses of 4 MiB, want the first alone", len(got))
		}
		endedWith(t, s.Err(), gateway.ErrOverflow)
	})
}

// wire 1.7: so are receipts that nobody has read, together; what is over is not known.
func TestRepliesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		const fit = gateway.ReplyBytes / (proto.MaxFrame - 200)
		other := nearly()
		receipts := func() (kept int) {
			var waiters []*gateway.Waiter
			for i := range fit + 2 {
				w, err := c.AwaitDecision(number(i))
				if err != nil {
					t.Fatal(err)
				}
				waiters = append(waiters, w)
				p.text(`{"type":"interaction_decision_ack","id":"run","payload":{"delivery_id":"` + number(i) + `","applied":true,"other":"` + other + `"}}`)
			}
			synctest.Wait()
			for i, w := range waiters {
				if i%2 == 1 {
					w.Close() // gives back what was not read
					continue
				}
				if _, err := w.Wait(t.Context()); err == nil {
					kept += 2
				} else {
					endedWith(t, err, gateway.ErrUnconfirmed)
					endedWith(t, err, gateway.ErrOverflow)
				}
			}
			return kept
		}
		for range 2 { // all of it is given back
			if got := receipts(); got < fit-1 || got > fit+1 {
				t.Errorf("got about %d receipts of 4 MiB, want the %d that fit", got, fit)
			}
		}
	})
}

// behaviour 4.2: the reply to a read that was given up frees its place and is not kept.
func TestReplyToAnAbandonedReadIsNotKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		other := nearly()
		for i := range 5 {
			id := number(i)
			ctx, cancel := context.WithCancel(t.Context())
			read := reading(ctx, c, id, byteRead())
			synctest.Wait()
			cancel()
			<-read
			p.text(`{"type":"workspace_read_result","id":"` + id + `","payload":{"outcome":"rejected","error_code":"not_found","other":"` + other + `"}}`)
			synctest.Wait()
		}
		read := reading(t.Context(), c, "last", byteRead())
		synctest.Wait()
		p.text(`{"type":"workspace_read_result","id":"last","payload":{"outcome":"rejected","error_code":"not_found","other":"` + other + `"}}`)
		var refused *gateway.RefusedError
		got := <-read
		endedWith(t, got.err, &refused)
	})
}
