package dispatch_test

import (
	"context"
	"fmt"
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

func steerFrame(run, id, text string) proto.Frame {
	return proto.New(run, &proto.PromptSteer{InputID: id, Input: proto.TextInput(text)})
}

// accepting is a Turn that writes and consumes at once.
func accepting(_ context.Context, written func()) error { written(); return nil }

// behaviour 6.5: written, then accepted; the same id again repeats the receipt, also after the Run.
func TestSteering(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.steer = accepting
		turn := b.started(a, "p1", session(1), "r1")
		b.handle(steerFrame("r1", "17", "x"))
		b.inputAck(false, true, "")
		b.inputAck(true, false, "")
		b.handle(steerFrame("r1", "17", "x"))
		b.inputAck(true, false, "")
		b.handle(steerFrame("r1", "17", "other"))
		b.inputAck(false, false, proto.CodeInputConflict)
		turn.complete("")
		b.kind(proto.TypeDone)
		b.handle(steerFrame("r1", "17", "x"))
		b.inputAck(true, false, "")
		b.handle(steerFrame("r1", "18", "x"))
		b.inputAck(false, false, proto.CodeRunInactive)
		b.stop()
	})
}

// behaviour 6.5: what an adapter says, and what the receipt says.
func TestSteeringReceipts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		steer   func(ctx context.Context, written func()) error
		written bool
		code    string
	}{
		"not ready":          {func(context.Context, func()) error { return harness.ErrNotReady }, false, proto.CodeNotReady},
		"inactive":           {func(context.Context, func()) error { return harness.ErrInactive }, false, proto.CodeRunInactive},
		"rejected":           {func(context.Context, func()) error { return fmt.Errorf("no: %w", harness.ErrRejected) }, false, proto.CodeInputRejected},
		"unsupported":        {func(context.Context, func()) error { return harness.ErrUnsupported }, false, proto.CodeContractViolation},
		"another error":      {func(context.Context, func()) error { return errBroken }, false, proto.CodeOutcomeUnknown},
		"error after write":  {func(_ context.Context, written func()) error { written(); return errBroken }, true, proto.CodeOutcomeUnknown},
		"write takes longer": {func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }, false, proto.CodeOutcomeUnknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				a.steer = test.steer
				turn := b.started(a, "p1", session(1), "r1")
				b.handle(steerFrame("r1", "1", "x"))
				if test.written {
					b.inputAck(false, true, "")
				}
				if name == "write takes longer" {
					b.silent()
					elapse(proto.InputWriteTimeout)
				}
				b.inputAck(false, false, test.code)
				if test.code == proto.CodeNotReady {
					a.steer = accepting
					b.handle(steerFrame("r1", "1", "x")) // not cached: it may be tried again
					b.inputAck(false, true, "")
					b.inputAck(true, false, "")
				} else {
					b.handle(steerFrame("r1", "1", "x"))
					b.inputAck(false, false, test.code)
				}
				turn.complete("")
				b.kind(proto.TypeDone)
				b.stop()
			})
		})
	}
}

// behaviour 6.5: one at a time, and done after the receipt of an input in flight.
func TestSteeringInFlight(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		consume := make(chan struct{})
		a.steer = func(_ context.Context, written func()) error { written(); <-consume; return nil }
		turn := b.started(a, "p1", session(1), "r1")
		b.handle(steerFrame("r1", "1", "x"))
		b.inputAck(false, true, "")
		b.handle(steerFrame("r1", "1", "x"))
		b.inputAck(false, false, proto.CodeInFlight)
		b.handle(steerFrame("r1", "2", "x"))
		b.inputAck(false, false, proto.CodeBusy)
		turn.complete("")
		b.silent()
		close(consume)
		b.inputAck(true, false, "")
		b.kind(proto.TypeDone)
		b.stop()
	})
}

