package dispatch_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

const (
	environmentID = "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30"
	workspaceName = "/workspace"
)

// bind gives the Router an Environment for session 1.
func bind(c *dispatch.Config) {
	c.Binding = &dispatch.Binding{EnvironmentID: environmentID, SessionID: session(1), WorkspaceDirectory: workspaceName}
}

func local(id, directory string) func(*proto.Configuration) {
	return func(c *proto.Configuration) {
		c.DisableExecutionEnvironment = false
		c.LocalEnvironment = &proto.LocalEnvironment{ID: id, WorkspaceDirectory: directory}
	}
}

// behaviour 5.3: each check has its code.
func TestPrepareIsRefused(t *testing.T) {
	t.Parallel()
	unavailable := func(c *dispatch.Config) {
		_ = c.Registry.Declare(harness.Declaration{Kind: kindName, Capabilities: declared()})
	}
	without := func(missing proto.Capability) func(c *dispatch.Config) {
		return func(c *dispatch.Config) {
			all := declared()
			all[missing] = proto.Unsupported
			_ = c.Registry.Declare(harness.Declaration{Kind: kindName, Available: true, Capabilities: all})
			_ = c.Registry.SetFactory(kindName, newAdapter().make)
		}
	}
	tests := map[string]struct {
		change func(*proto.Configuration)
		config func(*dispatch.Config)
		frame  func() proto.Frame
		code   string
	}{
		"payload that does not decode": {frame: func() proto.Frame {
			frame, err := proto.Decode([]byte(`{"type":"execution_prepare","id":"p","payload":{"session_id":4}}`))
			if err != nil {
				t.Fatal(err)
			}
			return frame
		}, code: proto.CodeInvalidRequest},
		"run id":            {change: func(c *proto.Configuration) { c.RunID = "r" }, code: proto.CodeInvalidConfiguration},
		"state key":         {change: func(c *proto.Configuration) { c.AgentStateKey = "x" }, code: proto.CodeInvalidConfiguration},
		"unknown kind":      {change: func(c *proto.Configuration) { c.AgentKind = "x" }, code: proto.CodeResourceUnavailable},
		"unavailable kind":  {config: unavailable, code: proto.CodeResourceUnavailable},
		"no preparation":    {config: without(proto.Preparation), code: proto.CodeUnsupportedPreparation},
		"no binding":        {change: local(environmentID, workspaceName), code: proto.CodeInvalidConfiguration},
		"other environment": {config: bind, change: local(session(9), workspaceName), code: proto.CodeInvalidConfiguration},
		"other folder":      {config: bind, change: local(environmentID, "/other"), code: proto.CodeInvalidConfiguration},
		"no place":          {change: func(c *proto.Configuration) { c.DisableExecutionEnvironment = false }, code: proto.CodeUnsupportedConfiguration},
		"undeclared feature": {config: without(proto.FunctionTools), change: func(c *proto.Configuration) {
			c.FunctionTools = []proto.FunctionTool{{Name: "f", Description: "d", Parameters: []byte(`{"type":"object"}`)}}
		}, code: proto.CodeUnsupportedConfiguration},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var changes []func(*dispatch.Config)
				if test.config != nil {
					changes = append(changes, test.config)
				}
				a := newAdapter()
				b := newBench(t, a, changes...)
				frame := proto.Frame{}
				switch {
				case test.frame != nil:
					frame = test.frame()
				case test.change != nil:
					frame = prepareFrame("p", session(1), test.change)
				default:
					frame = prepareFrame("p", session(1))
				}
				b.handle(frame)
				got := b.rejected(proto.TypeExecutionPrepare, test.code)
				if got.Handle != "" || got.ExecutorID != "" {
					t.Errorf("rejection names %q and %q, want neither", got.Handle, got.ExecutorID)
				}
				if made, _, _ := a.counts(); made != 0 {
					t.Errorf("%d executors made", made)
				}
				b.stop()
			})
		})
	}
}

// behaviour 5.3 row 8: the same request again.
func TestRepeatedPrepare(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		ready := b.ready("p1", session(1))
		b.handle(prepareFrame("p1", session(1)))
		if again := b.status(proto.StateReady, 2); again.Handle != ready.Handle {
			t.Errorf("handle %q, want %q", again.Handle, ready.Handle)
		}
		b.handle(prepareFrame("p1", session(1), func(c *proto.Configuration) { c.AgentOptions.Model = "other" }))
		b.rejected(proto.TypeExecutionPrepare, proto.CodeRequestConflict)
		if made, _, _ := a.counts(); made != 1 {
			t.Errorf("%d executors made, want 1", made)
		}
		b.stop()
	})
}

