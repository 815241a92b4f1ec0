package harnesstest_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"parley/daemon/harness"
	"parley/daemon/harness/harnesstest"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// faithful keeps every promise.
const faithful = `{"steps":[{"do":"message","text":"x"}],"on":{"run":[
	{"do":"message","text":"ready"},{"do":"wait_steer"},{"do":"message","text":"on ","pace_ms":1,"forever":true}]}}`

// fixture plays a script, through an adapter that may spoil it.
func fixture(script string, spoil func(harness.Executor) harness.Executor) harnesstest.Fixture {
	declared, factory := scripted.New()
	return harnesstest.Fixture{
		Declared: declared.Capabilities,
		Open: func(ctx context.Context) (harness.Executor, error) {
			executor, err := factory(ctx, proto.Configuration{
				AgentKind: scripted.Kind, AgentStateKey: proto.StateKeyPrefix + "session",
				AgentOptions: &proto.AgentOptions{HarnessConfig: []byte(script)},
			})
			if err != nil || spoil == nil {
				return executor, err
			}
			return spoil(executor), nil
		},
		Completing: proto.TextInput("complete"),
		Running:    proto.TextInput("run"),
		Steering:   proto.TextInput("more"),
		Ready: func(f proto.Frame) bool {
			delta, ok := f.Payload.(*proto.Delta)
			return ok && delta.Delta == "ready"
		},
		Owner: harness.Executor.NativeSession,
	}
}

func TestFaithfulAdapterPasses(t *testing.T) {
	t.Parallel()
	harnesstest.Text(t, fixture(faithful, nil))
	harnesstest.Contract(t, fixture(faithful, nil))
}

// TestTextFindsBrokenPromises: the shared life fails for an adapter that breaks one promise, and says which.
// behaviour 9.4
func TestTextFindsBrokenPromises(t *testing.T) {
	t.Parallel()
	const on = `,"on":{"run":[{"do":"message","text":"ready"},{"do":"wait_steer"},{"do":"sleep","ms":600000}]}}`
	for _, test := range []struct {
		name, script string
		spoil        func(harness.Executor) harness.Executor
		says         string
	}{
		{"foreign run id", `{"steps":[{"do":"foreign","run":"other"}]` + on, nil, `got run id "other"`},
		{"frame after done", `{"steps":[{"do":"done"},{"do":"after_done"}]` + on, nil, "got a frame after done"},
		{"no done", `{"steps":[{"do":"thinking","text":"x"},{"do":"no_done"}]` + on, nil, "got 0 done frames"},
		{"not reusable", `{"settle":{"spent":true},"steps":[{"do":"sleep","ms":1}]` + on, nil, "settled as not reusable"},
		{"settlement fails", `{"settle":{"fail":"no"},"steps":[{"do":"sleep","ms":1}]` + on, nil, "await settlement"},
		{"never ready", `{"steps":[{"do":"sleep","ms":1}],"on":{"run":[{"do":"sleep","ms":1}]}}`, nil, "want one that is ready"},
		{"ready too late", `{"steps":[{"do":"sleep","ms":1}],"on":{"run":[{"do":"sleep","ms":600000}]}}`, nil, "no frame that is ready in time"},
		{"input is refused", `{"steer":{"refuse":"rejected"},"steps":[{"do":"sleep","ms":1}]` + on, nil, "steer: native program rejected"},
		{"cancel fails", `{"cancel":{"fail":"no"},"steps":[{"do":"sleep","ms":1}]` + on, nil, "run-2: cancel"},
		{"no snapshot", `{"cancel":{"no_outcome":true},"steps":[{"do":"sleep","ms":1}]` + on, nil, "outcome: got native session"},
		{"close fails", `{"close":{"fail_times":1},"steps":[{"do":"sleep","ms":1}]` + on, nil, "close executor"},
		{"written twice", faithful, spoilTurn(writtenTwice), "written was reported 2 times"},
		{"never written", faithful, spoilTurn(neverWritten), "written was reported 0 times"},
		{"one turn object", faithful, spoilTurn(alwaysTheSame()), "got one turn object"},
		{"another native session", faithful, func(e harness.Executor) harness.Executor { return &wandering{Executor: e} }, "got native session"},
		{"start fails", `{"start":{"fail":"no"},"steps":[{"do":"sleep","ms":1}]` + on, nil, "got no turn"},
		{"preparation fails", `{"prepare":{"fail":"no"},"steps":[{"do":"sleep","ms":1}]` + on, nil, "open executor"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var held harness.Executor
				f := fixture(test.script, func(e harness.Executor) harness.Executor {
					held = e
					if test.spoil != nil {
						return test.spoil(e)
					}
					return e
				})
				err := harnesstest.CheckText(t.Context(), f)
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v, want an error that says %q", err, test.says)
				}
				if held != nil {
					_ = held.Close(t.Context()) // the check may have met a close that failed
				}
			})
		})
	}
}

