package dispatch_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/daemon/proto"
)

// behaviour 5.5: a factory that fails: closed first, then told.
func TestPreparationFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set      func(a *adapter)
		revision uint64
		code     string
		closes   int
	}{
		"without an executor": {set: func(*adapter) {}, revision: 2, code: proto.CodePreparationFailed},
		"with an executor":    {set: func(a *adapter) { a.factoryToo = true }, revision: 2, code: proto.CodePreparationFailed, closes: 1},
		"close fails too": {set: func(a *adapter) {
			a.factoryToo = true
			a.closeErr = func(n int) error {
				if n == 1 {
					return errBroken
				}
				return nil
			}
		}, revision: 3, code: proto.CodeCleanupUnconfirmed, closes: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				a.factory = func(context.Context) error { return errBroken }
				test.set(a)
				closedFirst := 0
				b.refusing(func(frame proto.Frame) error {
					if s, ok := frame.Payload.(*proto.PreparationStatus); ok && s.State == proto.StateFailed {
						_, _, closedFirst = a.counts()
					}
					return nil
				})
				b.handle(prepareFrame("p1", session(1)))
				b.status(proto.StatePreparing, 1)
				if got := b.status(proto.StateFailed, test.revision); got.ErrorCode != test.code {
					t.Errorf("code %q, want %q", got.ErrorCode, test.code)
				}
				if closedFirst != test.closes {
					t.Errorf("%d closes before failed was told, want %d", closedFirst, test.closes)
				}
				b.silent()
				b.stop()
			})
		})
	}
}

// behaviour 5.5: release and expiry while the factory works, and after it.
func TestReleaseAndExpiry(t *testing.T) {
	t.Parallel()
	slow := func(a *adapter) {
		a.factory = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	}
	release := func(b *bench, handle string) {
		b.handle(proto.New("p1", &proto.ExecutionRelease{Handle: handle}))
	}
	expiry := func(b *bench, _ string) { elapse(proto.AdmissionLife) }
	for name, test := range map[string]struct {
		set   func(*adapter)
		act   func(*bench, string)
		state string
	}{
		"release while preparing": {slow, release, proto.StateReleased},
		"release when ready":      {nil, release, proto.StateReleased},
		"expiry while preparing":  {slow, expiry, proto.StateExpired},
		"expiry when ready":       {nil, expiry, proto.StateExpired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				revision := uint64(3)
				var handle string
				if test.set != nil {
					test.set(a)
					b.handle(prepareFrame("p1", session(1)))
					handle, revision = b.status(proto.StatePreparing, 1).Handle, 2
				} else {
					handle = b.ready("p1", session(1)).Handle
				}
				test.act(b, handle)
				b.status(test.state, revision)
				if test.set != nil {
					b.status(test.state, revision) // told once more when the factory has returned
				}
				release(b, handle)
				b.status(test.state, revision) // terminal: only repeated
				b.handle(startFrame("p1", "r1", &proto.PreparationStatus{Handle: handle, ExecutorID: "x"}))
				b.rejected(proto.TypeExecutionStart, proto.CodeUnknownExecutor)
				b.stop()
			})
		})
	}
}

// behaviour 5.5: release errors.
func TestReleaseIsRefused(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		ready := b.ready("p1", session(1))
		b.handle(proto.New("p1", &proto.ExecutionRelease{}))
		b.rejected(proto.TypeExecutionRelease, proto.CodeInvalidRelease)
		b.handle(proto.New("p1", &proto.ExecutionRelease{Handle: "unknown"}))
		b.rejected(proto.TypeExecutionRelease, proto.CodeUnknownPreparation)
		b.handle(proto.New("p2", &proto.ExecutionRelease{Handle: ready.Handle}))
		b.rejected(proto.TypeExecutionRelease, proto.CodeUnknownPreparation)
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		b.status(proto.StateStarted, 4)
		b.handle(proto.New("p1", &proto.ExecutionRelease{Handle: ready.Handle}))
		b.status(proto.StateStarted, 4) // the Run is untouched
		(<-a.turns).complete("")
		b.kind(proto.TypeDone)
		b.stop()
	})
}

