package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

// bubble runs a test under fake time with a fresh adapter.
func bubble(t *testing.T, f func(t *testing.T, a *adapter, b *bench), change ...func(*dispatch.Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := newAdapter()
		f(t, a, newBench(t, a, change...))
	})
}

// behaviour 6.1: done comes last, after everything else is true.
func TestTurnCompletes(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		turn := b.started(a, "p1", session(1), "r1")
		turn.say(&proto.Delta{Delta: "hi"})
		b.kind(proto.TypeDelta)
		turn.say(&proto.Done{Content: "hi"})
		b.silent() // done is held until the turn has settled
		turn.finish()
		done := b.kind(proto.TypeDone).Payload.(*proto.Done)
		if done.Content != "hi" {
			t.Errorf("content %q, want %q", done.Content, "hi")
		}
		if n := b.router.ActiveRuns(); n != 0 {
			t.Errorf("%d runs left", n)
		}
		b.stop()
		if _, _, closes := a.counts(); closes != 1 {
			t.Errorf("executor closed %d times, want once at shutdown", closes)
		}
	})
}

// behaviour 6.1: the Executor serves the next preparation the moment done is read.
func TestExecutorIsAvailableBeforeDoneIsWritten(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		turn := b.started(a, "p1", session(1), "r1")
		reused := make(chan struct{})
		b.refusing(func(frame proto.Frame) error {
			if frame.Type == proto.TypeDone {
				b.handle(prepareFrame("p2", session(1)))
				close(reused)
			}
			return nil
		})
		turn.complete("")
		<-reused
		b.kind(proto.TypeDone)
		if got := b.status(proto.StateReady, 1); !got.Reused {
			t.Error("ready without reused")
		}
		b.stop()
	})
}

