package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

func byteRead() proto.WorkspaceRead {
	return proto.WorkspaceRead{Handle: "handle", EnvironmentID: "environment", Path: "a.txt", MaxBytes: 4}
}

// reading runs one read beside the script.
func reading(ctx context.Context, c *gateway.Connection, id string, request proto.WorkspaceRead) chan outcome[proto.WorkspaceReadResult] {
	return beside(func() (proto.WorkspaceReadResult, error) { return c.Read(ctx, id, request) })
}

type outcome[T any] struct {
	result T
	err    error
}

func beside[T any](f func() (T, error)) chan outcome[T] {
	got := make(chan outcome[T], 1)
	go func() {
		result, err := f()
		got <- outcome[T]{result, err}
	}()
	return got
}

// behaviour 4.2, wire 3.10.1: what each reply to a read is taken for.
func TestReadReplies(t *testing.T) {
	t.Parallel()
	refused, observation := &gateway.RefusedError{}, &gateway.ObservationError{}
	unknown := gateway.ErrUnconfirmed
	directory := proto.WorkspaceRead{Handle: "handle", EnvironmentID: "environment", Operation: proto.OperationDirectory, MaxEntries: 2}
	const entry = `{"name":"a","kind":"file","size_bytes":1}`
	for name, tc := range map[string]struct {
		request proto.WorkspaceRead
		reply   string
		err     []any // nil: completed
	}{
		"completed":             {byteRead(), `{"outcome":"completed","data":"YWI=","close_acknowledged":true}`, nil},
		"completed and cut":     {byteRead(), `{"outcome":"completed","data":"YWJjZA==","truncated":true,"close_acknowledged":true}`, nil},
		"listing":               {directory, `{"outcome":"completed","directory":{"entries":[` + entry + `],"truncated":false},"close_acknowledged":true}`, nil},
		"close not said":        {byteRead(), `{"outcome":"completed","data":"YWI="}`, []any{unknown, &observation}},
		"longer than asked":     {byteRead(), `{"outcome":"completed","data":"YWJjZGU=","close_acknowledged":true}`, []any{unknown, &observation}},
		"cut below the limit":   {byteRead(), `{"outcome":"completed","data":"YWI=","truncated":true,"close_acknowledged":true}`, []any{unknown, &observation}},
		"listing for bytes":     {byteRead(), `{"outcome":"completed","directory":{"entries":[],"truncated":false},"close_acknowledged":true}`, []any{unknown, &observation}},
		"bytes for a listing":   {directory, `{"outcome":"completed","data":"YWI=","close_acknowledged":true}`, []any{unknown, &observation}},
		"rejected":              {byteRead(), `{"outcome":"rejected","error_code":"not_found"}`, []any{&refused}},
		"rejected, directory":   {directory, `{"outcome":"rejected","error_code":"not_directory"}`, []any{&refused}},
		"rejected, other code":  {byteRead(), `{"outcome":"rejected","error_code":"weather"}`, []any{unknown, &observation}},
		"rejected without code": {byteRead(), `{"outcome":"rejected"}`, []any{unknown, &observation}},
		"unknown":               {byteRead(), `{"outcome":"unknown","error_code":"read_unconfirmed"}`, []any{unknown}},
		"no outcome":            {byteRead(), `{}`, []any{unknown, &observation}},
		"does not decode":       {byteRead(), `{"outcome":"completed","data":"!"}`, []any{unknown, &observation}},
	} {
		bubble(t, name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := reading(t.Context(), c, "read", tc.request)
			asked := p.next()
			if asked.Type != proto.TypeWorkspaceRead || asked.ID != "read" {
				t.Fatalf("got %s %q, want the read", asked.Type, asked.ID)
			}
			p.text(`{"type":"workspace_read_result","id":"read","payload":` + tc.reply + `}`)
			g := <-got
			if tc.err == nil && (g.err != nil || g.result.Outcome != proto.OutcomeCompleted) {
				t.Errorf("got %+v, %v, want it completed", g.result, g.err)
			}
			for _, want := range tc.err {
				endedWith(t, g.err, want)
			}
			p.silent() // nothing is tried again
		})
	}
}