// behaviour 5.6: each check of a start.
func TestStartIsRefused(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		ready := b.ready("p1", session(1))
		other := b.ready("p2", session(2))
		empty := proto.New("p1", &proto.ExecutionStart{ExecutorID: ready.ExecutorID, Handle: ready.Handle, RunID: "r1"})
		b.handle(empty)
		b.rejected(proto.TypeExecutionStart, proto.CodeInvalidStart)
		b.handle(startFrame("p2", "r1", ready))
		b.rejected(proto.TypeExecutionStart, proto.CodeUnknownPreparation)
		b.handle(startFrame("p1", "r1", &proto.PreparationStatus{Handle: ready.Handle, ExecutorID: other.ExecutorID}))
		b.rejected(proto.TypeExecutionStart, proto.CodeUnknownExecutor)
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		b.status(proto.StateStarted, 4)
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarted, 4)
		b.handle(startFrame("p1", "r2", ready))
		b.rejected(proto.TypeExecutionStart, proto.CodeStartConflict)
		b.handle(startFrame("p2", "r1", other))
		b.rejected(proto.TypeExecutionStart, proto.CodeRunConflict)
		if _, starts, _ := a.counts(); starts != 1 {
			t.Errorf("%d native starts, want 1", starts)
		}
		(<-a.turns).complete("")
		b.kind(proto.TypeDone)
		b.stop()
	})
}

// behaviour 5.6: a start while the factory still works.
func TestStartBeforeReady(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.factory = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		b.handle(prepareFrame("p1", session(1)))
		preparing := b.status(proto.StatePreparing, 1)
		b.handle(startFrame("p1", "r1", preparing))
		b.rejected(proto.TypeExecutionStart, proto.CodePreparationNotReady)
		b.stop()
		b.silent() // shutdown ends the admission without telling
	})
}

// behaviour 5.7: retired records make room, the rest does not.
func TestRecords(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		b.started(a, "p0", session(0), "r0").complete("")
		b.kind(proto.TypeDone)
		for n := range 2 * proto.MaxRecords {
			id := fmt.Sprintf("again-%d", n)
			b.handle(prepareFrame(id, session(0)))
			ready := b.status(proto.StateReady, 1)
			b.handle(proto.New(id, &proto.ExecutionRelease{Handle: ready.Handle}))
			b.status(proto.StateReleased, 2)
			elapse(time.Millisecond) // so that one record is the oldest
		}
		b.handle(prepareFrame("again-0", session(0), func(c *proto.Configuration) { c.AgentOptions.Model = "other" }))
		b.rejected(proto.TypeExecutionPrepare, proto.CodeConfigurationConflict) // its record is gone, so no request_conflict
		b.stop()
	})
}

// behaviour 5.5: a status that cannot be sent ends the admission.
func TestStatusCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, state := range []string{proto.StatePreparing, proto.StateReady} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				b.refusing(func(frame proto.Frame) error {
					if s, ok := frame.Payload.(*proto.PreparationStatus); ok && s.State == state {
						return errBroken
					}
					return nil
				})
				b.handle(prepareFrame("p1", session(1)))
				if state == proto.StateReady {
					b.status(proto.StatePreparing, 1)
				}
				b.silent()
				b.refusing(nil)
				b.handle(prepareFrame("p2", session(1)))
				if state == proto.StateReady {
					b.status(proto.StateReady, 1) // the Executor went idle
				} else {
					b.status(proto.StatePreparing, 1)
					b.status(proto.StateReady, 2)
				}
				b.stop()
			})
		})
	}
}

// behaviour 5.8: an idle Executor is closed after its idle life, and not before it was used again.
func TestIdleLife(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		b.started(a, "p1", session(1), "r1").complete("")
		b.kind(proto.TypeDone)
		elapse(proto.IdleLife - time.Second)
		b.handle(prepareFrame("p2", session(1)))
		b.handle(proto.New("p2", &proto.ExecutionRelease{Handle: b.status(proto.StateReady, 1).Handle}))
		b.status(proto.StateReleased, 2)
		elapse(proto.IdleLife - time.Second)
		if _, _, closes := a.counts(); closes != 0 {
			t.Errorf("closed %d times within its second idle period", closes)
		}
		elapse(time.Second)
		if _, _, closes := a.counts(); closes != 1 {
			t.Errorf("closed %d times, want 1", closes)
		}
		b.stop()
	})
}
