package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// state is a status of the handle h, or another one.
func state(handle string, revision uint64, name string) *proto.PreparationStatus {
	s := &proto.PreparationStatus{Handle: handle, Revision: revision, State: name, ExecutorID: "executor", ExpiresAt: 1_800_000_000_000}
	switch name {
	case proto.StateStarting, proto.StateStarted:
		s.RunID = "run"
	case proto.StateFailed:
		s.ErrorCode = proto.CodePreparationFailed
	}
	return s
}

func rejection(code string) *proto.PreparationStatus {
	return &proto.PreparationStatus{State: proto.StateRejected, ErrorCode: code, Operation: proto.TypeExecutionPrepare}
}

// behaviour 4.1: what a preparation subscription delivers, and what ends it.
func TestPreparationSubscription(t *testing.T) {
	t.Parallel()
	var observation *gateway.ObservationError
	for name, tc := range map[string]struct {
		send []*proto.PreparationStatus
		text string // sent after
		end  bool   // the peer ends the connection
		want []uint64
		open bool
		err  any
	}{
		"rising revisions": {send: []*proto.PreparationStatus{state("h", 1, "preparing"), state("h", 2, "ready")},
			want: []uint64{1, 2}, open: true},
		"what does not concern it is dropped": {send: []*proto.PreparationStatus{state("", 1, "preparing"), state("h", 0, "preparing"),
			state("h", 1, "preparing"), state("other", 2, "ready"), state("h", 1, "ready"), state("h", 3, "ready"), state("h", 2, "ready")},
			want: []uint64{1, 3}, open: true},
		"a rejection passes and changes nothing": {send: []*proto.PreparationStatus{state("h", 2, "ready"), rejection("invalid_request"),
			state("h", 2, "ready"), state("h", 3, "starting")}, want: []uint64{2, 0, 3}, open: true},
		"a rejection does not set the handle": {send: []*proto.PreparationStatus{
			{State: "rejected", ErrorCode: "unknown_preparation", Operation: proto.TypeExecutionStart, Handle: "other", ExecutorID: "executor"},
			state("h", 1, "ready")}, want: []uint64{0, 1}, open: true},
		"started": {send: []*proto.PreparationStatus{state("h", 3, "starting"), state("h", 4, "started"), state("h", 5, "failed")},
			want: []uint64{3, 4}},
		"released":        {send: []*proto.PreparationStatus{state("h", 2, "released"), rejection("invalid_request")}, want: []uint64{2}},
		"expired":         {send: []*proto.PreparationStatus{state("h", 2, "expired")}, want: []uint64{2}},
		"failed":          {send: []*proto.PreparationStatus{state("h", 2, "failed")}, want: []uint64{2}},
		"overflow":        {send: rising(17), want: revisions(16), err: gateway.ErrOverflow},
		"16 are held":     {send: rising(16), want: revisions(16), open: true},
		"connection ends": {send: rising(2), end: true, want: revisions(2), err: gateway.ErrSessionClosed},
		"payload does not decode": {send: rising(1), text: `{"type":"preparation_status","id":"prepare","payload":{"handle":7}}`,
			want: revisions(1), err: &observation},
		"invalid payload": {send: rising(1), text: `{"type":"preparation_status","id":"prepare","payload":{"handle":"h","revision":9,"state":"perhaps"}}`,
			want: revisions(1), err: &observation},
	} {
		bubble(t, name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			s, err := c.SubscribePreparation("prepare")
			if err != nil {
				t.Fatal(err)
			}
			for _, status := range tc.send {
				p.send("prepare", status)
			}
			if tc.text != "" {
				p.text(tc.text)
			}
			if tc.end {
				_ = p.ws.Close()
			}
			synctest.Wait()
			if tc.open {
				if s.Err() != nil {
					t.Errorf("got %v while it is open, want nil", s.Err())
				}
				s.Unsubscribe()
			}
			var got []uint64
			for _, status := range drain(s.Statuses()) {
				got = append(got, status.Revision)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got revisions %v, want %v", got, tc.want)
			}
			endedWith(t, s.Err(), tc.err)
			if _, err := c.SubscribePreparation("prepare"); !tc.end && err != nil {
				t.Errorf("got %v after it ended, want the id free", err)
			}
			p.frameless(c)
		})
	}
}

func rising(n int) []*proto.PreparationStatus {
	var all []*proto.PreparationStatus
	for _, r := range revisions(n) {
		all = append(all, state("h", r, "preparing"))
	}
	return all
}

func revisions(n int) []uint64 {
	var all []uint64
	for i := range n {
		all = append(all, uint64(i+1))
	}
	return all
}

// behaviour 4.1: 64 at most, each id once and not blank.
func TestPreparationSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		_, c := r.dial("one")
		var last *gateway.PreparationSubscription
		for i := range 64 {
			s, err := c.SubscribePreparation(fmt.Sprint("prepare", i))
			if err != nil {
				t.Fatalf("got %v for number %d, want 64 of them", err, i)
			}
			last = s
		}
		for id, want := range map[string]error{"": gateway.ErrBlank, "\t": gateway.ErrBlank,
			"prepare1": gateway.ErrDuplicate, "more": gateway.ErrBusy} {
			if _, err := c.SubscribePreparation(id); !errors.Is(err, want) {
				t.Errorf("got %v for %q, want %v", err, id, want)
			}
		}
		last.Unsubscribe()
		if _, err := c.SubscribePreparation("more"); err != nil {
			t.Errorf("got %v after one ended, want room", err)
		}
		r.gateway.Close()
		if _, err := c.SubscribePreparation("late"); !errors.Is(err, gateway.ErrSessionClosed) {
			t.Errorf("got %v after the end, want ErrSessionClosed", err)
		}
	})
}