// TestRulesFindBrokenPromises: each rule fails for an adapter that breaks it. behaviour 9.1
func TestRulesFindBrokenPromises(t *testing.T) {
	t.Parallel()
	spoilers := map[string]func(harness.Executor) harness.Executor{
		"a turn says done once and the adapter closes output": spoilStart(func(e harness.Executor, ctx context.Context, id string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
			return e.StartTurn(ctx, id, input, neverClosed(output))
		}),
		"the start's context bounds the start alone": spoilStart(func(e harness.Executor, ctx context.Context, id string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
			turn, err := e.StartTurn(ctx, id, proto.TextInput("run"), output)
			if turn != nil {
				context.AfterFunc(ctx, func() { _ = turn.Cancel(context.WithoutCancel(ctx)) })
			}
			return turn, err
		}),
		"a second start beside a turn submits nothing": spoilStart(closesWhatIsNotItsOwn),
		"a closed executor starts nothing":             spoilStart(closesWhatIsNotItsOwn),
		"cancel may be repeated":                       spoilTurn(func(turn harness.Turn) harness.Turn { return &cancelOnce{Turn: turn} }),
		"close stops a turn and may be repeated":       func(e harness.Executor) harness.Executor { return &closeOnce{Executor: e} },
		"input after the end is inactive and never written": spoilTurn(func(turn harness.Turn) harness.Turn {
			return &steered{turn, func(_ func() error, written func()) error { written(); return harness.ErrInactive }}
		}),
		"a result that no call waits for is refused": spoilTurn(func(turn harness.Turn) harness.Turn { return &takesAnyResult{turn} }),
		"an undeclared image has no native effect": spoilStart(func(e harness.Executor, ctx context.Context, id string, _ proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
			return e.StartTurn(ctx, id, proto.TextInput("image dropped"), output)
		}),
	}
	for _, rule := range harnesstest.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				spoil, ok := spoilers[rule.Name]
				if !ok {
					t.Fatal("no adapter of this test breaks the rule")
				}
				f := fixture(faithful, spoil)
				f.Declared[proto.MessageImages] = proto.Unsupported
				if err := rule.Run(t.Context(), f); err == nil {
					t.Error("got success for an adapter that breaks the rule, want an error")
				}
			})
		})
	}
}

// spoilTurn changes every Turn of an adapter.
func spoilTurn(change func(harness.Turn) harness.Turn) func(harness.Executor) harness.Executor {
	return spoilStart(func(e harness.Executor, ctx context.Context, id string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
		turn, err := e.StartTurn(ctx, id, input, output)
		if turn == nil {
			return nil, err
		}
		return change(turn), err
	})
}

type startFunc func(harness.Executor, context.Context, string, proto.MessageInput, chan<- proto.Frame) (harness.Turn, error)

type otherStart struct {
	harness.Executor
	start startFunc
}

func (o *otherStart) StartTurn(ctx context.Context, id string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
	return o.start(o.Executor, ctx, id, input, output)
}

func spoilStart(start startFunc) func(harness.Executor) harness.Executor {
	return func(e harness.Executor) harness.Executor { return &otherStart{e, start} }
}

// neverClosed hands frames on and keeps the channel open.
func neverClosed(output chan<- proto.Frame) chan<- proto.Frame {
	between := make(chan proto.Frame, proto.OutputQueue)
	go func() {
		for frame := range between {
			output <- frame
		}
	}()
	return between
}

func closesWhatIsNotItsOwn(e harness.Executor, ctx context.Context, id string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
	turn, err := e.StartTurn(ctx, id, input, output)
	if turn == nil {
		close(output)
	}
	return turn, err
}

type steered struct {
	harness.Turn
	steer func(original func() error, written func()) error
}

func (s *steered) SteerWithReceipt(ctx context.Context, input proto.MessageInput, onWritten func()) error {
	return s.steer(func() error { return s.Turn.SteerWithReceipt(ctx, input, onWritten) }, onWritten)
}

func writtenTwice(turn harness.Turn) harness.Turn {
	return &steered{turn, func(original func() error, written func()) error { written(); return original() }}
}

func neverWritten(turn harness.Turn) harness.Turn {
	return &steered{turn, func(func() error, func()) error { return nil }}
}

// alwaysTheSame shows one object for all Turns.
func alwaysTheSame() func(harness.Turn) harness.Turn {
	one := &shared{}
	return func(turn harness.Turn) harness.Turn {
		one.Turn = turn
		return one
	}
}

// shared leaves the first cancel out, which is meant for an earlier Turn.
type shared struct {
	harness.Turn
	asked bool
}

func (s *shared) Cancel(ctx context.Context) error {
	if !s.asked {
		s.asked = true
		return nil
	}
	return s.Turn.Cancel(ctx)
}

type wandering struct {
	harness.Executor
	asked int
}

func (w *wandering) NativeSession() string {
	w.asked++
	return w.Executor.NativeSession() + strings.Repeat("'", w.asked)
}

type cancelOnce struct {
	harness.Turn
	cancelled atomic.Bool
}

func (c *cancelOnce) Cancel(ctx context.Context) error {
	if c.cancelled.Swap(true) {
		return errors.New("was cancelled before")
	}
	return c.Turn.Cancel(ctx)
}

type closeOnce struct {
	harness.Executor
	closed bool
}

func (c *closeOnce) Close(ctx context.Context) error {
	if c.closed {
		return errors.New("was closed before")
	}
	c.closed = true
	return c.Executor.Close(ctx)
}

type takesAnyResult struct{ harness.Turn }

func (t *takesAnyResult) SubmitFunctionResult(context.Context, proto.FunctionResult) error {
	return nil
}
