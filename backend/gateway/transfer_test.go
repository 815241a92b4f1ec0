package gateway_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

const (
	uuid    = "11111111-2222-4333-8444-555555555555"
	another = "99999999-2222-4333-8444-555555555555"
)

// family lets one script play both kinds of transfer.
type family struct {
	name string
	run  func(ctx context.Context, c *gateway.Connection, id string, body io.ReadSeeker) error
	step func(f proto.Frame) (step string, offset, size int64, digest string, data []byte)
	// reply is a result's type; the payloads of both have the same keys.
	reply    proto.Type
	received proto.Type
	unknown  string // code
	capacity string // code
}

func families() []family {
	return []family{{
		name: "write",
		run: func(ctx context.Context, c *gateway.Connection, id string, body io.ReadSeeker) error {
			_, err := c.Write(ctx, id, proto.WorkspaceWrite{EnvironmentID: uuid, SessionID: another, Path: "a.txt"}, body)
			return err
		},
		step: func(f proto.Frame) (string, int64, int64, string, []byte) {
			w := f.Payload.(*proto.WorkspaceWrite)
			return w.Step, w.Offset, w.SizeBytes, w.SHA256, w.Data
		},
		reply: proto.TypeWorkspaceWriteResult, received: proto.TypeWorkspaceWrite,
		unknown: proto.CodeWriteUnconfirmed, capacity: proto.CodeWriteCapacity,
	}, {
		name: "preparation",
		run: func(ctx context.Context, c *gateway.Connection, id string, body io.ReadSeeker) error {
			begin := proto.RuntimePrepare{BudgetMS: 195_000, EnvironmentID: uuid, SessionID: another, Action: proto.ActionFile,
				File: &proto.FileTarget{Path: "/workspace/a.txt"}}
			_, err := c.RunPreparation(ctx, id, begin, body)
			return err
		},
		step: func(f proto.Frame) (string, int64, int64, string, []byte) {
			r := f.Payload.(*proto.RuntimePrepare)
			return r.Step, r.Offset, r.SizeBytes, r.SHA256, r.Data
		},
		reply: proto.TypeRuntimePrepareResult, received: proto.TypeRuntimePrepare,
		unknown: proto.CodePreparationUnconfirmed, capacity: proto.CodePreparationCapacityRuntime,
	}}
}

// result answers a step by hand.
func (p *peer) result(f family, id, payload string) {
	p.t.Helper()
	p.text(`{"type":"` + string(f.reply) + `","id":"` + id + `","payload":` + payload + `}`)
}

// staged plays the Runtime of a transfer to its end and gives what came.
func (p *peer) staged(f family, id string) (body []byte, chunks int) {
	p.t.Helper()
	var size int64
	var digest string
	for {
		asked := p.next()
		if asked.Type != f.received || asked.ID != id {
			p.t.Fatalf("got %s %q, want a step of %s", asked.Type, asked.ID, id)
		}
		step, offset, whole, sum, data := f.step(asked)
		switch step {
		case proto.StepBegin:
			size, digest = whole, sum
			p.result(f, id, `{"outcome":"ready"}`)
		case proto.StepChunk:
			if offset != int64(len(body)) || len(data) == 0 || len(data) > proto.MaxChunk {
				p.t.Fatalf("got %d bytes at %d after %d, want a full sequence", len(data), offset, len(body))
			}
			body, chunks = append(body, data...), chunks+1
			p.result(f, id, `{"outcome":"received","offset":`+number(len(body))+`}`)
		case proto.StepCommit:
			if got := sha256.Sum256(body); int64(len(body)) != size || hex.EncodeToString(got[:]) != digest {
				p.t.Errorf("got a body of %d bytes, want size %d and digest %s", len(body), size, digest)
			}
			p.result(f, id, `{"outcome":"completed","size_bytes":`+number(len(body))+`}`)
			return body, chunks
		default:
			p.t.Fatalf("got step %q", step)
		}
	}
}

// wire 3.8.5, 3.10.2: begin, chunks in order, commit; Core computes size and digest.
func TestTransferSendsTheBodyInSteps(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		for name, tc := range map[string]struct{ size, chunks int }{
			"empty": {0, 0}, "one byte": {1, 1}, "one chunk": {proto.MaxChunk, 1}, "one more": {proto.MaxChunk + 1, 2}, "many": {10*proto.MaxChunk - 1, 10},
		} {
			bubble(t, f.name+", "+name, func(t *testing.T) {
				p, c := newRig(t, nil).dial("one")
				want := bytes.Repeat([]byte("parley."), tc.size/7+1)[:tc.size]
				body := bytes.NewReader(append([]byte("before"), want...))
				_, _ = body.Seek(6, io.SeekStart) // the body is what stands after here
				got := beside(func() (bool, error) { return true, f.run(t.Context(), c, uuid, body) })
				sent, chunks := p.staged(f, uuid)
				if g := <-got; g.err != nil || !bytes.Equal(sent, want) || chunks != tc.chunks {
					t.Errorf("got %v, %d bytes in %d chunks, want %d in %d", g.err, len(sent), chunks, tc.size, tc.chunks)
				}
				p.silent()
			})
		}
	}
}

