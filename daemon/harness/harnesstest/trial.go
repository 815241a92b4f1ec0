package harnesstest

import (
	"context"
	"errors"
	"fmt"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// trial is one Turn under observation. A goroutine owns frames until closed is closed.
type trial struct {
	id     string
	turn   harness.Turn
	ready  chan struct{} // closed at the first frame that is ready
	closed chan struct{} // closed when the adapter has closed output, or time is over
	frames []proto.Frame
	open   bool // output was still open when time was over
}

// begin starts a Turn and consumes its output.
func begin(ctx context.Context, fixture Fixture, executor harness.Executor, id string, input proto.MessageInput) (*trial, error) {
	output := make(chan proto.Frame, proto.OutputQueue)
	tr := &trial{id: id, ready: make(chan struct{}), closed: make(chan struct{})}
	go tr.consume(ctx, output, fixture.Ready)
	turn, err := executor.StartTurn(ctx, id, input, output)
	switch {
	case turn == nil:
		close(output) // it is ours
		return nil, fmt.Errorf("start %s: got no turn (%w), want one", id, orNothing(err))
	case err != nil:
		return nil, fmt.Errorf("start %s: %w", id, err)
	}
	tr.turn = turn
	return tr, nil
}

func orNothing(err error) error {
	if err == nil {
		return errors.New("and no error")
	}
	return err
}

func (tr *trial) consume(ctx context.Context, output <-chan proto.Frame, ready func(proto.Frame) bool) {
	defer close(tr.closed)
	isReady := false
	for {
		select {
		case frame, open := <-output:
			if !open {
				return
			}
			tr.frames = append(tr.frames, frame)
			if !isReady && ready(frame) {
				isReady = true
				close(tr.ready)
			}
		case <-ctx.Done():
			tr.open = true
			return
		}
	}
}

// awaitReady waits for the frame that tells that the Turn is at work.
func (tr *trial) awaitReady(ctx context.Context) error {
	select {
	case <-tr.ready:
		return nil
	case <-tr.closed:
		return fmt.Errorf("%s: output ended after %d frames, want one that is ready", tr.id, len(tr.frames))
	case <-ctx.Done():
		return fmt.Errorf("%s: got no frame that is ready in time: %w", tr.id, context.Cause(ctx))
	}
}

// finish waits for settlement and the end of output, and judges both. dones is how many there have to be at least; more
// than one are never right.
func (tr *trial) finish(ctx context.Context, dones int) error {
	reusable, err := tr.turn.AwaitSettlement(ctx)
	if err != nil {
		return fmt.Errorf("%s: await settlement: %w", tr.id, err)
	}
	if !reusable {
		return fmt.Errorf("%s: settled as not reusable, want reusable", tr.id)
	}
	return tr.judge(dones)
}

// judge waits for the end of output and applies the rules of frames (behaviour 6.1).
func (tr *trial) judge(dones int) error {
	<-tr.closed
	if tr.open {
		return fmt.Errorf("%s: the adapter did not close output", tr.id)
	}
	seen := 0
	for i, frame := range tr.frames {
		switch {
		case frame.ID != tr.id:
			return fmt.Errorf("%s: frame %d (%s): got run id %q, want %q", tr.id, i, frame.Type, frame.ID, tr.id)
		case seen > 0:
			return fmt.Errorf("%s: frame %d (%s): got a frame after done, want none", tr.id, i, frame.Type)
		case frame.Type == proto.TypeDone:
			seen++
		}
	}
	if seen < dones {
		return fmt.Errorf("%s: got %d done frames, want %d", tr.id, seen, dones)
	}
	return nil
}
