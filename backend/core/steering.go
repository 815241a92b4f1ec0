package core

import (
	"context"
	"errors"
	"strconv"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// steering is active input: one at a time, in the order of the Session's inputs (behaviour 6.5).
type steering struct {
	applied  int64 // the cursor: inputs up to here are consumed
	seq      int64 // of the input under way, 0 for none
	waiter   *gateway.InputWaiter
	written  bool
	refused  bool // the Run takes no input any more
	last     bool // the Run is over: only the receipt under way is waited for
	pause    time.Time
	timer    *time.Timer // for written
	receipts chan steerReceipt
}

type steerReceipt struct {
	seq int64
	ack proto.PromptSteerAck
	err error
}

func (s *steering) flying() bool { return s.seq != 0 }

func (s *steering) close() {
	if s.waiter != nil {
		s.waiter.Close()
	}
	if s.timer != nil {
		s.timer.Stop()
	}
}

// late fires when written did not come in time.
func (s *steering) late() <-chan time.Time {
	if s.timer == nil {
		return nil
	}
	return s.timer.C
}

// expectLast waits for the receipt under way, no longer than a Turn's finishing may take.
func (s *steering) expectLast() {
	s.last = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.NewTimer(finishTime)
}

func (s *steering) land() {
	s.close()
	s.seq, s.waiter, s.timer, s.written = 0, nil, nil, false
}

// steer gives the next input that is above the cursor, if none is under way.
func (d *delivery) steer(ctx context.Context) *ending {
	s := &d.steering
	if s.flying() || s.refused || d.service.now().Before(s.pause) {
		return nil
	}
	input, found, err := d.nextInput(ctx)
	if err != nil {
		return &ending{code: CodeStateUnavailable, cause: err}
	}
	if !found {
		return nil
	}
	message, err := messagesOf([]store.Input{input})
	if err != nil {
		return &ending{code: CodeInvalidInput, cause: err}
	}
	if message.HasImage() && !d.declared.kind.Capabilities.Has(proto.MessageImages) {
		return &ending{code: CodeInputUnsupported, cause: errors.New("the harness takes no image in a message")}
	}
	id := strconv.FormatInt(input.Seq, 10)
	if s.waiter, err = d.peer.AwaitInput(d.run, id); err != nil {
		return &ending{code: CodeInputUnknown, cause: err}
	}
	s.seq, s.timer = input.Seq, time.NewTimer(proto.WrittenWait)
	waiter := s.waiter
	d.service.work.Go(func() { d.awaitInput(d.life, waiter, input.Seq) })
	if err := d.send(ctx, proto.New(d.run, &proto.PromptSteer{InputID: id, Input: message})); err != nil {
		return &ending{code: CodeDeliveryUnknown, cause: err}
	}
	return nil
}

// nextInput finds the first message above the cursor.
func (d *delivery) nextInput(ctx context.Context) (store.Input, bool, error) {
	inputs, err := d.service.store.PendingInputs(ctx, d.turn.ID, maxInputs)
	if err != nil {
		return store.Input{}, false, err
	}
	for _, input := range inputs {
		if input.Kind == store.InputMessage && input.Seq > d.steering.applied {
			return input, true, nil
		}
	}
	return store.Input{}, false, nil
}

// awaitInput reports receipts to the loop until the last one.
func (d *delivery) awaitInput(ctx context.Context, waiter *gateway.InputWaiter, seq int64) {
	for {
		ack, err := waiter.Wait(ctx)
		select {
		case d.steering.receipts <- steerReceipt{seq: seq, ack: ack, err: err}:
		case <-ctx.Done():
			return
		}
		if err != nil || !ack.Written || ack.Accepted {
			return
		}
	}
}

// steered takes one receipt. Only accepted moves the cursor.
func (d *delivery) steered(ctx context.Context, r steerReceipt) *ending {
	s := &d.steering
	switch {
	case r.seq != s.seq:
		return nil
	case d.cancel.asked:
		s.land() // the cancel's receipt decides, whatever became of the input
		return nil
	case r.err != nil:
		return &ending{code: CodeInputUnknown, cause: r.err}
	case r.ack.Accepted:
		s.land()
		if end := d.advance(ctx, r.seq); end != nil || !s.last {
			return end
		}
		return d.completed()
	case r.ack.Written:
		s.written = true
		if !s.last {
			s.timer.Stop()
		}
		return nil
	}
	return d.unsteered(r.ack.ErrorCode)
}

// unsteered decides about a refused input.
func (d *delivery) unsteered(code string) *ending {
	s := &d.steering
	written := s.written
	switch {
	case code == proto.CodeInFlight:
		return nil
	case (code == proto.CodeNotReady || code == proto.CodeBusy) && !written:
		s.land()
		s.pause = d.service.now().Add(statePoll)
		return nil
	case code == proto.CodeRunInactive:
		s.land()
		s.refused = true // the Run is ending: its end decides, and the input stays unapplied
		if s.last {
			return d.completed()
		}
		return nil
	}
	return &ending{code: CodeInputPrefix + code, cause: &refusedError{code: code}}
}

// advance moves the cursor in the store.
func (d *delivery) advance(ctx context.Context, seq int64) *ending {
	applied, err := d.service.store.AdvanceApplied(ctx, d.turn.ID, seq)
	if err != nil {
		return &ending{code: CodePersistence, cause: err}
	}
	d.steering.applied = max(d.steering.applied, applied)
	return nil
}