// behaviour 6.1, 6.4: every way a Run can end, and what it tells.
func TestEndsOfARun(t *testing.T) {
	t.Parallel()
	foreign := proto.New("other", &proto.Delta{Delta: "x"})
	tests := map[string]struct {
		set    func(a *adapter)
		act    func(b *bench, turn *turn)
		want   []proto.Type
		code   string // of the receipt, with applied=false; "applied" for true
		closes int
		runs   int
	}{
		"foreign frame": {act: func(_ *bench, turn *turn) { turn.output <- foreign },
			want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"frame after done": {act: func(_ *bench, turn *turn) {
			turn.say(&proto.Done{Content: "x"})
			turn.say(&proto.Delta{Delta: "late"})
			turn.finish()
		}, want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"receipt as output": {act: func(_ *bench, turn *turn) { turn.say(&proto.DecisionAck{DeliveryID: "x"}) },
			want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"unrequested subagent": {act: func(_ *bench, turn *turn) { turn.say(&proto.SubagentIdentity{}) },
			want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"channel closed without done": {act: func(_ *bench, turn *turn) { turn.finish() },
			want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"settlement fails": {set: func(a *adapter) {
			a.settle = func(context.Context, *turn) (bool, error) { return false, errBroken }
		}, act: func(_ *bench, turn *turn) { turn.complete("x") },
			want: []proto.Type{proto.TypeError, proto.TypeDone}, closes: 1},
		"not reusable": {set: func(a *adapter) {
			a.settle = func(_ context.Context, t *turn) (bool, error) { <-t.over; return false, nil }
		}, act: func(_ *bench, turn *turn) { turn.complete("x") }, want: []proto.Type{proto.TypeDone}, closes: 1},
		"cancelled": {act: func(b *bench, _ *turn) { b.handle(cancelFrame("r1", "d")) },
			want: []proto.Type{proto.TypeDone, proto.TypeDecisionAck}, code: "applied"},
		"cancelled without a delivery id": {act: func(b *bench, _ *turn) { b.handle(cancelFrame("r1", "")) },
			want: []proto.Type{proto.TypeDone}},
		"cancel of a turn that said done": {act: func(b *bench, turn *turn) {
			turn.say(&proto.Done{Content: "x"})
			synctest.Wait()
			b.handle(cancelFrame("r1", "d"))
			turn.finish()
		}, want: []proto.Type{proto.TypeDone, proto.TypeDecisionAck}, code: proto.CodeRunInactive},
		"native cancel fails": {set: func(a *adapter) {
			a.cancel = func(context.Context, *turn) error { return errBroken }
		}, act: func(b *bench, turn *turn) { b.handle(cancelFrame("r1", "d")) },
			want: []proto.Type{proto.TypeError, proto.TypeDone, proto.TypeDecisionAck}, code: proto.CodeCancelFailed, closes: 1},
		"native cancel hangs": {set: func(a *adapter) {
			a.cancel = func(ctx context.Context, _ *turn) error { <-ctx.Done(); return ctx.Err() }
		}, act: func(b *bench, _ *turn) {
			b.handle(cancelFrame("r1", "d"))
			elapse(proto.SettlementTimeout)
		}, want: []proto.Type{proto.TypeError, proto.TypeDone, proto.TypeDecisionAck}, code: proto.CodeCancelTimeout, closes: 1},
		"no snapshot": {set: func(a *adapter) { a.noOutcome = true },
			act:  func(b *bench, _ *turn) { b.handle(cancelFrame("r1", "d")) },
			want: []proto.Type{proto.TypeDone, proto.TypeDecisionAck}, code: proto.CodeCancelOutcomeUnavailable},
		"close fails": {set: func(a *adapter) {
			a.settle = func(context.Context, *turn) (bool, error) { return false, errBroken }
			a.closeErr = func(n int) error {
				if n == 1 {
					return errBroken
				}
				return nil
			}
		}, act: func(_ *bench, turn *turn) { turn.complete("x") }, closes: 1, runs: 1},
		"output cannot be sent": {act: func(b *bench, turn *turn) {
			b.refusing(func(frame proto.Frame) error {
				if frame.Type == proto.TypeDelta {
					return errBroken
				}
				return nil
			})
			turn.say(&proto.Delta{Delta: "x"})
			synctest.Wait()
			b.handle(cancelFrame("r1", "d")) // the Run is over or about to be
		}, want: []proto.Type{proto.TypeDecisionAck}, code: proto.CodeRunInactive},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				if test.set != nil {
					test.set(a)
				}
				turn := b.started(a, "p1", session(1), "r1")
				test.act(b, turn)
				for _, want := range test.want {
					if want != proto.TypeDecisionAck {
						b.kind(want)
						continue
					}
					applied, code := test.code == "applied", test.code
					if applied {
						code = ""
					}
					if ack := b.ack(applied, code); applied && (ack.Outcome == nil || ack.Outcome.Content != "partial") {
						t.Errorf("outcome %+v, want the snapshot", ack.Outcome)
					}
				}
				b.silent()
				if _, _, closes := a.counts(); closes != test.closes {
					t.Errorf("executor closed %d times, want %d", closes, test.closes)
				}
				if got := b.router.ActiveRuns(); got != test.runs {
					t.Errorf("%d runs left, want %d", got, test.runs)
				}
				turn.finish()
				b.stop()
			})
		})
	}
}

// behaviour 6.1: a close that failed keeps the Run; the next cancel tries again and is never applied.
func TestCancelRetriesAFailedClose(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.settle = func(context.Context, *turn) (bool, error) { return false, errBroken }
		a.closeErr = func(n int) error {
			if n < 3 {
				return errBroken
			}
			return nil
		}
		turn := b.started(a, "p1", session(1), "r1")
		turn.complete("x")
		b.silent()
		b.handle(prepareFrame("p2", session(1)))
		b.rejected(proto.TypeExecutionPrepare, proto.CodeCleanupUnconfirmed)
		b.handle(cancelFrame("r1", "d1"))
		b.ack(false, proto.CodeCancelFailed)
		b.handle(cancelFrame("r1", "d2"))
		b.kind(proto.TypeError)
		b.kind(proto.TypeDone)
		b.ack(false, proto.CodeCancelFailed)
		b.ready("p3", session(1))
		b.stop()
	})
}

// behaviour 5.6: starts that bring no Turn, and starts that fail on the way.
func TestStartsWithoutATurn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set    func(a *adapter, b *bench)
		code   string // of the rejection; "" when nothing is told
		starts int
	}{
		"no turn": {set: func(a *adapter, _ *bench) { a.noTurn, a.startErr = true, errBroken },
			code: proto.CodeExecutorUnavailable, starts: 1},
		"no turn and the close fails": {set: func(a *adapter, _ *bench) {
			a.noTurn = true
			a.closeErr = func(n int) error {
				if n == 1 {
					return errBroken
				}
				return nil
			}
		}, code: proto.CodeCleanupUnconfirmed, starts: 1},
		"starting cannot be sent": {set: func(_ *adapter, b *bench) {
			b.refusing(func(frame proto.Frame) error {
				if s, ok := frame.Payload.(*proto.PreparationStatus); ok && s.State == proto.StateStarting {
					return errBroken
				}
				return nil
			})
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				ready := b.ready("p1", session(1))
				test.set(a, b)
				b.handle(startFrame("p1", "r1", ready))
				if test.code != "" {
					b.status(proto.StateStarting, 3)
					got := b.rejected(proto.TypeExecutionStart, test.code)
					if got.Handle != ready.Handle || got.ExecutorID != ready.ExecutorID {
						t.Errorf("got %+v, want handle and executor of the start", got)
					}
				}
				b.silent()
				if _, starts, closes := a.counts(); starts != test.starts || closes != 1 {
					t.Errorf("%d starts and %d closes, want %d and 1", starts, closes, test.starts)
				}
				b.stop()
			})
		})
	}
}

