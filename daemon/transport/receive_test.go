package transport_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

func cancelOf(id string) proto.Frame { return proto.New(id, &proto.PromptCancel{DeliveryID: "d"}) }

// wire 1.6: what is no frame is dropped, logged without content, and the connection kept.
func TestUndecodableMessagesAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const canary = "canary-content"
		got := make(chan proto.Frame, 1)
		c := &core{use: func(_ int, conn *socket.Conn) {
			go func() { _ = drain(conn) }()
			for _, text := range []string{canary, `[]`, `{"type":1}`, ``, `{"` + canary, `"` + canary + `"`} {
				_ = conn.Queue(t.Context(), []byte(text))
			}
			put(t, conn, cancelOf("run"))
			<-conn.Done()
		}}
		r := inBubble(t, c, func(int) *router {
			return &router{handle: func(_ *router, frame proto.Frame) { got <- frame }}
		})
		stop, result := run(t, r)
		if frame := <-got; frame.ID != "run" || frame.Type != proto.TypePromptCancel {
			t.Errorf("got %+v, want the cancel after the broken ones", frame)
		}
		stop()
		_ = result()
		if text := r.log.String(); strings.Contains(text, canary) || strings.Count(text, "no frame") != 6 {
			t.Errorf("got log %s\nwant six drops without content", text)
		}
	})
}