// behaviour 4.2: 17 seconds, four at once, no pending id twice, a request of at most 8 KiB.
func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	bubble(t, "17 seconds", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		start := time.Now()
		_, err := c.Read(t.Context(), "read", byteRead())
		endedWith(t, err, gateway.ErrUnconfirmed)
		endedWith(t, err, gateway.ErrNoAnswer)
		if waited := time.Since(start); waited != 17*time.Second {
			t.Errorf("got an end after %s, want 17s", waited)
		}
		p.send("read", &proto.WorkspaceReadResult{Outcome: "rejected", ErrorCode: "not_found"}) // too late: nobody's
		p.next()
		p.silent()
	})
	bubble(t, "four at once", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		var all []chan outcome[proto.WorkspaceReadResult]
		for i := range 4 {
			all = append(all, reading(t.Context(), c, fmt.Sprint("read", i), byteRead()))
		}
		for range 4 {
			p.next()
		}
		_, err := c.Read(t.Context(), "read4", byteRead())
		endedWith(t, err, gateway.ErrBusy)
		_, err = c.Read(t.Context(), "read0", byteRead())
		endedWith(t, err, gateway.ErrDuplicate)
		for i := range 4 { // the last asked is answered first
			p.send(fmt.Sprint("read", 3-i), &proto.WorkspaceReadResult{Outcome: "completed", Data: []byte{byte(3 - i)}, CloseAcknowledged: true})
		}
		for i, got := range all {
			if g := <-got; g.err != nil || len(g.result.Data) != 1 || g.result.Data[0] != byte(i) {
				t.Errorf("got %v, %v for read %d, want its own answer", g.result, g.err, i)
			}
		}
		p.silent()
	})
	bubble(t, "what is wrong with the request", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		long := byteRead()
		long.Handle, long.Path = "", strings.Repeat("a/", 2000)+"a"
		long.RunID = strings.Repeat("r", 8<<10)
		none := byteRead()
		none.MaxBytes = 0
		for id, request := range map[string]proto.WorkspaceRead{"large": long, "none": none, "": byteRead(), strings.Repeat("i", 129): byteRead()} {
			if _, err := c.Read(t.Context(), id, request); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
				t.Errorf("got %v for %.10q, want a definite error", err, id)
			}
		}
		p.silent()
	})
	bubble(t, "connection ends", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		got := reading(t.Context(), c, "read", byteRead())
		p.next()
		_ = p.ws.Close()
		g := <-got
		endedWith(t, g.err, gateway.ErrUnconfirmed)
		endedWith(t, g.err, gateway.ErrSessionClosed)
		_, err := c.Read(t.Context(), "again", byteRead())
		endedWith(t, err, gateway.ErrSessionClosed)
		if errors.Is(err, gateway.ErrUnconfirmed) {
			t.Error("got an unknown outcome of a read that was never sent")
		}
	})
}

// behaviour 7.3: a read that was sent survives its observer.
func TestReadOutlivesItsObserver(t *testing.T) {
	t.Parallel()
	leave := func(t *testing.T) (*peer, *gateway.Connection) {
		p, c := newRig(t, nil).dial("one")
		for i := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			got := reading(ctx, c, fmt.Sprint("read", i), byteRead())
			p.next()
			cancel()
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, context.Canceled)
		}
		_, err := c.Read(t.Context(), "more", byteRead())
		endedWith(t, err, gateway.ErrBusy)
		return p, c
	}
	bubble(t, "until the answer", func(t *testing.T) {
		p, c := leave(t)
		p.send("read2", &proto.WorkspaceReadResult{Outcome: "rejected", ErrorCode: "not_found"})
		synctest.Wait()
		got := reading(t.Context(), c, "more", byteRead())
		p.next()
		p.send("more", &proto.WorkspaceReadResult{Outcome: "completed", CloseAcknowledged: true})
		if g := <-got; g.err != nil {
			t.Errorf("got %v, want the place of the answered one", g.err)
		}
	})
	bubble(t, "until its time is over", func(t *testing.T) {
		_, c := leave(t)
		elapse(17*time.Second - time.Millisecond)
		_, err := c.Read(t.Context(), "more", byteRead())
		endedWith(t, err, gateway.ErrBusy)
		elapse(2 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Read(ctx, "more", byteRead())
		endedWith(t, err, context.DeadlineExceeded) // it had a place
	})
}
