package gateway_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

// exporting begins an export beside the script and takes its begin.
func exporting(t *testing.T, ctx context.Context, p *peer, c *gateway.Connection) chan outcome[io.ReadCloser] {
	t.Helper()
	got := beside(func() (io.ReadCloser, error) { return c.Export(ctx, "export", "handle", "environment") })
	p.asked("begin", 0)
	return got
}

// asked checks the next step of the export.
func (p *peer) asked(step string, offset int64) {
	p.t.Helper()
	f := p.next()
	e, ok := f.Payload.(*proto.WorkspaceExport)
	if !ok || f.ID != "export" || e.Step != step || e.Offset != offset {
		p.t.Fatalf("got %s %+v, want step %s at %d", f.Type, f.Payload, step, offset)
	}
}

func (p *peer) piece(offset int64, data string) {
	p.t.Helper()
	p.send("export", &proto.WorkspaceExportResult{Outcome: proto.OutcomeChunk, Offset: offset, Data: []byte(data)})
}

func (p *peer) ended(outcome string, offset int64, code string) {
	p.t.Helper()
	p.send("export", &proto.WorkspaceExportResult{Outcome: outcome, Offset: offset, ErrorCode: code})
}

// behaviour 7.4, wire 3.10.3
func TestExportPullsPieceByPiece(t *testing.T) {
	t.Parallel()
	bubble(t, "whole", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		got := exporting(t, t.Context(), p, c)
		p.piece(0, "abc")
		e := (<-got).result
		p.silent() // the next piece is asked for when the first was read
		all := beside(func() ([]byte, error) { return io.ReadAll(e) })
		p.asked("next", 3)
		p.piece(3, "defg")
		p.asked("next", 7)
		p.ended("completed", 7, "")
		if g := <-all; g.err != nil || string(g.result) != "abcdefg" {
			t.Errorf("got %q, %v, want the whole archive", g.result, g.err)
		}
		if err := errors.Join(e.Close(), e.Close()); err != nil {
			t.Error(err)
		}
		p.silent() // it has ended: there is nothing to cancel
		again := exporting(t, t.Context(), p, c)
		p.ended("completed", 0, "")
		empty := (<-again).result
		if n, err := empty.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("got %d, %v, want an empty archive that is whole", n, err)
		}
		_ = empty.Close()
	})
	bubble(t, "begin refused", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		got := exporting(t, t.Context(), p, c)
		p.ended("rejected", 0, "resource_unavailable")
		refused := &gateway.RefusedError{}
		endedWith(t, (<-got).err, &refused)
		p.silent()
	})
}

// behaviour 4.2: the reader must see completed; every other end is an error, and a definite one needs no cancel.
func TestExportReplies(t *testing.T) {
	t.Parallel()
	failed, refused, observation := &gateway.FailedError{}, &gateway.RefusedError{}, &gateway.ObservationError{}
	unknown := []any{gateway.ErrUnconfirmed, &observation}
	big := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, proto.MaxChunk+1))
	for name, tc := range map[string]struct {
		reply  string
		err    []any
		cancel bool
	}{
		"failed":                {`{"outcome":"failed","offset":3,"error_code":"export_failed"}`, []any{&failed}, false},
		"refused":               {`{"outcome":"rejected","offset":3,"error_code":"resource_unavailable"}`, []any{&refused}, false},
		"wrong offset":          {`{"outcome":"chunk","offset":0,"data":"YQ=="}`, unknown, true},
		"completed elsewhere":   {`{"outcome":"completed","offset":7}`, unknown, true},
		"no bytes":              {`{"outcome":"chunk","offset":3}`, unknown, true},
		"too many bytes":        {`{"outcome":"chunk","offset":3,"data":"` + big + `"}`, unknown, true},
		"completed with a code": {`{"outcome":"completed","offset":3,"error_code":"export_failed"}`, unknown, true},
		"other outcome":         {`{"outcome":"ready","offset":3}`, unknown, true},
		"does not decode":       {`{"outcome":"chunk","offset":"3"}`, unknown, true},
	} {
		bubble(t, name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := exporting(t, t.Context(), p, c)
			p.piece(0, "abc")
			e := (<-got).result
			all := beside(func() ([]byte, error) { return io.ReadAll(e) })
			p.asked("next", 3)
			p.text(`{"type":"workspace_export_result","id":"export","payload":` + tc.reply + `}`)
			g := <-all
			for _, want := range tc.err {
				endedWith(t, g.err, want)
			}
			if _, err := e.Read(make([]byte, 1)); !errors.Is(err, g.err) {
				t.Errorf("got %v when read again, want %v still", err, g.err)
			}
			_ = e.Close()
			if tc.cancel {
				p.asked("cancel", 0)
			}
			p.silent()
		})
	}
}