// behaviour 6.5: refusals that need no adapter.
func TestSteeringIsRefused(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.steer = accepting
		b.handle(steerFrame("nobody", "1", "x"))
		b.inputAck(false, false, proto.CodeRunInactive)
		b.handle(proto.New("r1", &proto.PromptSteer{InputID: "1"}))
		b.inputAck(false, false, proto.CodeInvalidInput)
		turn := b.started(a, "p1", session(1), "r1")
		for n := range proto.MaxInputsPerRun {
			b.handle(steerFrame("r1", fmt.Sprint(n), "x"))
			b.inputAck(false, true, "")
			b.inputAck(true, false, "")
		}
		b.handle(steerFrame("r1", "one more", "x"))
		b.inputAck(false, false, proto.CodeInputLimit)
		turn.complete("")
		b.kind(proto.TypeDone)
		b.stop()
	})
	textOnly := func(c *dispatch.Config) {
		all := declared()
		all[proto.MessageImages] = proto.Unsupported
		_, factory, _ := c.Registry.Kind(kindName)
		_ = c.Registry.Declare(harness.Declaration{Kind: kindName, Available: true, Capabilities: all})
		_ = c.Registry.SetFactory(kindName, factory)
	}
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		turn := b.started(a, "p1", session(1), "r1")
		url := "data:image/png;base64,AAAA"
		b.handle(proto.New("r1", &proto.PromptSteer{InputID: "1", Input: proto.MessageInput{
			{Content: []proto.InputContent{{Type: proto.InputImage, ImageURL: &url}}}}}))
		b.inputAck(false, false, proto.CodeUnsupported) // refused, not dropped
		turn.complete("")
		b.kind(proto.TypeDone)
		b.stop()
	}, textOnly)
}

func resultFrame(run, delivery, call, text string, success bool) proto.Frame {
	return proto.New(run, &proto.FunctionResult{DeliveryID: delivery, CallID: call, Success: success,
		Content: []proto.InputContent{proto.TextPart(text)}})
}

// behaviour 6.6: applied once, remembered by Run and call.
func TestFunctionResults(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		applied := 0
		a.function = func(context.Context, proto.FunctionResult) error { applied++; return nil }
		turn := b.started(a, "p1", session(1), "r1")
		b.handle(resultFrame("r1", "d1", "c1", "42", true))
		b.ack(true, "")
		b.handle(resultFrame("r1", "d2", "c1", "42", true))
		if got := b.ack(true, ""); got.DeliveryID != "d2" {
			t.Errorf("receipt of %q, want d2", got.DeliveryID)
		}
		b.handle(resultFrame("r1", "d3", "c1", "42", false))
		b.ack(false, proto.CodeDecisionConflict)
		b.handle(resultFrame("nobody", "d4", "c1", "42", true))
		b.ack(false, proto.CodeNotPending) // the same call of another Run is another call
		if applied != 1 {
			t.Errorf("applied %d times, want once", applied)
		}
		turn.complete("")
		b.kind(proto.TypeDone)
		b.handle(resultFrame("r1", "d5", "c1", "42", true))
		b.ack(true, "") // also after the Run
		elapse(proto.AppliedResultsLife + 1)
		b.handle(resultFrame("r1", "d6", "c1", "42", true))
		b.ack(false, proto.CodeNotPending)
		b.stop()
	})
}

// behaviour 6.6: refusals.
func TestFunctionResultReceipts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		code string
	}{
		"unknown call": {harness.ErrUnknownCall, proto.CodeNotPending},
		"unsupported":  {harness.ErrUnsupported, proto.CodeContractViolation},
		"other":        {errBroken, proto.CodeRuntimeError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				a.function = func(context.Context, proto.FunctionResult) error { return test.err }
				turn := b.started(a, "p1", session(1), "r1")
				b.handle(resultFrame("r1", "d1", "c1", "42", true))
				b.ack(false, test.code)
				b.handle(proto.New("r1", &proto.FunctionResult{DeliveryID: "d", CallID: "c"}))
				b.ack(false, proto.CodeInvalidResult)
				if err := b.router.Handle(resultFrame("r1", "", "c1", "42", true)); err == nil {
					t.Error("a result without a delivery id was taken")
				}
				turn.complete("")
				b.kind(proto.TypeDone)
				b.stop()
			})
		})
	}
}
