package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Rule is one promise of the contract.
type Rule struct {
	Name    string
	Section string // where the promise stands
	check   func(ctx context.Context, fixture Fixture, executor harness.Executor) error
}

// Run checks the rule on an Executor of its own; the error says what was got and what is wanted.
func (r Rule) Run(ctx context.Context, fixture Fixture) error {
	return with(ctx, fixture, func(ctx context.Context, executor harness.Executor) error {
		return r.check(ctx, fixture, executor)
	})
}

// Rules are the promises that any adapter can be held to.
func Rules() []Rule {
	return []Rule{
		{"a turn says done once and the adapter closes output", "behaviour 6.1", completes},
		{"the start's context bounds the start alone", "behaviour 9.1", outlivesStart},
		{"a second start beside a turn submits nothing", "behaviour 9.1", oneTurnAtATime},
		{"a closed executor starts nothing", "behaviour 9.1", closedStartsNothing},
		{"cancel may be repeated", "behaviour 9.1", cancelRepeats},
		{"close stops a turn and may be repeated", "behaviour 9.1", closeStops},
		{"input after the end is inactive and never written", "behaviour 6.5", lateInput},
		{"a result that no call waits for is refused", "behaviour 6.6", unknownCall},
		{"an undeclared image has no native effect", "behaviour 9.2", undeclaredImage},
	}
}

func completes(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	tr, err := begin(ctx, fixture, executor, "run", fixture.Completing)
	if err != nil {
		return err
	}
	return tr.finish(ctx, 1)
}

func outlivesStart(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	output := make(chan proto.Frame, proto.OutputQueue)
	tr := &trial{id: "run", ready: make(chan struct{}), closed: make(chan struct{})}
	go tr.consume(ctx, output, fixture.Ready)
	starting, started := context.WithCancel(ctx)
	turn, err := executor.StartTurn(starting, tr.id, fixture.Completing, output)
	started()
	if turn == nil {
		close(output)
		return fmt.Errorf("start: got no turn (%w), want one", orNothing(err))
	}
	tr.turn = turn
	return errors.Join(err, tr.finish(ctx, 1))
}

func oneTurnAtATime(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	tr, err := running(ctx, fixture, executor)
	if err != nil {
		return err
	}
	if err := startsNothing(ctx, executor, fixture.Completing); err != nil {
		return err
	}
	if err := tr.turn.Cancel(ctx); err != nil {
		return fmt.Errorf("cancel the first turn: %w", err)
	}
	return tr.finish(ctx, 0)
}

func closedStartsNothing(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	if err := executor.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return startsNothing(ctx, executor, fixture.Completing)
}

// startsNothing applies the rule of the nil Turn: an error, and output untouched.
func startsNothing(ctx context.Context, executor harness.Executor, input proto.MessageInput) error {
	output := make(chan proto.Frame, proto.OutputQueue)
	turn, err := executor.StartTurn(ctx, "refused", input, output)
	switch {
	case turn != nil:
		return fmt.Errorf("start: got turn %T, want none", turn)
	case err == nil:
		return errors.New("start: got neither turn nor error, want an error")
	}
	select {
	case frame, open := <-output:
		if !open {
			return errors.New("start without a turn: output was closed, want it left to its owner")
		}
		return fmt.Errorf("start without a turn: got frame %s, want none", frame.Type)
	default:
		return nil
	}
}

func cancelRepeats(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	tr, err := running(ctx, fixture, executor)
	if err != nil {
		return err
	}
	beside := make(chan error, 1)
	go func() { beside <- tr.turn.Cancel(ctx) }()
	if err := errors.Join(tr.turn.Cancel(ctx), <-beside); err != nil {
		return fmt.Errorf("cancel twice at the same time: %w", err)
	}
	if err := tr.finish(ctx, 0); err != nil {
		return err
	}
	if err := tr.turn.Cancel(ctx); err != nil {
		return fmt.Errorf("cancel after settlement: %w", err)
	}
	return nil
}

func closeStops(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	tr, err := running(ctx, fixture, executor)
	if err != nil {
		return err
	}
	for range 2 {
		if err := executor.Close(ctx); err != nil {
			return fmt.Errorf("close: %w", err)
		}
	}
	return tr.judge(0)
}

func lateInput(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	want := harness.ErrInactive
	if !fixture.Declared.Has(proto.DurableInputReceipts) {
		want = harness.ErrUnsupported
	}
	tr, err := begin(ctx, fixture, executor, "run", fixture.Completing)
	if err != nil {
		return err
	}
	if err := tr.finish(ctx, 1); err != nil {
		return err
	}
	var written atomic.Bool
	err = tr.turn.SteerWithReceipt(ctx, fixture.Steering, func() { written.Store(true) })
	if !errors.Is(err, want) {
		return fmt.Errorf("steer after the end: got %v, want %v", err, want)
	}
	if written.Load() {
		return errors.New("steer after the end: written was reported, want it not to be")
	}
	return nil
}

// unknownCall also shows that a function result without declared functions leaves the Turn as it is.
func unknownCall(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	want := harness.ErrUnknownCall
	if !fixture.Declared.Has(proto.FunctionTools) {
		want = harness.ErrUnsupported
	}
	tr, err := running(ctx, fixture, executor)
	if err != nil {
		return err
	}
	result := proto.FunctionResult{DeliveryID: "function:none", CallID: "none", Success: true, Content: []proto.InputContent{}}
	if err := tr.turn.SubmitFunctionResult(ctx, result); !errors.Is(err, want) {
		return fmt.Errorf("submit result: got %v, want %v", err, want)
	}
	if err := tr.turn.Cancel(ctx); err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	return tr.finish(ctx, 0)
}

// undeclaredImage needs an adapter without images: with them there is nothing undeclared to try.
func undeclaredImage(ctx context.Context, fixture Fixture, executor harness.Executor) error {
	if fixture.Declared.Has(proto.MessageImages) {
		return nil
	}
	dot := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
	return startsNothing(ctx, executor, proto.MessageInput{{Content: []proto.InputContent{{Type: proto.InputImage, ImageURL: &dot}}}})
}

// running starts a Turn that goes on and waits until it is at work.
func running(ctx context.Context, fixture Fixture, executor harness.Executor) (*trial, error) {
	tr, err := begin(ctx, fixture, executor, "run", fixture.Running)
	if err != nil {
		return nil, err
	}
	return tr, tr.awaitReady(ctx)
}