// behaviour 5.6: a Turn that comes with an error is started, aborted and closed.
func TestTurnWithError(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.startErr = errBroken
		ready := b.ready("p1", session(1))
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		b.status(proto.StateStarted, 4)
		b.kind(proto.TypeError)
		b.kind(proto.TypeDone)
		if _, _, closes := a.counts(); closes != 1 {
			t.Errorf("%d closes, want 1", closes)
		}
		b.stop()
	})
}

// behaviour 5.6: started could not be sent: no error, no done; a waiting cancel learns that output is unavailable.
func TestStartedCannotBeSent(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		ready := b.ready("p1", session(1))
		b.refusing(func(frame proto.Frame) error {
			if s, ok := frame.Payload.(*proto.PreparationStatus); ok && s.State == proto.StateStarted {
				b.handle(cancelFrame("r1", "d"))
				return errBroken
			}
			return nil
		})
		a.cancel = func(_ context.Context, t *turn) error { t.finish(); return nil }
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		frame := b.kind(proto.TypeDecisionAck)
		if ack := frame.Payload.(*proto.DecisionAck); ack.Applied || ack.ErrorCode != proto.CodeCancelOutputUnavailable {
			t.Errorf("got %s, want cancel_output_unavailable", text(frame))
		}
		b.silent()
		if _, _, closes := a.counts(); closes != 1 {
			t.Errorf("%d closes, want 1", closes)
		}
		b.stop()
	})
}

// behaviour 5.6: frames and even done before StartTurn returned; started still comes before done.
func TestOutputBeforeStartTurnReturns(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.early = []proto.Frame{proto.New("r1", &proto.Delta{Delta: "a"}), proto.New("r1", &proto.Done{Content: "a"})}
		ready := b.ready("p1", session(1))
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		(<-a.turns).finish()
		b.status(proto.StateStarted, 4)
		b.kind(proto.TypeDelta)
		b.kind(proto.TypeDone)
		b.stop()
	})
}

// behaviour 6.4: a cancel while starting waits for the start.
func TestCancelWhileStarting(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		ready := b.ready("p1", session(1))
		a.noTurn = true
		b.refusing(func(frame proto.Frame) error {
			if s, ok := frame.Payload.(*proto.PreparationStatus); ok && s.State == proto.StateStarting {
				b.handle(cancelFrame("r1", "d"))
			}
			return nil
		})
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		b.rejected(proto.TypeExecutionStart, proto.CodeStartCancelled)
		if ack := b.ack(true, ""); ack.Outcome == nil || ack.Outcome.Content != "" {
			t.Errorf("outcome %+v, want an empty one", ack.Outcome)
		}
		if _, starts, _ := a.counts(); starts != 0 {
			t.Errorf("%d native starts, want none", starts)
		}
		b.stop()
	})
}

// behaviour 6.4: a Run that nobody knows.
func TestCancelOfAnUnknownRun(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		b.handle(cancelFrame("nobody", "d"))
		b.ack(false, proto.CodeRunInactive)
		b.handle(cancelFrame("nobody", ""))
		b.silent()
		b.stop()
	})
}

var _ harness.Turn = (*turn)(nil)

// behaviour 6.1: an adapter that needs its output taken before StartTurn returns is not left waiting.
func TestManyFramesBeforeStartTurnReturns(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		const frames = 3 * proto.OutputQueue
		for n := range uint64(frames) {
			a.early = append(a.early, proto.New("r1", &proto.Delta{Delta: "x", Sequence: n}))
		}
		ready := b.ready("p1", session(1))
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		next := uint64(0)
		for range frames + 1 { // and started, somewhere among them
			frame := b.next()
			if delta, is := frame.Payload.(*proto.Delta); is {
				if delta.Sequence != next {
					t.Fatalf("got frame %d, want %d", delta.Sequence, next)
				}
				next++
			}
		}
		(<-a.turns).complete("")
		b.kind(proto.TypeDone)
		b.stop()
	})
}