// behaviour 4.2: what each reply is taken for. The body has two chunks; the script answers well up to the step.
func TestTransferReplies(t *testing.T) {
	t.Parallel()
	refused, failed, observation := &gateway.RefusedError{}, &gateway.FailedError{}, &gateway.ObservationError{}
	unknown := []any{gateway.ErrUnconfirmed, &observation}
	for _, f := range families() {
		for _, tc := range []struct {
			name, step, reply string
			err               []any
		}{
			{"refused at once", "begin", `{"outcome":"rejected","error_code":"` + f.capacity + `"}`, []any{&refused}},
			{"refused at a chunk", "chunk", `{"outcome":"rejected","error_code":"invalid_request"}`, []any{&refused}},
			{"refused at the commit", "commit", `{"outcome":"rejected","error_code":"resource_unavailable"}`, []any{&refused}},
			{"unknown", "commit", `{"outcome":"unknown","error_code":"` + f.unknown + `"}`, []any{gateway.ErrUnconfirmed}},
			{"unknown with another code", "commit", `{"outcome":"unknown","error_code":"weather"}`, unknown},
			{"refused with another code", "commit", `{"outcome":"rejected","error_code":"weather"}`, unknown},
			{"received for begin", "begin", `{"outcome":"received"}`, unknown},
			{"completed for begin", "begin", `{"outcome":"completed","size_bytes":65537}`, unknown},
			{"ready for a chunk", "chunk", `{"outcome":"ready"}`, unknown},
			{"wrong offset", "chunk", `{"outcome":"received","offset":1}`, unknown},
			{"completed for a chunk", "chunk", `{"outcome":"completed","size_bytes":65537}`, unknown},
			{"wrong size", "commit", `{"outcome":"completed","size_bytes":1}`, unknown},
			{"ready for commit", "commit", `{"outcome":"ready"}`, unknown},
			{"no outcome", "commit", `{}`, unknown},
			{"does not decode", "commit", `{"outcome":7}`, unknown},
		} {
			bubble(t, f.name+", "+tc.name, func(t *testing.T) {
				p, c := newRig(t, nil).dial("one")
				got := startTransfer(t, p, c, f, tc.step)
				p.result(f, uuid, tc.reply)
				g := <-got
				for _, want := range tc.err {
					endedWith(t, g.err, want)
				}
				var open *gateway.UnconfirmedError
				if errors.As(g.err, &open) && open.Sent != tc.step {
					t.Errorf("got last step %q, want %q", open.Sent, tc.step)
				}
				p.silent() // no further step, nothing tried again
			})
		}
	}
	for name, reply := range map[string]string{"exit code": `{"outcome":"failed","exit_code":7,"error_code":"runtime_preparation_failed"}`,
		"no exit code": `{"outcome":"failed","error_code":"runtime_preparation_failed"}`} {
		bubble(t, "preparation failed, "+name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			f := families()[1]
			got := startTransfer(t, p, c, f, "commit")
			p.result(f, uuid, reply)
			g := <-got
			if errors.As(g.err, &failed); failed.Code != proto.CodePreparationFailedRuntime || errors.Is(g.err, gateway.ErrUnconfirmed) {
				t.Errorf("got %v, want a definite failure", g.err)
			}
		})
	}
}

// startTransfer runs a transfer of two chunks up to a step that is left unanswered.
func startTransfer(t *testing.T, p *peer, c *gateway.Connection, f family, until string) chan outcome[bool] {
	t.Helper()
	body := strings.NewReader(strings.Repeat("x", proto.MaxChunk+1))
	got := beside(func() (bool, error) { return true, f.run(t.Context(), c, uuid, body) })
	for {
		step, offset, _, _, data := f.step(p.next())
		if step == until {
			return got
		}
		if step == proto.StepBegin {
			p.result(f, uuid, `{"outcome":"ready"}`)
		} else {
			p.result(f, uuid, `{"outcome":"received","offset":`+number(int(offset)+len(data))+`}`)
		}
	}
}

