package transport_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

// behaviour 3.3: the first attempt is immediate, failures double the delay up to 30 s.
func TestScheduleOfFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const failures = 9
		up := make(chan struct{})
		c := &core{
			refuse: func(attempt int) (int, string) {
				if attempt <= failures {
					return http.StatusServiceUnavailable, ""
				}
				return 0, ""
			},
			use: func(_ int, conn *socket.Conn) { close(up); drain(conn) },
		}
		r := inBubble(t, c, plain)
		began := time.Now()
		stop, result := run(t, r)
		<-up
		stop()
		if err := result(); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		times := c.attempts()
		if got := times[0].Sub(began); got != 0 {
			t.Errorf("first attempt after %v, want at once", got)
		}
		want := []time.Duration{1, 2, 4, 8, 16, 30, 30, 30, 30}
		for i, base := range want {
			base *= time.Second
			got := times[i+1].Sub(times[i])
			if got < base*8/10 || got > min(base*12/10, 30*time.Second) {
				t.Errorf("delay after %d failures: got %v, want %v ± 20 %%, at most 30 s", i+1, got, base)
			}
		}
	})
}

// behaviour 3.3: a connection that was established and ended is followed by a pause of 1 s, and failures count anew.
func TestScheduleAfterAnEnd(t *testing.T) {
	t.Parallel()
	for _, code := range []int{proto.CloseNormal, proto.CloseGoingAway, proto.CloseProtocol, 4000} {
		synctest.Test(t, func(t *testing.T) {
			up := make(chan struct{})
			c := &core{
				refuse: func(attempt int) (int, string) {
					if attempt == 1 || attempt == 2 {
						return http.StatusNotFound, ""
					}
					return 0, ""
				},
				use: func(attempt int, conn *socket.Conn) {
					if attempt == 3 {
						conn.Close(code, "")
						return
					}
					close(up)
					drain(conn)
				},
			}
			r := inBubble(t, c, plain)
			stop, result := run(t, r)
			<-up
			synctest.Wait() // Core is up first; the Runtime makes its router a moment later
			stop()
			_ = result()
			times := c.attempts()
			if got := times[3].Sub(times[2]); got != time.Second {
				t.Errorf("code %d: redialled after %v, want 1s", code, got)
			}
			if got := len(r.routers()); got != 2 {
				t.Errorf("code %d: got %d routers, want one a connection", code, got)
			}
		})
	}
}

// behaviour 3.3, 3.4: a Runtime that another one with its profile replaces names the cause, and rests longer and longer
// from the fourth time in a row on; another end makes it patient again.
func TestReplacedByAnotherRuntime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		up := make(chan struct{})
		c := &core{use: func(attempt int, conn *socket.Conn) {
			switch attempt {
			case 7:
				conn.Close(proto.CloseNormal, "another reason")
			case 9:
				close(up)
				_ = drain(conn)
			default:
				conn.Close(proto.CloseNormal, proto.ReplacedReason)
			}
		}}
		r := inBubble(t, c, plain)
		stop, result := run(t, r)
		<-up
		synctest.Wait()
		stop()
		_ = result()
		times := c.attempts()
		for i, want := range []time.Duration{0, 0, 0, 1, 2, 4, 0, 0} { // beside the pause of 1 s
			want *= time.Second
			got := times[i+1].Sub(times[i]) - time.Second
			if got < want*8/10 || got > want*12/10 {
				t.Errorf("after connection %d: got %v beside the pause, want %v ± 20 %%", i+1, got, want)
			}
		}
		const says = "another Runtime connected with this profile; each Runtime needs its own: parley core device create"
		if got := strings.Count(r.log.String(), `level=WARN msg="`+says+`" device=`+device); got != 7 {
			t.Errorf("got %d warnings in\n%s\nwant 7", got, r.log)
		}
		if !slices.ContainsFunc(r.states(), func(s transport.State) bool {
			return s.Phase == transport.Waiting && errors.Is(s.Err, transport.ErrReplaced)
		}) {
			t.Errorf("got states %v, want a wait that names the cause", r.states())
		}
	})
}

// behaviour 3.3: everything but 401, 403, 426 and 4001 is transient.
func TestTransientRefusals(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 302, 400, 404, 405, 429, 500, 502, 503} {
		synctest.Test(t, func(t *testing.T) {
			up := make(chan struct{})
			c := &core{
				refuse: func(attempt int) (int, string) {
					if attempt == 1 {
						return status, `{"error":"internal","detail":"x"}`
					}
					return 0, ""
				},
				use: func(_ int, conn *socket.Conn) { close(up); drain(conn) },
			}
			r := inBubble(t, c, plain)
			stop, result := run(t, r)
			<-up
			var refusal *transport.StatusError
			found := false
			for _, s := range r.states() {
				found = found || s.Phase == transport.Waiting && s.Failures == 1 && errors.As(s.Err, &refusal)
			}
			if !found || refusal.Status != status || refusal.Code != "internal" {
				t.Errorf("status %d: got states %v, want a wait after the refusal", status, r.states())
			}
			stop()
			if err := result(); err != nil {
				t.Errorf("status %d: got %v, want nil", status, err)
			}
		})
	}
}

// behaviour 3.3: a network without a server is transient too.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{}
		client, sockets, listener := inMemory(t, c)
		r := newRuntime(t, "http://core.test/api/v1", client, sockets, plain)
		c.use = func(_ int, conn *socket.Conn) { _ = listener.Close() }
		stop, result := run(t, r)
		pass(time.Hour)
		if s := r.State(); s.Failures < 100 || s.Err == nil {
			t.Errorf("got %+v, want about 120 failures of an hour", s)
		}
		stop()
		if err := result(); err != nil {
			t.Errorf("got %v, want nil", err)
		}
	})
}

// pass lets the bubble's time pass and everything due in it happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
