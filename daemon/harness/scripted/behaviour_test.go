package scripted_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

// TestEveryCapabilityIsDeclared: there is no default. behaviour 9.2
func TestEveryCapabilityIsDeclared(t *testing.T) {
	t.Parallel()
	declared, factory := scripted.New()
	r := harness.NewRegistry()
	if err := errors.Join(r.Declare(declared), r.SetFactory(scripted.Kind, factory)); err != nil {
		t.Fatal(err)
	}
	required := []proto.Capability{proto.Streaming, proto.DurableTurns, proto.DurableInputReceipts, proto.Preparation, proto.ExecutionControlsSupport, proto.ToolObservations}
	for _, capability := range required {
		if !declared.Capabilities.Has(capability) {
			t.Errorf("%s: got unsupported, want supported, as Core admits no kind without it", capability)
		}
	}
}

// TestCancelEndings are the ways in which a script lets a cancellation end. behaviour 6.4
func TestCancelEndings(t *testing.T) {
	t.Parallel()
	const streams = `"steps":[{"do":"usage","model":"m"},{"do":"message","text":"on ","pace_ms":10,"forever":true}]}`
	tests := []struct {
		name, script  string
		dones         int
		known, failed bool
	}{
		{"without done", `{` + streams, 0, true, false},
		{"with done", `{"cancel":{"done":true},` + streams, 1, true, false},
		{"without a snapshot", `{"cancel":{"no_outcome":true},` + streams, 0, false, false},
		{"not at all", `{"cancel":{"fail":"no"},` + streams, 0, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				executor := open(t, configuration(test.script))
				r := start(t, executor, "run", "x")
				r.until(proto.TypeDelta)
				err := r.turn.Cancel(t.Context())
				if (err != nil) != test.failed {
					t.Fatalf("cancel: got error %v, want failed %t", err, test.failed)
				}
				outcome, known := r.turn.CancellationOutcome()
				if known != test.known || known && (outcome.Content == "" || outcome.Usage == nil || outcome.Usage.Model != "m") {
					t.Errorf("outcome: got %+v (known %t), want content and usage (known %t)", outcome, known, test.known)
				}
				if test.failed {
					r.until(proto.TypeDelta) // it goes on
					return
				}
				r.settle()
				if got := r.count(proto.TypeDone); got != test.dones {
					t.Errorf("got %d done frames, want %d", got, test.dones)
				}
			})
		})
	}
}

// TestCloseEndsAHeldCancel: nothing outlives a confirmed close. behaviour 9.1
func TestCloseEndsAHeldCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		executor := open(t, configuration(`{"cancel":{"hold_ms":600000},"steps":[{"do":"wait_steer"}]}`))
		r := start(t, executor, "run", "x")
		given, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.turn.Cancel(given); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancel that is held: got %v, want the deadline's error", err)
		}
		if _, err := r.turn.AwaitSettlement(given); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("settlement of a held turn: got %v, want the deadline's error", err)
		}
		if err := executor.Close(t.Context()); err != nil {
			t.Errorf("close: %v", err)
		}
		if reusable, err := r.end(); err != nil || reusable {
			t.Errorf("settlement: got reusable %t and error %v, want not reusable", reusable, err)
		}
	})
}

// TestSlowConsumerHoldsTheScript: nothing is dropped, and a cancel needs no consumer. behaviour 6.1
func TestSlowConsumerHoldsTheScript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("a", 3*proto.OutputQueue)
		executor := open(t, configuration(`{"steps":[{"do":"message","split":"character","text":"{{input}}"}]}`))
		held := start(t, executor, "run", text)
		synctest.Wait() // the queue is full
		if err := held.turn.Cancel(t.Context()); err != nil {
			t.Errorf("cancel of a turn that nobody reads: %v", err)
		}
		r := start(t, executor, "run-2", text)
		synctest.Wait()
		if done := r.settle(); done == nil || done.Content != text || r.count(proto.TypeDelta) != len(text) {
			t.Errorf("got %d deltas and done %+v, want all %d of the text", r.count(proto.TypeDelta), done, len(text))
		}
	})
}