// behaviour 4.2: one at a time, 195 seconds in all, and what ends it is never a failure.
func TestTransfersAreBounded(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		bubble(t, f.name+", one at a time", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := startTransfer(t, p, c, f, "commit")
			endedWith(t, f.run(t.Context(), c, another, strings.NewReader("x")), gateway.ErrBusy)
			endedWith(t, f.run(t.Context(), c, uuid, strings.NewReader("x")), gateway.ErrDuplicate)
			p.result(f, uuid, `{"outcome":"completed","size_bytes":65537}`)
			endedWith(t, (<-got).err, nil)
			got = startTransfer(t, p, c, f, "begin")
			p.result(f, uuid, `{"outcome":"rejected","error_code":"invalid_request"}`)
			<-got
		})
		bubble(t, f.name+", 195 seconds in all", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			start := time.Now()
			got := startTransfer(t, p, c, f, "begin")
			for range 3 { // silence ends a connection after 60 seconds
				elapse(50 * time.Second)
				p.beat("kind")
			}
			p.result(f, uuid, `{"outcome":"ready"}`)
			p.next()
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, gateway.ErrNoAnswer)
			if waited := time.Since(start); waited != 195*time.Second {
				t.Errorf("got an end after %s, want 195s", waited)
			}
			p.silent()
		})
		bubble(t, f.name+", caller gives up", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			ctx, cancel := context.WithCancel(t.Context())
			got := beside(func() (bool, error) { return true, f.run(ctx, c, uuid, strings.NewReader("x")) })
			p.next()
			cancel()
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, context.Canceled)
			p.result(f, uuid, `{"outcome":"ready"}`) // too late: nobody's
			p.silent()
		})
		bubble(t, f.name+", connection ends", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := startTransfer(t, p, c, f, "commit")
			_ = p.ws.Close()
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, gateway.ErrSessionClosed)
		})
		bubble(t, f.name+", completed twice", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			got := startTransfer(t, p, c, f, "commit")
			p.result(f, uuid, `{"outcome":"completed","size_bytes":65537}`)
			p.result(f, uuid, `{"outcome":"completed","size_bytes":65537}`)
			endedWith(t, (<-got).err, nil)
			run, err := c.SubscribeDurable("run")
			if err != nil {
				t.Fatal(err)
			}
			keptOn(t, p, run)
		})
		bubble(t, f.name+", a second reply before the next step", func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			body := &held{Reader: strings.NewReader(strings.Repeat("x", 2*proto.MaxChunk)), after: proto.MaxChunk, hold: make(chan struct{})}
			got := beside(func() (bool, error) { return true, f.run(t.Context(), c, uuid, body) })
			p.next()
			p.result(f, uuid, `{"outcome":"ready"}`)
			p.next()
			p.result(f, uuid, `{"outcome":"received","offset":65536}`)
			p.result(f, uuid, `{"outcome":"received","offset":131072}`) // before the second chunk was sent
			synctest.Wait()
			close(body.hold)
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			p.silent()
		})
	}
}

// What is wrong before the begin is definite, and nothing is sent.
func TestTransferThatCannotBegin(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		bubble(t, f.name, func(t *testing.T) {
			r := newRig(t, nil)
			p, c := r.dial("one")
			large := io.NewSectionReader(endless{}, 0, proto.MaxTransfer+1)
			for name, tc := range map[string]struct {
				id   string
				body io.ReadSeeker
			}{
				"id is no UUID":   {"transfer", strings.NewReader("x")},
				"id is blank":     {"", strings.NewReader("x")},
				"id is nil":       {"00000000-0000-0000-0000-000000000000", strings.NewReader("x")},
				"no body":         {uuid, nil},
				"body too large":  {uuid, large},
				"body unreadable": {uuid, &seekable{Reader: iotest.ErrReader(errors.New("disk"))}},
				"body unseekable": {uuid, &seekable{Reader: strings.NewReader("x"), seek: errors.New("pipe")}},
			} {
				if err := f.run(t.Context(), c, tc.id, tc.body); err == nil || errors.Is(err, gateway.ErrUnconfirmed) {
					t.Errorf("%s: got %v, want a definite error", name, err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := f.run(ctx, c, uuid, strings.NewReader("x")); !errors.Is(err, context.Canceled) || errors.Is(err, gateway.ErrUnconfirmed) {
				t.Errorf("got %v for a caller that is gone, want canceled and definite", err)
			}
			p.silent()
			r.gateway.Close()
			err := f.run(t.Context(), c, uuid, strings.NewReader("x"))
			endedWith(t, err, gateway.ErrSessionClosed)
		})
	}
}

// A body that becomes shorter ends the transfer without a commit.
func TestTransferOfABodyThatShrinks(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		bubble(t, f.name, func(t *testing.T) {
			p, c := newRig(t, nil).dial("one")
			body := &shrinking{Reader: strings.NewReader("four")}
			got := beside(func() (bool, error) { return true, f.run(t.Context(), c, uuid, body) })
			p.next()
			p.result(f, uuid, `{"outcome":"ready"}`)
			g := <-got
			endedWith(t, g.err, gateway.ErrUnconfirmed)
			endedWith(t, g.err, io.ErrUnexpectedEOF)
			var open *gateway.UnconfirmedError
			if errors.As(g.err, &open); open.Sent != proto.StepBegin {
				t.Errorf("got last step %q, want begin: nothing can have been applied", open.Sent)
			}
			p.silent()
		})
	}
}