// wire 1.6, hostile-inputs 3: ten of Core's useless messages are logged on a connection, and at its end their number.
func TestUselessMessagesAreCounted(t *testing.T) {
	t.Parallel()
	const each = 500
	for name, message := range map[string]string{"no frame": "nonsense", "no answer": `{"type":"invented","id":"x"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := &core{use: func(attempt int, conn *socket.Conn) {
					go func() { _ = drain(conn) }()
					for range each {
						_ = conn.Send(t.Context(), []byte(message))
					}
					<-conn.Done()
				}}
				r := inBubble(t, c, func(int) *router { return &router{refuses: errHeld} })
				stop, result := run(t, r)
				pass(time.Second)
				if got := strings.Count(r.log.String(), name); got != 10 {
					t.Errorf("got %d lines while connected, want 10", got)
				}
				stop()
				_ = result()
				if text := r.log.String(); strings.Count(text, name) != 10 || !strings.Contains(text, "number=500") {
					t.Errorf("got a log of %d lines, want ten and the number at the end", strings.Count(text, name))
				}
			})
		})
	}
}

// wire 1.7, behaviour 3.1: while the router is blocked 64 frames wait, the rest stays with Core; order is kept.
func TestBlockedRouterHoldsCoreBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const sent = 200
		var written int
		c := &core{use: func(_ int, conn *socket.Conn) {
			go func() { _ = drain(conn) }()
			for i := range sent {
				data, _ := proto.Encode(cancelOf(fmt.Sprint(i)))
				if conn.Send(t.Context(), data) != nil {
					return
				}
				written++
			}
			<-conn.Done()
		}}
		release := make(chan struct{})
		var seen []string
		r := inBubble(t, c, func(int) *router {
			return &router{handle: func(_ *router, frame proto.Frame) { <-release; seen = append(seen, frame.ID) }}
		})
		stop, result := run(t, r)
		pass(5 * time.Second) // below the write deadline of Core
		// One frame is at the router, 64 wait, one is at the reader; its buffer holds a few more of this size.
		if written < proto.ReceiveQueue+2 || written > proto.ReceiveQueue+2+4096/60 {
			t.Errorf("got %d frames taken while the router is blocked, want about %d", written, proto.ReceiveQueue+2)
		}
		close(release)
		pass(time.Second)
		if len(seen) != sent {
			t.Fatalf("got %d frames, want %d", len(seen), sent)
		}
		for i, id := range seen {
			if id != fmt.Sprint(i) {
				t.Fatalf("frame %d: got %s, want the order of sending", i, id)
			}
		}
		stop()
		_ = result()
	})
}

// performance 3.6 has a budget for bytes: large frames wait no more than 16 MiB together.
func TestBlockedRouterHoldsBytesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		large, err := proto.Encode(proto.New("run", &proto.PromptCancel{DeliveryID: strings.Repeat("x", 3<<20)}))
		if err != nil {
			t.Fatal(err)
		}
		var written int
		c := &core{use: func(_ int, conn *socket.Conn) {
			go func() { _ = drain(conn) }()
			for range 12 {
				if conn.Send(t.Context(), large) != nil {
					return
				}
				written++
			}
			<-conn.Done()
		}}
		release := make(chan struct{})
		var mu sync.Mutex
		handled := 0
		r := inBubble(t, c, func(int) *router {
			return &router{handle: func(*router, proto.Frame) {
				<-release
				mu.Lock()
				defer mu.Unlock()
				handled++
			}}
		})
		stop, result := run(t, r)
		pass(5 * time.Second)
		// One at the router, two within 16 MiB as each holds twice its size, one at the reader.
		if written != 4 {
			t.Errorf("got %d frames of 3 MiB taken, want 4", written)
		}
		close(release)
		pass(time.Second)
		if handled != 12 {
			t.Errorf("got %d frames handled, want 12", handled)
		}
		stop()
		_ = result()
	})
}

// behaviour 3.1, 7.5: what is posted is written before what is sent after it; an acceptance is never posted, and nothing
// once its connection has ended.
func TestPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan proto.Frame, 2)
		c := &core{use: func(attempt int, conn *socket.Conn) {
			if attempt == 1 {
				read <- next(t, conn)
				read <- next(t, conn)
				return
			}
			_ = drain(conn)
		}}
		r := inBubble(t, c, plain)
		stop, result := run(t, r)
		pass(0)
		first := r.routers()[0]
		if first.post(proto.New("request", &proto.EnvironmentQuiesced{SuspensionReply: accepted(suspension())})) {
			t.Error("an acceptance was posted, want it to be sent")
		}
		if !first.post(proto.New("run", &proto.DecisionAck{DeliveryID: "d", Applied: true})) {
			t.Error("a receipt was not posted, want room")
		}
		if err := first.sender()(t.Context(), proto.New("run", &proto.Done{})); err != nil {
			t.Errorf("got %v, want a written frame", err)
		}
		for _, want := range []proto.Type{proto.TypeDecisionAck, proto.TypeDone} {
			if frame := <-read; frame.Type != want {
				t.Errorf("got %s at Core, want %s", frame.Type, want)
			}
		}
		pass(10 * time.Second)
		if first.post(proto.New("run", &proto.DecisionAck{DeliveryID: "d", Applied: true})) {
			t.Error("a receipt was posted on the old connection")
		}
		stop()
		_ = result()
	})
}

// behaviour 3.1: Send returns when written, and fails once its connection has ended.
func TestSendAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		read := make(chan proto.Frame, 1)
		c := &core{use: func(attempt int, conn *socket.Conn) {
			if attempt == 1 {
				read <- next(t, conn)
				return
			}
			_ = drain(conn)
		}}
		r := inBubble(t, c, plain)
		stop, result := run(t, r)
		pass(0)
		first := r.routers()[0].sender()
		if err := first(t.Context(), proto.New("run", &proto.Done{})); err != nil {
			t.Errorf("got %v, want a written frame", err)
		}
		if frame := <-read; frame.Type != proto.TypeDone {
			t.Errorf("got %s at Core, want done", frame.Type)
		}
		pass(10 * time.Second)
		if err := first(context.Background(), proto.New("run", &proto.Done{})); err == nil {
			t.Error("got nil for the old connection's sender, want an error: nothing is sent again elsewhere")
		}
		if got := len(c.attempts()); got != 2 {
			t.Errorf("got %d connections, want 2", got)
		}
		stop()
		_ = result()
	})
}