// TestSteering is the receipt of active input. behaviour 6.5
func TestSteering(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         error
		written      int32
	}{
		{"consumed", `{"steps":[{"do":"sleep","ms":10},{"do":"wait_steer"},{"do":"message","text":"{{steer}}"}]}`, nil, 1},
		{"never consumed", `{"steps":[{"do":"sleep","ms":10}]}`, harness.ErrInactive, 1},
		{"refused", `{"steer":{"refuse":"rejected"},"steps":[{"do":"sleep","ms":10}]}`, harness.ErrRejected, 0},
		{"not ready", `{"steer":{"refuse":"not_ready"},"steps":[{"do":"sleep","ms":10}]}`, harness.ErrNotReady, 0},
		{"written late", `{"steer":{"write_ms":20},"steps":[{"do":"sleep","ms":10}]}`, harness.ErrInactive, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, open(t, configuration(test.script)), "run", "x")
				var written atomic.Int32
				err := r.turn.SteerWithReceipt(t.Context(), proto.TextInput("more"), func() { written.Add(1) })
				if !errors.Is(err, test.want) || written.Load() != test.written {
					t.Errorf("steer: got error %v and written %d times, want %v and %d", err, written.Load(), test.want, test.written)
				}
				if done := r.settle(); test.want == nil && done.Content != "more" {
					t.Errorf("done: got %q, want the input", done.Content)
				}
			})
		})
	}
}

func TestSteeringIsGivenUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, open(t, configuration(`{"steps":[{"do":"sleep","ms":600000}]}`)), "run", "x")
		given, cancel := context.WithCancel(t.Context())
		if err := r.turn.SteerWithReceipt(given, proto.TextInput("more"), cancel); !errors.Is(err, context.Canceled) {
			t.Errorf("steer: got %v, want the context's error", err)
		}
	})
}

// TestFunctions are calls that wait, that do not, and that are withdrawn. behaviour 6.6
func TestFunctions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, open(t, configuration(`{"steps":[
			{"do":"function","name":"a","id":"a-{{turn}}","no_wait":true},
			{"do":"function","name":"b","id":"b-{{turn}}","no_wait":true},
			{"do":"function","name":"c","id":"c-{{turn}}"},
			{"do":"withdraw","id":"a-{{turn}}"},
			{"do":"wait_result","id":"b-{{turn}}"},
			{"do":"message","text":"{{result}}"}]}`)), "run", "x")
		for _, want := range []string{"a-1", "b-1", "c-1"} {
			if got := r.until(proto.TypeFunctionCall).Payload.(*proto.FunctionCall).CallID; got != want {
				t.Errorf("call: got %q, want %q", got, want)
			}
		}
		answer(t, r.turn, "c-1", "of c")
		withdrawn := r.until(proto.TypeFunctionCallWithdrawn).Payload.(*proto.FunctionCallWithdrawn)
		if withdrawn.CallID != "a-1" {
			t.Errorf("withdrawn: got %q, want a-1", withdrawn.CallID)
		}
		for _, unknown := range []string{"a-1", "c-1", "z"} {
			result := proto.FunctionResult{DeliveryID: "d", CallID: unknown, Content: []proto.InputContent{}}
			if err := r.turn.SubmitFunctionResult(t.Context(), result); !errors.Is(err, harness.ErrUnknownCall) {
				t.Errorf("result of %s: got %v, want unknown call", unknown, err)
			}
		}
		answer(t, r.turn, "b-1", "of b")
		if done := r.settle(); done.Content != "of b" {
			t.Errorf("done: got %q, want the result that came last", done.Content)
		}
	})
}

// TestWithdrawSaysNothingAfterAResult: the harness uses the result. wire 3.9.4
func TestWithdrawSaysNothingAfterAResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, open(t, configuration(`{"steps":[
			{"do":"function","name":"a","id":"a","no_wait":true},{"do":"sleep","ms":10},{"do":"withdraw","id":"a"}]}`)), "run", "x")
		r.until(proto.TypeFunctionCall)
		answer(t, r.turn, "a", "early")
		r.settle()
		if got := r.count(proto.TypeFunctionCallWithdrawn); got != 0 {
			t.Errorf("got %d withdrawals, want none", got)
		}
	})
}

