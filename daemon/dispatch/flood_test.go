package dispatch_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

// deaf is a peer that stops reading when the test says so: a send then waits for its limit or the connection's end.
type deaf struct {
	reads   dispatch.Sender // until then
	closed  chan struct{}   // the peer reads no more
	over    chan struct{}   // the connection ended
	waiting atomic.Int64
	most    atomic.Int64
}

func (d *deaf) send(ctx context.Context, frame proto.Frame) error {
	select {
	case <-d.closed:
	default:
		return d.reads(ctx, frame)
	}
	now := d.waiting.Add(1)
	defer d.waiting.Add(-1)
	for most := d.most.Load(); now > most && !d.most.CompareAndSwap(most, now); most = d.most.Load() {
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.over:
		return errBroken
	}
}

// floods are the frames that a peer can send as often as it likes, after whatever has to come before.
func floods() map[string]func(a *adapter, b *bench) func(n int) proto.Frame {
	same := func(frame proto.Frame) func(*adapter, *bench) func(int) proto.Frame {
		return func(*adapter, *bench) func(int) proto.Frame { return func(int) proto.Frame { return frame } }
	}
	inRun := func(frame func(n int) proto.Frame) func(*adapter, *bench) func(int) proto.Frame {
		return func(a *adapter, b *bench) func(int) proto.Frame {
			b.started(a, "p1", session(1), "r1")
			return frame
		}
	}
	return map[string]func(*adapter, *bench) func(int) proto.Frame{
		"refused prepare": same(proto.New("p", &proto.ExecutionPrepare{})),
		"refused start":   same(proto.New("p", &proto.ExecutionStart{})),
		"refused release": same(proto.New("p", &proto.ExecutionRelease{})),
		"refused steer":   same(steerFrame("nobody", "i", "go on")),
		"refused result":  same(proto.New("nobody", &proto.FunctionResult{CallID: "c", DeliveryID: "d"})),
		"refused cancel":  same(cancelFrame("nobody", "d")),
		"refused read":    same(proto.New("op", &proto.WorkspaceRead{})),
		"refused write":   same(proto.New(transferA, &proto.WorkspaceWrite{})),
		"refused setup":   same(proto.New(transferA, &proto.RuntimePrepare{})),
		"refused export":  same(proto.New("op", exportBegin("none"))),
		"refused quiesce": same(proto.New("op", &proto.EnvironmentQuiesce{})),
		"refused resume":  same(proto.New("op", &proto.EnvironmentResume{})),
		"repeated prepare": func(_ *adapter, b *bench) func(int) proto.Frame {
			b.ready("p1", session(1))
			return func(int) proto.Frame { return prepareFrame("p1", session(1)) }
		},
		"repeated release": func(_ *adapter, b *bench) func(int) proto.Frame {
			release := proto.New("p1", &proto.ExecutionRelease{Handle: b.ready("p1", session(1)).Handle})
			b.handle(release)
			b.status(proto.StateReleased, 3)
			return func(int) proto.Frame { return release }
		},
		"repeated start": func(a *adapter, b *bench) func(int) proto.Frame {
			start := startFrame("p1", "r1", b.ready("p1", session(1)))
			b.handle(start)
			b.status(proto.StateStarting, 3)
			b.status(proto.StateStarted, 4)
			return func(int) proto.Frame { return start }
		},
		"steer that is not taken yet": inRun(func(n int) proto.Frame { return steerFrame("r1", fmt.Sprint(n), "go on") }),
		"result of an unknown call":   inRun(func(n int) proto.Frame { return resultFrame("r1", "d", fmt.Sprint(n), "text", true) }),
		"cancel":                      inRun(func(n int) proto.Frame { return cancelFrame("r1", fmt.Sprint(n)) }),
	}
}

