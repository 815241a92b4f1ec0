package transport_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

// behaviour 3.3: no redial before the old router's end is confirmed; 5 s wait, 1 s pause, without limit.
func TestNoRedialBeforeTheRouterEnded(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		shutdown func(ctx context.Context, call int) error
		after    []time.Duration // of each call since the first
	}{
		"cleanup fails three times": {
			shutdown: func(_ context.Context, call int) error {
				if call <= 3 {
					return errHeld
				}
				return nil
			},
			after: []time.Duration{0, 1 * time.Second, 2 * time.Second, 3 * time.Second},
		},
		"waits run out": {
			shutdown: func(ctx context.Context, call int) error {
				if call <= 2 {
					<-ctx.Done()
					return ctx.Err()
				}
				return nil
			},
			after: []time.Duration{0, 6 * time.Second, 12 * time.Second},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := &core{use: func(attempt int, conn *socket.Conn) {
				if attempt > 1 {
					_ = drain(conn)
				}
			}}
			r := inBubble(t, c, func(n int) *router {
				if n == 1 {
					return &router{shutdown: tc.shutdown}
				}
				return plain(n)
			})
			stop, result := run(t, r)
			pass(time.Minute)
			downs := r.routers()[0].downs
			if len(downs) != len(tc.after) {
				t.Fatalf("%s: got %d shutdowns, want %d", name, len(downs), len(tc.after))
			}
			for i, want := range tc.after {
				if got := downs[i].Sub(downs[0]); got != want {
					t.Errorf("%s: shutdown %d after %v, want %v", name, i+1, got, want)
				}
			}
			if got := c.attempts()[1].Sub(downs[len(downs)-1]); got != time.Second {
				t.Errorf("%s: redialled %v after the confirmed end, want 1s", name, got)
			}
			stop()
			_ = result()
		})
	}
}

// behaviour 3.3: the end of the process obeys the same rule; the connection ends with 1000 first.
func TestStopWaitsForTheRouter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c := &core{use: func(_ int, conn *socket.Conn) { ended <- drain(conn) }}
		var released atomic.Bool
		r := inBubble(t, c, func(int) *router {
			return &router{shutdown: func(context.Context, int) error {
				if released.Load() {
					return nil
				}
				return errHeld
			}}
		})
		returned := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { returned <- r.Run(ctx) }()
		pass(time.Minute)
		cancel()
		if got := socket.Code(<-ended); got != proto.CloseNormal {
			t.Errorf("got code %d, want 1000", got)
		}
		pass(10 * time.Minute)
		select {
		case err := <-returned:
			t.Fatalf("Run returned %v while native work is held", err)
		default:
		}
		if got := r.State().Phase; got != transport.Clearing {
			t.Errorf("got %v, want clearing", got)
		}
		released.Store(true)
		if err := <-returned; err != nil {
			t.Errorf("got %v, want nil", err)
		}
		if s := r.State(); s.Phase != transport.Stopped || s.Err != nil {
			t.Errorf("got %+v, want stopped without an error", s)
		}
	})
}

// behaviour 3.3: a stop is seen wherever the Runtime is.
func TestStopWhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*core{
		"waiting for the next attempt": {refuse: func(int) (int, string) { return 503, "" }},
		"the handshake hangs":          {refuse: func(int) (int, string) { <-time.After(8 * time.Second); return 503, "" }},
		"pausing after an end":         {},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := inBubble(t, c, plain)
			stop, result := run(t, r)
			pass(400 * time.Millisecond)
			began := time.Now()
			stop()
			if err := result(); err != nil {
				t.Errorf("%s: got %v, want nil", name, err)
			}
			if got := time.Since(began); got > 0 {
				t.Errorf("%s: stopped after %v, want at once", name, got)
			}
			pass(10 * time.Second) // a hanging handler comes to its end
		})
	}
}

// behaviour 3.3: a permanent refusal stops only after the router has ended.
func TestRetiredWaitsForTheRouter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{use: func(_ int, conn *socket.Conn) { conn.Close(proto.CloseRetired, "runtime retired") }}
		r := inBubble(t, c, func(int) *router {
			return &router{shutdown: func(_ context.Context, call int) error {
				if call < 5 {
					return errHeld
				}
				return nil
			}}
		})
		_, result := run(t, r)
		if err := result(); err == nil {
			t.Error("got nil, want a permanent error")
		}
		if got := len(r.routers()[0].downs); got != 5 || !r.routers()[0].ended {
			t.Errorf("got %d shutdowns, want 5 with the last confirmed", got)
		}
	})
}

// behaviour 2.2: a heartbeat that fails because Core is closing does not hide the closing code.
func TestRetiredDuringAHeartbeat(t *testing.T) {
	t.Parallel()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			c := &core{use: func(_ int, conn *socket.Conn) { conn.Close(proto.CloseRetired, "runtime retired") }}
			_, result := run(t, inBubble(t, c, plain))
			if err := result(); !errors.Is(err, transport.ErrRetired) || len(c.attempts()) != 1 {
				t.Errorf("got %v after %d attempts, want the retirement after one", err, len(c.attempts()))
			}
		})
	}
}