// behaviour 4.2: abandoned early it sends cancel; the place is free after that.
func TestExportAbandoned(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, ctx context.Context) (*peer, *gateway.Connection, io.ReadCloser) {
		p, c := newRig(t, nil).dial("one")
		got := exporting(t, ctx, p, c)
		p.piece(0, "abc")
		e := (<-got).result
		_, err := c.Export(t.Context(), "other", "handle", "environment")
		endedWith(t, err, gateway.ErrBusy)
		return p, c, e
	}
	free := func(t *testing.T, p *peer, c *gateway.Connection) {
		p.asked("cancel", 0)
		synctest.Wait()
		got := exporting(t, t.Context(), p, c)
		p.ended("rejected", 0, "export_failed")
		<-got
	}
	bubble(t, "closed before the end", func(t *testing.T) {
		p, c, e := open(t, t.Context())
		_ = e.Close()
		free(t, p, c)
	})
	bubble(t, "closed while a piece is asked for", func(t *testing.T) {
		p, c, e := open(t, t.Context())
		all := beside(func() ([]byte, error) { return io.ReadAll(e) })
		p.asked("next", 3)
		_ = e.Close()
		g := <-all
		endedWith(t, g.err, gateway.ErrUnconfirmed)
		p.piece(3, "late") // on its way when cancel was sent: nobody's
		free(t, p, c)
	})
	bubble(t, "ctx ends and nobody reads", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, c, e := open(t, ctx)
		cancel()
		free(t, p, c)
		buffer := make([]byte, 8)
		if n, _ := e.Read(buffer); string(buffer[:n]) != "abc" {
			t.Errorf("got %q, want what had come", buffer[:n])
		}
		_, err := e.Read(buffer)
		endedWith(t, err, gateway.ErrUnconfirmed)
		_ = e.Close()
	})
	bubble(t, "180 seconds in all", func(t *testing.T) {
		start := time.Now()
		p, c, e := open(t, t.Context())
		all := beside(func() ([]byte, error) { return io.ReadAll(e) })
		p.asked("next", 3)
		for range 3 { // silence ends a connection after 60 seconds
			elapse(50 * time.Second)
			p.beat("kind")
		}
		g := <-all
		endedWith(t, g.err, gateway.ErrUnconfirmed)
		endedWith(t, g.err, gateway.ErrNoAnswer)
		if waited := time.Since(start); waited != 180*time.Second {
			t.Errorf("got an end after %s, want 180s", waited)
		}
		free(t, p, c)
		_ = e.Close()
	})
	bubble(t, "connection ends", func(t *testing.T) {
		p, c, e := open(t, t.Context())
		all := beside(func() ([]byte, error) { return io.ReadAll(e) })
		p.asked("next", 3)
		_ = p.ws.Close()
		g := <-all
		endedWith(t, g.err, gateway.ErrUnconfirmed)
		endedWith(t, g.err, gateway.ErrSessionClosed)
		_ = e.Close()
		_, err := c.Export(t.Context(), "other", "handle", "environment")
		endedWith(t, err, gateway.ErrSessionClosed)
	})
	bubble(t, "begin is not answered", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Export(ctx, "export", "handle", "environment")
		endedWith(t, err, gateway.ErrUnconfirmed)
		endedWith(t, err, context.DeadlineExceeded)
		p.asked("begin", 0)
		free(t, p, c)
	})
	bubble(t, "begin is not sent", func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Export(ctx, "export", "handle", "environment"); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
			t.Errorf("got %v, want a definite error", err)
		}
		if _, err := c.Export(t.Context(), "export", "", "environment"); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
			t.Errorf("got %v without a handle, want a definite error", err)
		}
		p.silent()
	})
}

// behaviour 4.2: an extra reply closes the connection.
func TestExportPieceThatWasNotAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, c := newRig(t, nil).dial("one")
		got := exporting(t, t.Context(), p, c)
		p.piece(0, "abc")
		e := (<-got).result
		p.piece(3, "def")
		if code := p.closing(); code != proto.CloseProtocol {
			t.Errorf("got closing code %d, want 1002", code)
		}
		<-c.Done()
		_, err := io.ReadAll(e)
		endedWith(t, err, gateway.ErrUnconfirmed)
		_ = e.Close()
	})
}
