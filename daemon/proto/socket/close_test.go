package socket_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// wire 1.7: codes arrive, both ways; a reason that is too long is cut to whole characters and loses no code.
func TestClosingCodes(t *testing.T) {
	t.Parallel()
	for _, code := range []int{proto.CloseNormal, proto.CloseGoingAway, proto.CloseRetired} {
		for _, reason := range []string{"", "runtime retired", strings.Repeat("ä", 100)} {
			near, far := sockets(t)
			for _, ends := range [][2]*socket.Conn{{near, far}, {far, near}} {
				if ends[0].Err() != nil {
					near, far = sockets(t)
					ends = [2]*socket.Conn{far, near}
				}
				go ends[0].Close(code, reason)
				_, err := ends[1].Read()
				if got := socket.Code(err); got != code {
					t.Errorf("got code %d (%v), want %d", got, err, code)
				}
				<-ends[0].Done()
				if err := ends[0].Err(); !errors.Is(err, socket.ErrClosed) || socket.Code(err) != 0 {
					t.Errorf("got %v at the closing side, want %v", err, socket.ErrClosed)
				}
				if err := ends[1].Err(); socket.Code(err) != code {
					t.Errorf("got %v at the other side, want code %d", err, code)
				}
			}
		}
	}
}

// behaviour 3.4: the reason of a replacement is known; any other text, or the same with another code, is not it.
func TestReplaced(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code   int
		reason string
		want   bool
	}{
		{proto.CloseNormal, proto.ReplacedReason, true},
		{proto.CloseNormal, "Replaced by a newer connection", false},
		{proto.CloseNormal, "", false},
		{proto.CloseGoingAway, proto.ReplacedReason, false},
	} {
		near, far := sockets(t)
		go near.Close(tt.code, tt.reason)
		if _, err := far.Read(); socket.Replaced(err) != tt.want || socket.Replaced(nil) {
			t.Errorf("%d %q: got replaced %v, want %v", tt.code, tt.reason, !tt.want, tt.want)
		}
		<-near.Done()
	}
}

// A line that breaks has no code.
func TestNoCode(t *testing.T) {
	t.Parallel()
	dial, conns := realServer(t)
	line, _, _, far := byHand(t, dial, conns, "")
	_ = line.Close()
	if _, err := far.Read(); err == nil || socket.Code(err) != 0 {
		t.Errorf("got %v, want an end without a code", err)
	}
	if got := socket.Code(nil); got != 0 {
		t.Errorf("got %d for no error, want 0", got)
	}
}

// A peer's closing code is found although our writes fail before it is read.
func TestCodeWinsOverFailedWrites(t *testing.T) {
	t.Parallel()
	for range 50 {
		near, far := sockets(t)
		writing := make(chan struct{})
		go func() {
			defer close(writing)
			for near.Send(context.Background(), make([]byte, 10_000)) == nil {
			}
		}()
		if _, err := far.Read(); err != nil {
			t.Fatal(err)
		}
		go far.Close(proto.CloseRetired, "")
		<-writing
		_, err := near.Read()
		if got := socket.Code(err); got != proto.CloseRetired {
			t.Fatalf("got code %d (%v), want 4001", got, err)
		}
	}
}

// Close may be called by many, at any time; all return when the connection has ended.
func TestConcurrentClose(t *testing.T) {
	t.Parallel()
	near, far := sockets(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { near.Close(proto.CloseNormal, ""); <-near.Done() })
		group.Go(func() { far.Close(proto.CloseRetired, ""); <-far.Done() })
		group.Go(func() { _ = near.Queue(t.Context(), []byte("x")) })
		group.Go(func() { _ = far.Send(t.Context(), []byte("x")) })
	}
	group.Go(func() {
		for {
			if _, err := near.Read(); err != nil {
				return
			}
		}
	})
	group.Wait()
	if !errors.Is(near.Err(), socket.ErrClosed) && socket.Code(near.Err()) == 0 {
		t.Errorf("got %v, want a plain end", near.Err())
	}
}

// behaviour 3.1: Close waits one second for its code, also while a write is stuck.
func TestCloseWhileAWriteIsStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, _ := pipes(t, 0)
		_ = near.Queue(t.Context(), []byte("stuck"))
		synctest.Wait()
		began := time.Now()
		go near.Close(proto.CloseGoingAway, "")
		near.Close(proto.CloseNormal, "")
		if got := time.Since(began); got != proto.CloseTimeout {
			t.Errorf("closed after %v, want 1 s", got)
		}
	})
}
