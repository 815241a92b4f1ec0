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