// TestViolations are what no native program may do. behaviour 6.1
func TestViolations(t *testing.T) {
	t.Parallel()
	types := func(script string) string {
		r := start(t, open(t, configuration(script)), "run", "x")
		r.settle()
		var all []string
		for _, frame := range r.frames {
			all = append(all, frame.ID+" "+string(frame.Type))
		}
		return strings.Join(all, ", ")
	}
	for script, want := range map[string]string{
		`{"steps":[{"do":"foreign","run":"other","text":"x"}]}`:            "other delta, run done",
		`{"steps":[{"do":"done"},{"do":"after_done","text":"x"}]}`:         "run done, run delta",
		`{"steps":[{"do":"thinking","text":"x"},{"do":"no_done"}]}`:        "run thinking",
		`{"steps":[{"do":"error","text":"x"},{"do":"done","content":""}]}`: "run error, run done",
	} {
		if got := types(script); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}

// TestStarts are starts that fail, with a Turn and without. behaviour 9.1
func TestStarts(t *testing.T) {
	t.Parallel()
	output := make(chan proto.Frame, 1)
	without := open(t, configuration(`{"start":{"fail":"no"},"steps":[{"do":"sleep","ms":1}]}`))
	if turn, err := without.StartTurn(t.Context(), "run", proto.TextInput("x"), output); turn != nil || err == nil {
		t.Errorf("start that fails: got turn %v and error %v, want only an error", turn, err)
	}
	select {
	case _, open := <-output:
		t.Errorf("start that fails: output has something (open %t), want it untouched", open)
	default:
	}
	with := open(t, configuration(`{"start":{"fail":"no","fail_with_turn":true},"steps":[{"do":"sleep","ms":1}]}`))
	turn, err := with.StartTurn(t.Context(), "run", proto.TextInput("x"), output)
	if turn == nil || err == nil {
		t.Fatalf("start that fails with a turn: got turn %v and error %v, want both", turn, err)
	}
	if _, open := <-output; open {
		t.Error("start that fails with a turn: got a frame, want output closed")
	}
	if _, err := turn.AwaitSettlement(t.Context()); err != nil {
		t.Errorf("settlement: %v", err)
	}
}

func TestPreparationThatFailsWithAnExecutor(t *testing.T) {
	t.Parallel()
	_, factory := scripted.New()
	executor, err := factory(t.Context(), configuration(`{"prepare":{"fail":"no","fail_with_executor":true},"close":{"fail_times":1},"steps":[{"do":"sleep","ms":1}]}`))
	if executor == nil || err == nil {
		t.Fatalf("factory: got executor %v and error %v, want both", executor, err)
	}
	if turn, err := executor.StartTurn(t.Context(), "run", proto.TextInput("x"), nil); turn != nil || err == nil {
		t.Errorf("start: got turn %v and error %v, want only an error", turn, err)
	}
	if err := executor.Close(t.Context()); err == nil {
		t.Error("first close: got success, want an error")
	}
	if err := executor.Close(t.Context()); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestSettlementTakesItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		executor := open(t, configuration(`{"settle":{"delay_ms":3000},"steps":[{"do":"usage","model":"m"}]}`))
		began := time.Now()
		r := start(t, executor, "run", "x")
		r.until(proto.TypeDone)
		if turn, err := executor.StartTurn(t.Context(), "early", proto.TextInput("x"), nil); turn != nil || err == nil {
			t.Errorf("start before settlement: got turn %v and error %v, want only an error", turn, err)
		}
		r.settle()
		if got := time.Since(began); got != 3*time.Second {
			t.Errorf("settled after %v, want 3s", got)
		}
	})
}

// TestForeverKeepsMessagesBounded: a Turn that is never cancelled does not grow, and an empty text keeps its pace.
func TestForeverKeepsMessagesBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := `{"steps":[{"do":"message","text":"` + strings.Repeat("x", 1024) + `","pace_ms":1,"forever":true}]}`
		r := start(t, open(t, configuration(script)), "run", "x")
		r.until(proto.TypeOutputMessage)
		first := r.until(proto.TypeOutputMessage).Payload.(*proto.OutputMessage)
		second := r.until(proto.TypeOutputMessage).Payload.(*proto.OutputMessage)
		if len(*first.Text) != 64<<10 || second.ID == first.ID {
			t.Errorf("got a message %s of %d bytes and then %s, want 65536 bytes and then another", first.ID, len(*first.Text), second.ID)
		}
		began := time.Now()
		empty := start(t, open(t, configuration(`{"steps":[{"do":"message","text":"{{steer}}","pace_ms":5,"forever":true}]}`)), "run", "x")
		for range 4 {
			empty.until(proto.TypeOutputMessage)
		}
		if got := time.Since(began); got != 10*time.Millisecond {
			t.Errorf("two empty messages took %v, want 10ms", got)
		}
	})
}
