package socket_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

var errEnough = errors.New("enough")

// wire 1.7, performance 3.6: 64 messages wait, or 16 MiB; one always may when nothing waits. One more is being written.
func TestQueueBounds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ size, fits int }{
		"small ones":       {10, proto.SendQueue + 1},
		"largest ones":     {proto.MaxFrame, proto.QueueBytes/proto.MaxFrame + 1},
		"3 MiB":            {3 << 20, 5 + 1},
		"over the budget":  {proto.QueueBytes + 1, 1 + 1},
		"exactly 64 pages": {proto.QueueBytes / proto.SendQueue, proto.SendQueue + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			near, _ := pipes(t, 0) // the far end reads nothing
			ctx, cancel := context.WithCancelCause(t.Context())
			taken := 0
			for range tc.fits {
				if err := near.Queue(ctx, make([]byte, tc.size)); err != nil {
					t.Fatalf("%s: message %d: %v", name, taken, err)
				}
				taken++
				synctest.Wait() // the writer holds the first
			}
			time.AfterFunc(time.Second, func() { cancel(errEnough) })
			if err := near.Queue(ctx, make([]byte, tc.size)); !errors.Is(err, errEnough) {
				t.Errorf("%s: message %d: got %v, want to wait until the context ends", name, taken+1, err)
			}
		})
	}
}

// behaviour 3.1: one writer, in order; room comes back as messages are written.
func TestQueueKeepsOrder(t *testing.T) {
	t.Parallel()
	near, far := sockets(t)
	const count = 5000
	go func() {
		for i := range count {
			if near.Queue(t.Context(), []byte(fmt.Sprint(i))) != nil {
				return
			}
		}
	}()
	for i := range count {
		message, err := far.Read()
		if err != nil || string(message.Data) != fmt.Sprint(i) {
			t.Fatalf("got %q, %v, want %d", message.Data, err, i)
		}
	}
}

// behaviour 3.1: Queue returns when queued, Send when written.
func TestQueueAndSend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := pipes(t, 0)
		if err := near.Queue(t.Context(), []byte("first")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		sent := make(chan error, 2)
		go func() { sent <- near.Send(t.Context(), []byte("second")) }()
		synctest.Wait()
		go func() { sent <- near.Send(ctx, []byte("third")) }()
		synctest.Wait()
		cancel(errEnough)
		if err := <-sent; !errors.Is(err, errEnough) {
			t.Errorf("got %v, want the end of the context", err)
		}
		for _, want := range []string{"first", "second"} {
			if message, err := far.Read(); err != nil || string(message.Data) != want {
				t.Fatalf("got %q, %v, want %q", message.Data, err, want)
			}
		}
		if err := <-sent; err != nil {
			t.Errorf("got %v, want written", err)
		}
		if err := near.Queue(ctx, []byte("x")); !errors.Is(err, errEnough) {
			t.Errorf("got %v for an ended context, want its cause", err)
		}
	})
}

// wire 1.7: TryQueue takes what Queue takes, and never waits; what is sent after it is written after it.
func TestTryQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := pipes(t, 0)
		for i := range proto.SendQueue + 1 { // the writer holds the first
			if !near.TryQueue([]byte(fmt.Sprint(i))) {
				t.Fatalf("message %d was not taken, want room for %d", i, proto.SendQueue+1)
			}
			synctest.Wait()
		}
		if near.TryQueue([]byte("too many")) {
			t.Error("a message was taken without room")
		}
		sent := make(chan error, 1)
		go func() { sent <- near.Send(t.Context(), []byte("last")) }()
		for i := range proto.SendQueue + 2 {
			want := fmt.Sprint(i)
			if i == proto.SendQueue+1 {
				want = "last"
			}
			if message, err := far.Read(); err != nil || string(message.Data) != want {
				t.Fatalf("got %q, %v, want %q", message.Data, err, want)
			}
		}
		if err := <-sent; err != nil {
			t.Errorf("got %v, want written", err)
		}
		near.Close(proto.CloseNormal, "")
		if near.TryQueue([]byte("x")) {
			t.Error("a message was taken after Close")
		}
	})
}

// hostile-inputs W-4: what was not written when the connection ended is never called written.
func TestCloseFailsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := pipes(t, 0)
		const waiting = 80 // one being written, 64 in the queue, the rest before it
		sent := make(chan error, waiting)
		for range waiting {
			go func() { sent <- near.Send(context.Background(), []byte("x")) }()
		}
		synctest.Wait()
		near.Close(proto.CloseNormal, "")
		for range waiting {
			if err := <-sent; !errors.Is(err, socket.ErrClosed) {
				t.Errorf("got %v, want %v", err, socket.ErrClosed)
			}
		}
		if err := near.Queue(t.Context(), nil); !errors.Is(err, socket.ErrClosed) {
			t.Errorf("got %v after Close, want %v", err, socket.ErrClosed)
		}
		if _, err := near.Read(); !errors.Is(err, socket.ErrClosed) {
			t.Errorf("read: got %v after Close, want %v", err, socket.ErrClosed)
		}
		_ = far
	})
}

// hostile-inputs W-4: a peer that does not read ends the connection 10 s after the kernel took all it takes.
func TestPeerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	near, far := sockets(t)
	began := time.Now()
	sent := make(chan error, proto.SendQueue)
	for range proto.SendQueue {
		go func() { sent <- near.Send(context.Background(), make([]byte, 1<<20)) }()
	}
	failed := 0
	for range proto.SendQueue {
		if err := <-sent; err != nil {
			failed++
			if !errors.Is(err, socket.ErrClosed) {
				t.Errorf("got %v, want %v", err, socket.ErrClosed)
			}
		}
	}
	if failed < proto.SendQueue/2 {
		t.Errorf("got %d of %d failed, want most: the peer read nothing", failed, proto.SendQueue)
	}
	<-near.Done()
	if got := time.Since(began); got < proto.WriteTimeout || got > proto.WriteTimeout+5*time.Second {
		t.Errorf("ended after %v, want about 10 s", got)
	}
	_ = far
}
