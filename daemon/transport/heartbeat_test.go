package transport_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

// behaviour 3.2: the first heartbeat at once, then one per interval; 0 means 15 s.
func TestAnHourOfHeartbeats(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]time.Duration{0: 15 * time.Second, -4: 15 * time.Second, 7: 7 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var times []time.Time
			var last proto.Frame
			c := &core{heartbeatSeconds: seconds, use: func(_ int, conn *socket.Conn) {
				for {
					message, err := conn.Read()
					if err != nil {
						return
					}
					last, _ = proto.Decode(message.Data)
					times = append(times, time.Now())
				}
			}}
			began := time.Now()
			stop, result := run(t, inBubble(t, c, plain))
			pass(time.Hour)
			stop()
			_ = result()
			synctest.Wait()
			if got := len(times); got != int(time.Hour/want)+1 {
				t.Fatalf("interval %d: got %d heartbeats in an hour, want %d", seconds, got, int(time.Hour/want)+1)
			}
			for i, at := range times {
				if got := at.Sub(began); got != time.Duration(i)*want {
					t.Fatalf("heartbeat %d after %v, want %v", i, got, time.Duration(i)*want)
				}
			}
			beat, ok := last.Payload.(*proto.Heartbeat)
			if !ok || last.ID != "" || beat.TS != times[len(times)-1].Unix() || beat.ActiveRequests != 3 || beat.DaemonVersion != "1.2.3" || len(beat.SupportedAgentKinds) != 1 {
				t.Errorf("got %+v, want the declaration of this Runtime", last)
			}
			if got := len(c.attempts()); got != 1 {
				t.Errorf("got %d connections, want 1", got)
			}
		})
	}
}

// behaviour 3.2: a heartbeat may take one interval, a write 10 s; the connection ends with the first of them.
func TestHeartbeatThatCannotBeSent(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]time.Duration{4: 4 * time.Second, 60: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			again, leave := make(chan struct{}), make(chan struct{})
			c := &core{heartbeatSeconds: seconds, use: func(attempt int, conn *socket.Conn) {
				if attempt == 1 {
					<-leave // reads nothing
					return
				}
				close(again)
				drain(conn)
			}}
			r := inBubble(t, c, plain)
			stop, result := run(t, r)
			<-again
			downs := r.routers()[0].downs
			began := c.attempts()[0]
			// Close waits at most one second for its code.
			if got := downs[0].Sub(began); got < want || got > want+2*time.Second {
				t.Errorf("interval %d s: router shut down after %v, want %v and the closing second", seconds, got, want)
			}
			close(leave)
			stop()
			_ = result()
		})
	}
}

// hostile-inputs W-5: a line that stops forwarding both ways without closing.
func TestHalfOpenLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		c := &core{use: func(_ int, conn *socket.Conn) { drain(conn) }}
		client, sockets, listener := inMemory(t, c)
		line := &stalling{through: listener.dial, stall: make(chan struct{})}
		sockets.Dialer = line.dial
		r := newRuntime(t, "http://core.test/api/v1", client, sockets, func(n int) *router {
			return &router{shutdown: func(ctx context.Context, _ int) error {
				if n > 1 {
					return nil
				}
				select {
				case <-released:
					return nil
				case <-ctx.Done():
					return errHeld
				}
			}}
		})
		stop, result := run(t, r)
		pass(time.Minute)
		if got := r.State().Phase; got != transport.Online {
			t.Fatalf("got %v, want online", got)
		}
		close(line.stall)
		pass(5 * time.Minute)
		if got := len(c.attempts()); got != 1 || r.State().Phase != transport.Clearing {
			t.Fatalf("got %d connections and %v, want no redial before the old router has ended", got, r.State().Phase)
		}
		close(released)
		pass(10 * time.Second)
		if got := len(c.attempts()); got != 2 || r.State().Phase != transport.Online {
			t.Errorf("got %d connections and %v, want a new one", got, r.State().Phase)
		}
		stop()
		_ = result()
		line.free()
	})
}
