package transport_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

func suspension() proto.Suspension {
	return proto.Suspension{EnvironmentID: "environment", SuspendID: "suspend"}
}

func quiesce() proto.Frame {
	return proto.New("request", &proto.EnvironmentQuiesce{Suspension: suspension()})
}

func resume() proto.Frame {
	return proto.New("request", &proto.EnvironmentResume{Suspension: suspension()})
}

// suspends is a core that suspends the first connection and goes on with then.
func suspends(t *testing.T, ended chan<- error, then func(attempt int, conn *socket.Conn)) *core {
	return &core{use: func(attempt int, conn *socket.Conn) {
		if attempt > 1 {
			then(attempt, conn)
			return
		}
		put(t, conn, quiesce())
		if got := next(t, conn); got.Type != proto.TypeEnvironmentQuiesced {
			t.Errorf("got %s, want the acceptance", got.Type)
		}
		ended <- drain(conn)
	}}
}

func quiescing(int) *router { return &router{handle: quiesces} }

// behaviour 7.5: disconnect, wait for wake, redial, resume first, the same router goes on.
func TestPlannedReconnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, resumed, held := make(chan error, 1), make(chan proto.Frame, 1), make(chan struct{})
		c := suspends(t, ended, func(_ int, conn *socket.Conn) {
			<-held
			put(t, conn, resume())
			resumed <- next(t, conn)
			_ = drain(conn)
		})
		r := inBubble(t, c, quiescing)
		stop, result := run(t, r)
		if got := socket.Code(<-ended); got != proto.CloseNormal {
			t.Errorf("got code %d, want 1000", got)
		}
		pass(time.Hour)
		if got := r.State().Phase; got != transport.Suspended || len(c.attempts()) != 1 {
			t.Fatalf("got %v and %d connections before the wake, want suspended and 1", got, len(c.attempts()))
		}
		r.wake <- struct{}{}
		pass(time.Second)
		if got := r.State().Phase; got != transport.Resuming {
			t.Errorf("got %v before the resume, want resuming", got)
		}
		close(held)
		if got := <-resumed; got.Type != proto.TypeEnvironmentResumed {
			t.Errorf("got %s, want environment_resumed on the new connection", got.Type)
		}
		if got := r.State().Phase; got != transport.Online {
			t.Errorf("got %v after the resume, want online", got)
		}
		routers := r.routers()
		if len(routers) != 1 || routers[0].attached != 1 || len(routers[0].downs) != 0 {
			t.Errorf("got %d routers, %d attached, shutdowns %v; want the one router kept", len(routers), routers[0].attached, routers[0].downs)
		}
		stop()
		if err := result(); err != nil || !routers[0].ended {
			t.Errorf("got %v, want nil and the router ended", err)
		}
	})
}

// behaviour 7.5: a wake that came before a suspension does not end it; one that comes once it was accepted does, also
// when the connection has not ended yet.
func TestWakeBeforeTheSuspension(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		suspend, accepted := make(chan struct{}), make(chan struct{}, 3)
		c := &core{use: func(attempt int, conn *socket.Conn) {
			if attempt > 1 {
				put(t, conn, resume())
			}
			go func() {
				select {
				case <-suspend:
					put(t, conn, quiesce())
				case <-conn.Done():
				}
			}()
			for {
				message, err := conn.Read()
				if err != nil {
					return
				}
				if frame, _ := proto.Decode(message.Data); frame.Type == proto.TypeEnvironmentQuiesced {
					accepted <- struct{}{}
				}
			}
		}}
		r := inBubble(t, c, quiescing)
		stop, result := run(t, r)
		pass(time.Second)
		r.wake <- struct{}{}
		suspend <- struct{}{}
		<-accepted
		pass(time.Hour)
		if got := r.State().Phase; got != transport.Suspended || len(c.attempts()) != 1 {
			t.Fatalf("got %v and %d connections, want suspended in spite of the old wake", got, len(c.attempts()))
		}
		r.wake <- struct{}{}
		pass(time.Minute)
		if got := r.State().Phase; got != transport.Online {
			t.Fatalf("got %v after the wake, want online", got)
		}
		suspend <- struct{}{}
		<-accepted
		r.wake <- struct{}{} // at once
		pass(time.Minute)
		if got := r.State().Phase; got != transport.Online {
			t.Errorf("got %v, want online: this wake was for this suspension", got)
		}
		stop()
		_ = result()
	})
}

// behaviour 7.5: Core may close the connection itself as soon as it has the acceptance.
func TestCoreClosesAfterTheAcceptance(t *testing.T) {
	t.Parallel()
	for range 50 { // the acceptance and the closing code race
		synctest.Test(t, func(t *testing.T) {
			c := &core{use: func(attempt int, conn *socket.Conn) {
				put(t, conn, quiesce())
				_ = next(t, conn)
			}}
			r := inBubble(t, c, quiescing)
			stop, result := run(t, r)
			pass(time.Minute)
			if got := r.State().Phase; got != transport.Suspended || len(r.routers()[0].downs) != 0 {
				t.Errorf("got %v and shutdowns %v, want suspended with the router kept", got, r.routers()[0].downs)
			}
			stop()
			if err := result(); err != nil || !r.routers()[0].ended {
				t.Errorf("stopped while suspended: got %v, want nil and the router ended", err)
			}
		})
	}
}