// hostile-inputs W-4, 3: a peer that asks and does not read gets few answers, whatever it asks; the rest stays with it.
// When its connection has ended, everything is over.
func TestFloodWithoutReading(t *testing.T) {
	t.Parallel()
	const frames, fewest = 1000, 80 // 64 results or cancels of a Turn, and a few
	for name, prepare := range floods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAdapter()
				a.steer = func(context.Context, func()) error { return harness.ErrNotReady }
				a.function = func(context.Context, proto.FunctionResult) error { return harness.ErrUnknownCall }
				a.cancel = func(context.Context, *turn) error { return errBroken }
				peer := &deaf{closed: make(chan struct{}), over: make(chan struct{})}
				b := newBench(t, a, func(config *dispatch.Config) { config.Send = peer.send })
				peer.reads = b.send
				frame := prepare(a, b)
				close(peer.closed)
				var handled atomic.Int64
				var group sync.WaitGroup
				group.Go(func() {
					for n := range frames {
						_ = b.router.Handle(frame(n))
						handled.Add(1)
					}
				})
				synctest.Wait()
				if got := peer.most.Load(); got > fewest || got == 0 {
					t.Errorf("got %d answers on their way after %d frames, want 1 to %d", got, handled.Load(), fewest)
				}
				if got := handled.Load(); got > fewest {
					t.Errorf("got %d frames handled, want %d at most", got, fewest)
				}
				elapse(2 * proto.ReceiptTimeout)
				close(peer.over)
				group.Wait()
				if got := peer.most.Load(); got > fewest {
					t.Errorf("got %d answers on their way at once, want %d at most", got, fewest)
				}
				b.stop()
			})
		})
	}
}

// hostile-inputs W-4: results of reads that nobody takes are few, although each read has ended.
func TestReadsWithoutReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		peer := &deaf{closed: make(chan struct{}), over: make(chan struct{})}
		d := newDesk(t, func(config *dispatch.Config) { peer.reads, config.Send = config.Send, peer.send })
		d.put("file", strings.Repeat("x", proto.MaxReadBytes))
		handle := d.readable("prep")
		close(peer.closed)
		var group sync.WaitGroup
		group.Go(func() {
			for n := range 100 {
				_ = d.hears(proto.New(fmt.Sprint(n), readBytes(handle, "file", proto.MaxReadBytes)))
				<-time.After(time.Millisecond) // of the bubble: the read ends, and its answer does not
			}
		})
		elapse(time.Second)
		if got := peer.most.Load(); got < 1 || got > 6 {
			t.Errorf("got %d results of 1 MiB on their way, want 1 to 6", got)
		}
		close(peer.over)
		group.Wait()
	})
}

// behaviour 5.2: a peer that reads gets every answer, in order.
func TestFloodWithReading(t *testing.T) {
	t.Parallel()
	const frames = 2000
	bubble(t, func(t *testing.T, _ *adapter, b *bench) {
		began := time.Now()
		for n := range frames {
			b.handle(proto.New(fmt.Sprint(n), &proto.ExecutionRelease{}))
			if got := b.kind(proto.TypePreparationStatus); got.ID != fmt.Sprint(n) {
				t.Fatalf("got an answer to %s, want to %d", got.ID, n)
			}
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("got a pause of %s, want none", waited)
		}
		b.stop()
	})
}

// behaviour 5.1: while the answers are slow, a few of them keep no cancel waiting.
func TestSlowAnswersAndACancel(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		turn := b.started(a, "p1", session(1), "r1")
		slow := make(chan struct{})
		b.refusing(func(frame proto.Frame) error {
			if frame.Type == proto.TypePreparationStatus {
				<-slow
			}
			return nil
		})
		for range 4 {
			b.handle(proto.New("p", &proto.ExecutionRelease{}))
		}
		b.handle(cancelFrame("r1", "d"))
		<-turn.over
		close(slow)
		synctest.Wait()
		for len(b.sent) > 0 {
			<-b.sent
		}
		b.stop()
	})
}