// behaviour 5.4: reuse, and what forbids it.
func TestReuse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*proto.Configuration)
		code   string
	}{
		"identical":             {},
		"its own native id":     {change: func(c *proto.Configuration) { c.AgentSessionID = "native-1" }},
		"existing native":       {change: func(c *proto.Configuration) { c.RequireExistingNativeSession = true }},
		"another native id":     {change: func(c *proto.Configuration) { c.AgentSessionID = "other" }, code: proto.CodeNativeSessionConflict},
		"another configuration": {change: func(c *proto.Configuration) { c.AgentOptions.SystemPrompt = "other" }, code: proto.CodeConfigurationConflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				b.started(a, "p1", session(1), "r1").complete("")
				b.kind(proto.TypeDone)
				change := test.change
				if change == nil {
					change = func(*proto.Configuration) {}
				}
				b.handle(prepareFrame("p2", session(1), change))
				if test.code == "" {
					if got := b.status(proto.StateReady, 1); !got.Reused {
						t.Error("ready without reused")
					}
				} else {
					b.rejected(proto.TypeExecutionPrepare, test.code)
				}
				if made, _, closes := a.counts(); made != 1 || closes != 0 {
					t.Errorf("%d made, %d closed; want the resident executor untouched", made, closes)
				}
				b.stop()
			})
		})
	}
}

// behaviour 5.4: a Session whose Executor is busy, and one that needs history it has not.
func TestReuseOfABusyOrNewExecutor(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.native = ""
		ready := b.ready("p1", session(1))
		b.handle(prepareFrame("p2", session(1)))
		b.rejected(proto.TypeExecutionPrepare, proto.CodeResourceUnavailable)
		b.handle(proto.New("p1", &proto.ExecutionRelease{Handle: ready.Handle}))
		b.status(proto.StateReleased, 3)
		b.handle(prepareFrame("p3", session(1), func(c *proto.Configuration) { c.RequireExistingNativeSession = true }))
		b.rejected(proto.TypeExecutionPrepare, proto.CodeHistoryUnavailable)
		b.stop()
	})
}

// behaviour 5.1, 5.8: 4 active, 16 idle, 20 in all.
func TestCapacityOfExecutors(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		for n := range proto.MaxActive {
			b.ready(fmt.Sprintf("p%d", n), session(n))
		}
		b.handle(prepareFrame("p4", session(4)))
		b.rejected(proto.TypeExecutionPrepare, proto.CodePreparationCapacity)
		b.stop()
	})
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		for n := range proto.MaxIdle + 2 {
			ready := b.ready(fmt.Sprintf("p%d", n), session(n))
			b.handle(proto.New(fmt.Sprintf("p%d", n), &proto.ExecutionRelease{Handle: ready.Handle}))
			b.status(proto.StateReleased, 3)
		}
		synctest.Wait()
		if _, _, closes := a.counts(); closes != 2 {
			t.Errorf("%d executors closed, want 2 above the idle limit", closes)
		}
		b.stop()
	})
}

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

// behaviour 5.10: shutdown waits for the end, names what is held, and tries again only what failed.
func TestShutdown(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.closeErr = func(n int) error {
			if n < 3 {
				return errBroken
			}
			return nil
		}
		turn := b.started(a, "p1", session(1), "r1")
		b.ready("p2", session(2))
		first := b.router.Shutdown(context.Background())
		if first == nil {
			t.Fatal("shutdown confirmed although closes failed")
		}
		if err := b.router.Handle(prepareFrame("p3", session(3))); err == nil {
			t.Error("a closed router took a frame")
		}
		if err := b.router.Shutdown(context.Background()); err != nil {
			t.Errorf("second shutdown: %v", err)
		}
		turn.finish()
		b.silent()
	})
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		release := make(chan struct{})
		a.settle = func(context.Context, *turn) (bool, error) { <-release; return false, nil }
		b.started(a, "p1", session(1), "r1")
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		if err := b.router.Shutdown(ctx); err == nil {
			t.Error("shutdown confirmed although the turn has not settled")
		}
		close(release)
		b.stop()
	})
}