// behaviour 7.5: a resume with other ids, or another first frame, is a permanent failure of this Runtime.
func TestAnotherFirstFrame(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]proto.Frame{
		"other Environment": proto.New("request", &proto.EnvironmentResume{Suspension: proto.Suspension{EnvironmentID: "other", SuspendID: "suspend"}}),
		"other suspension":  proto.New("request", &proto.EnvironmentResume{Suspension: proto.Suspension{EnvironmentID: "environment", SuspendID: "other"}}),
		"no id":             proto.New("", &proto.EnvironmentResume{Suspension: suspension()}),
		"another quiesce":   quiesce(),
		"a cancel":          cancelOf("run"),
		"unknown type":      {Type: "invented", ID: "x"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan error, 1)
			c := suspends(t, ended, func(_ int, conn *socket.Conn) {
				put(t, conn, first)
				put(t, conn, resume()) // too late
				_ = drain(conn)
			})
			handled := 0
			r := inBubble(t, c, func(int) *router {
				return &router{handle: func(r *router, frame proto.Frame) { handled++; quiesces(r, frame) }}
			})
			_, result := run(t, r)
			<-ended
			r.wake <- struct{}{}
			err := result()
			_, permanent := errors.AsType[*transport.PermanentError](err)
			if !permanent || !errors.Is(err, transport.ErrResumeMismatch) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want a permanent mismatch", name, err)
			}
			if handled != 1 || !r.routers()[0].ended || len(c.attempts()) != 2 {
				t.Errorf("%s: got %d frames at the router, ended %v; want the quiesce alone and an end", name, handled, r.routers()[0].ended)
			}
		})
	}
}

// behaviour 7.5: an attempt lasts 30 s; the next needs no second wake and keeps the router.
func TestResumeAttemptWithoutAFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, resumed := make(chan error, 1), make(chan struct{})
		c := suspends(t, ended, func(attempt int, conn *socket.Conn) {
			switch attempt {
			case 2:
				_ = conn.Queue(t.Context(), []byte("no frame")) // wire 1.6: dropped, and no first frame
				_ = drain(conn)
			case 3: // ends at once
			case 4:
				put(t, conn, resume())
				_ = next(t, conn)
				close(resumed)
				_ = drain(conn)
			}
		})
		r := inBubble(t, c, quiescing)
		stop, result := run(t, r)
		<-ended
		r.wake <- struct{}{}
		<-resumed
		times := c.attempts()
		if got := times[2].Sub(times[1]); got != proto.ResumeAttempt+time.Second {
			t.Errorf("next attempt after %v, want 30 s and the pause of 1 s", got)
		}
		if got := r.routers(); len(got) != 1 || len(got[0].downs) != 0 || got[0].attached != 3 {
			t.Errorf("got %d routers, shutdowns %v, want the one kept and attached three times", len(got), got[0].downs)
		}
		stop()
		_ = result()
	})
}

// wire 3.11: only the planned reconnection keeps owners; after it a lost connection is as any other.
func TestLossAfterAResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c := suspends(t, ended, func(attempt int, conn *socket.Conn) {
			if attempt == 2 {
				put(t, conn, resume())
				_ = next(t, conn)
				return
			}
			_ = drain(conn)
		})
		r := inBubble(t, c, quiescing)
		stop, result := run(t, r)
		<-ended
		r.wake <- struct{}{}
		pass(time.Minute)
		if got := r.routers(); len(got) != 2 || !got[0].ended {
			t.Errorf("got %d routers, first ended %v; want the old one ended and a new one", len(got), got[0].ended)
		}
		stop()
		_ = result()
	})
}

// behaviour 7.5: an acceptance that was not written suspends nothing.
func TestRefusedQuiesceSuspendsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{use: func(attempt int, conn *socket.Conn) {
			if attempt == 1 {
				put(t, conn, quiesce())
				_ = next(t, conn)
				return
			}
			_ = drain(conn)
		}}
		r := inBubble(t, c, func(int) *router {
			return &router{handle: func(r *router, frame proto.Frame) {
				refusal := accepted(suspension())
				refusal.Accepted, refusal.ErrorCode = false, proto.CodeResourceBusy
				_ = r.sender()(context.Background(), proto.New(frame.ID, &proto.EnvironmentQuiesced{SuspensionReply: refusal}))
			}}
		})
		stop, result := run(t, r)
		pass(time.Minute)
		if got := r.routers(); len(got) != 2 || !got[0].ended || r.State().Phase != transport.Online {
			t.Errorf("got %d routers and %v, want an ordinary new connection", len(got), r.State().Phase)
		}
		stop()
		_ = result()
	})
}

// behaviour 3.3: a refusal that is permanent ends a suspended Runtime, and its router.
func TestRevokedWhileSuspended(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c := suspends(t, ended, nil)
		c.refuse = func(attempt int) (int, string) { return map[int]int{2: 401}[attempt], "" }
		r := inBubble(t, c, quiescing)
		_, result := run(t, r)
		<-ended
		r.wake <- struct{}{}
		if _, permanent := errors.AsType[*transport.PermanentError](result()); !permanent || !r.routers()[0].ended {
			t.Errorf("want a permanent error and the router ended")
		}
	})
}