// behaviour 6.4: the deliveries that wait for one Run are bounded in number and in bytes; one too many is told
// at once that it failed, and each of the others once how the Run ended.
func TestManyCancels(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		id   func(n int) string
		kept int
	}{
		"many":           {func(n int) string { return fmt.Sprint(n) }, 64},
		"long":           {func(n int) string { return fmt.Sprint(n, long) }, 1},
		"equal":          {func(int) string { return "d" }, 1},
		"of a kibibyte":  {func(n int) string { return fmt.Sprintf("%04d", n) + long[:1020] }, 64},
		"of 2 kibibytes": {func(n int) string { return fmt.Sprintf("%04d", n) + long[:2044] }, 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				hold := make(chan struct{})
				a.cancel = func(_ context.Context, turn *turn) error { <-hold; turn.finish(); return nil }
				b.started(a, "p1", session(1), "r1")
				const cancels = 80
				told, at := map[string]int{}, 0
				for n := range cancels {
					b.handle(cancelFrame("r1", c.id(n)))
					if synctest.Wait(); len(b.sent) > 0 {
						told[b.ack(false, proto.CodeCancelFailed).DeliveryID]++
						at++
					}
				}
				close(hold)
				b.kind(proto.TypeDone)
				for range c.kept {
					told[b.ack(true, "").DeliveryID]++
				}
				b.silent()
				for n := range cancels {
					if got := told[c.id(n)]; got != 1 {
						t.Fatalf("got %d receipts of delivery %d, want 1", got, n)
					}
				}
				b.stop()
			})
		})
	}
}

// behaviour 6.6: results that the Turn has not taken are bounded in number and in bytes; one too many is not_ready.
func TestManyResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, taken int }{"many": {1, 64}, "large": {2 << 20, 3}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				a.function = func(ctx context.Context, _ proto.FunctionResult) error { <-ctx.Done(); return ctx.Err() }
				turn := b.started(a, "p1", session(1), "r1")
				refused, sent := 0, c.taken+5
				for n := range sent {
					frame := resultFrame("r1", fmt.Sprint(n), fmt.Sprint(n), "text", true)
					frame.Raw = make([]byte, c.size)
					b.handle(frame)
					if synctest.Wait(); len(b.sent) > 0 {
						b.ack(false, proto.CodeNotReady)
						refused++
					}
				}
				if refused != sent-c.taken {
					t.Errorf("got %d refused of %d, want %d", refused, sent, sent-c.taken)
				}
				turn.complete("")
				for range c.taken {
					b.ack(false, proto.CodeRuntimeError)
				}
				b.kind(proto.TypeDone)
				b.stop()
			})
		})
	}
}

// behaviour 5.7: records are bounded in the bytes of their ids too.
func TestRecordsOfLongRequests(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, _ *adapter, b *bench) {
		long := strings.Repeat("x", 400<<10)
		first := b.ready("first"+long, session(1))
		var oldest string
		for n := range 8 {
			id := fmt.Sprint(n, long)
			ready := b.ready(id, session(2+n))
			b.handle(proto.New(id, &proto.ExecutionRelease{Handle: ready.Handle}))
			b.status(proto.StateReleased, ready.Revision+1)
			oldest = cmp.Or(oldest, ready.Handle)
		}
		b.handle(proto.New("first"+long, &proto.ExecutionRelease{Handle: first.Handle}))
		b.status(proto.StateReleased, 3) // what owns something is never forgotten
		b.handle(proto.New("0"+long, &proto.ExecutionRelease{Handle: oldest}))
		b.rejected(proto.TypeExecutionRelease, proto.CodeUnknownPreparation)
		b.stop()
	})
}

// hostile-inputs 3: what a peer can cause often is not logged often; what was left out is counted.
func TestLogOnRations(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	bubble(t, func(t *testing.T, _ *adapter, b *bench) {
		b.refusing(func(proto.Frame) error { return errBroken })
		flood := func() {
			for range 500 {
				b.handle(proto.New("p", &proto.ExecutionRelease{}))
				synctest.Wait()
			}
		}
		flood()
		if got := strings.Count(log.String(), "\n"); got != 10 {
			t.Errorf("got %d lines, want 10", got)
		}
		elapse(time.Minute)
		flood()
		if got := log.String(); strings.Count(got, "\n") != 20 || !strings.Contains(got, "left_out=490") {
			t.Errorf("got %d lines, want ten more, and the 490 that were left out before them", strings.Count(got, "\n"))
		}
		b.stop()
		if got := log.String(); strings.Count(got, "\n") != 21 || !strings.Contains(got, "number=490") {
			t.Errorf("got %d lines, want one with the last 490 at the end", strings.Count(got, "\n"))
		}
	}, func(config *dispatch.Config) { config.Log = slog.New(slog.NewTextHandler(&log, nil)) })
}
