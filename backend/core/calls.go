package core

import (
	"context"
	"errors"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// calls are the function results on their way to the Runtime (behaviour 6.6).
type calls struct {
	sent     map[string]bool // by call id: sent, never again
	waiters  []*gateway.Waiter
	receipts chan callReceipt
}

type callReceipt struct {
	call string
	ack  proto.DecisionAck
	err  error
}

func (c *calls) close() {
	for _, waiter := range c.waiters {
		waiter.Close()
	}
}

// opened keeps a call that the Runtime made; the Turn waits for its answer.
func (d *delivery) opened(ctx context.Context, call *proto.FunctionCall) *ending {
	now := d.service.now()
	_, err := d.service.store.OpenCall(ctx, store.Call{TurnID: d.turn.ID, CallID: call.CallID, SessionID: d.session.ID,
		Name: call.Name, Arguments: []byte(call.Arguments), NativeID: call.NativeID, ChildTurn: call.TurnID, Created: now},
		describeWaitingAt(now))
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnfit) {
		return &ending{code: CodeCallInvalid, cause: err}
	}
	if err != nil {
		return &ending{code: CodePersistence, cause: err}
	}
	return nil
}

// withdrawn stops asking for an answer.
func (d *delivery) withdrawn(ctx context.Context, call string) *ending {
	now := d.service.now()
	_, err := d.service.store.WithdrawCall(ctx, d.turn.ID, call, now, describeWaitingAt(now))
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrChanged) {
		return &ending{code: CodePersistence, cause: err}
	}
	return nil
}

// answer sends answers that are stored and were not sent.
func (d *delivery) answer(ctx context.Context) *ending {
	all, err := d.service.store.Calls(ctx, d.turn.ID)
	if err != nil {
		return &ending{code: CodeStateUnavailable, cause: err}
	}
	for _, call := range all {
		if call.State != store.CallAnswered || d.calls.sent[call.CallID] {
			continue
		}
		if end := d.sendAnswer(ctx, call); end != nil {
			return end
		}
	}
	return nil
}

func (d *delivery) sendAnswer(ctx context.Context, call store.Call) *ending {
	result, err := contentOfCall(call)
	if err != nil {
		return &ending{code: CodeResultInvalid, cause: err}
	}
	if proto.ContentHasImage(result.Content) && !d.declared.kind.Capabilities.Has(proto.FunctionResultImages) {
		return &ending{code: CodeInputUnsupported, cause: errors.New("the harness takes no image in a function result")}
	}
	delivery := "function:" + call.CallID
	waiter, err := d.peer.AwaitDecision(delivery)
	if err != nil {
		return &ending{code: CodeResultUnconfirmed, cause: err}
	}
	d.calls.sent[call.CallID] = true
	d.calls.waiters = append(d.calls.waiters, waiter)
	d.service.work.Go(func() {
		ack, err := waiter.Wait(d.life)
		select {
		case d.calls.receipts <- callReceipt{call: call.CallID, ack: ack, err: err}:
		case <-d.life.Done():
		}
	})
	err = d.send(ctx, proto.New(d.run, &proto.FunctionResult{DeliveryID: delivery, CallID: call.CallID,
		Success: result.Success, Content: result.Content}))
	if err != nil {
		return &ending{code: CodeDeliveryUnknown, cause: err}
	}
	return nil
}

// answered takes the receipt of an answer. not_pending waits for the withdrawal or the Turn's end.
func (d *delivery) answered(ctx context.Context, r callReceipt) *ending {
	switch {
	case d.cancel.asked:
		return nil
	case r.err != nil:
		return &ending{code: CodeResultUnconfirmed, cause: r.err}
	case r.ack.Applied:
		d.projection.answered(r.call, d.service.now())
		return d.settleCall(ctx, r.call, store.CallApplied)
	case r.ack.ErrorCode == proto.CodeNotPending, r.ack.ErrorCode == proto.CodeNotReady:
		return nil // the withdrawal or the Run's end decides; nothing is sent again
	}
	if end := d.settleCall(ctx, r.call, store.CallFailed); end != nil {
		return end
	}
	return &ending{code: CodeResultInvalid, cause: &refusedError{code: r.ack.ErrorCode}}
}

func (d *delivery) settleCall(ctx context.Context, call string, to store.CallState) *ending {
	now := d.service.now()
	_, err := d.service.store.SettleCall(ctx, d.turn.ID, call, to, now, nil) // its answer was told when it was given
	if err != nil && !errors.Is(err, store.ErrChanged) {
		return &ending{code: CodePersistence, cause: err}
	}
	return nil
}
