package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"parley/daemon/harness"
)

// CheckText plays the shared text life: a Turn that completes, one that is steered and cancelled, and one more on the
// same history (behaviour 9.4). Cancelling the settled first Turn must not touch the second.
func CheckText(ctx context.Context, fixture Fixture) error {
	return with(ctx, fixture, func(ctx context.Context, executor harness.Executor) error {
		life := &life{fixture: fixture, executor: executor}
		return life.play(ctx)
	})
}

type life struct {
	fixture  Fixture
	executor harness.Executor
	owner    string
	native   string
}

func (l *life) play(ctx context.Context) error {
	first, err := l.complete(ctx, "run-1")
	if err != nil {
		return err
	}
	l.owner, l.native = l.fixture.Owner(l.executor), l.executor.NativeSession()
	if l.native == "" {
		return errors.New("run-1: got no native session id after a completed turn, want one")
	}
	second, err := l.cancelled(ctx, first)
	if err != nil {
		return err
	}
	third, err := l.complete(ctx, "run-3")
	if err != nil {
		return err
	}
	if first.turn == second.turn || second.turn == third.turn || first.turn == third.turn {
		return errors.New("got one turn object for two turns, want a distinct one for each")
	}
	return l.sameOwner("run-3")
}

func (l *life) complete(ctx context.Context, id string) (*trial, error) {
	tr, err := begin(ctx, l.fixture, l.executor, id, l.fixture.Completing)
	if err != nil {
		return nil, err
	}
	return tr, tr.finish(ctx, 1)
}

// cancelled is the second Turn. A cancelled Turn may end without Done (behaviour 6.1).
func (l *life) cancelled(ctx context.Context, first *trial) (*trial, error) {
	const id = "run-2"
	tr, err := begin(ctx, l.fixture, l.executor, id, l.fixture.Running)
	if err != nil {
		return nil, err
	}
	if err := tr.awaitReady(ctx); err != nil {
		return nil, err
	}
	if err := first.turn.Cancel(ctx); err != nil {
		return nil, fmt.Errorf("run-1: cancel after settlement: %w", err)
	}
	if err := l.steer(ctx, tr); err != nil {
		return nil, err
	}
	if err := tr.turn.Cancel(ctx); err != nil {
		return nil, fmt.Errorf("%s: cancel: %w", id, err)
	}
	if err := tr.finish(ctx, 0); err != nil {
		return nil, err
	}
	outcome, known := tr.turn.CancellationOutcome()
	if got := outcome.NativeSession(); !known || got != l.native {
		return nil, fmt.Errorf("%s: outcome: got native session %q (known %t), want %q", id, got, known, l.native)
	}
	return tr, l.sameOwner(id)
}

func (l *life) steer(ctx context.Context, tr *trial) error {
	var written atomic.Int32
	if err := tr.turn.SteerWithReceipt(ctx, l.fixture.Steering, func() { written.Add(1) }); err != nil {
		return fmt.Errorf("%s: steer: %w", tr.id, err)
	}
	if got := written.Load(); got != 1 {
		return fmt.Errorf("%s: steer: written was reported %d times, want once", tr.id, got)
	}
	return nil
}

func (l *life) sameOwner(id string) error {
	if got := l.executor.NativeSession(); got != l.native {
		return fmt.Errorf("%s: got native session %q, want %q", id, got, l.native)
	}
	if got := l.fixture.Owner(l.executor); got != l.owner {
		return fmt.Errorf("%s: got native owner %q, want %q", id, got, l.owner)
	}
	return nil
}
