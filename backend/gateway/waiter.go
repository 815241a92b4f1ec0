package gateway

import (
	"context"
	"strconv"
	"strings"

	"parley/daemon/proto"
)

// Waiter waits for the receipt of one cancellation or function result.
type Waiter struct{ x *exchange }

// AwaitDecision begins to wait for an interaction_decision_ack: call it before the cancellation or function result is
// sent. The delivery id is trimmed. Errors: ErrBlank, ErrDuplicate, ErrSessionClosed.
func (c *Connection) AwaitDecision(deliveryID string) (*Waiter, error) {
	x, err := c.decisions.add(strings.TrimSpace(deliveryID), 1)
	if err != nil {
		return nil, err
	}
	return &Waiter{x}, nil
}

// Wait gives the receipt, and waits at most 15 seconds for it (behaviour 4.1); then the waiter is closed. A receipt that
// is already there counts before the end of ctx or of the connection. The error is an *UnconfirmedError.
func (w *Waiter) Wait(ctx context.Context) (proto.DecisionAck, error) {
	defer w.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, proto.AckWait, ErrNoAnswer)
	defer cancel()
	ack, err := receipt[*proto.DecisionAck](ctx, w.x)
	if err != nil {
		return proto.DecisionAck{}, &UnconfirmedError{Operation: proto.TypeDecisionAck, ID: w.x.key, Cause: err}
	}
	return *ack, nil
}

// Close gives up; a later receipt is nobody's. It may be repeated.
func (w *Waiter) Close() { w.x.release() }

// InputWaiter waits for the receipts of one active input: written, then accepted, or a refusal. They do not appear on
// the Run's subscription.
type InputWaiter struct {
	x     *exchange
	input string
}

// inputKey joins two ids in a way that no other two give.
func inputKey(runID, inputID string) string { return strconv.Itoa(len(runID)) + ":" + runID + inputID }

// AwaitInput begins to wait for the prompt_steer_ack frames of an input: call it before prompt_steer is sent. There is
// room for the two receipts that an input gets. Errors: ErrBlank, ErrDuplicate, ErrSessionClosed.
func (c *Connection) AwaitInput(runID, inputID string) (*InputWaiter, error) {
	if proto.Blank(runID) || proto.Blank(inputID) {
		return nil, ErrBlank
	}
	x, err := c.inputs.add(inputKey(runID, inputID), 2)
	if err != nil {
		return nil, err
	}
	return &InputWaiter{x, inputID}, nil
}

// Wait gives the next receipt. It has no limit of its own: an input lives as long as its Turn once it was written, so
// the caller bounds ctx (wire 3.9.2). The error is an *UnconfirmedError.
func (w *InputWaiter) Wait(ctx context.Context) (proto.PromptSteerAck, error) {
	ack, err := receipt[*proto.PromptSteerAck](ctx, w.x)
	if err != nil {
		return proto.PromptSteerAck{}, &UnconfirmedError{Operation: proto.TypePromptSteer, ID: w.input, Cause: err}
	}
	return *ack, nil
}

// Close gives up; later receipts are nobody's. It may be repeated.
func (w *InputWaiter) Close() { w.x.release() }

// receipt takes one valid frame of an exchange.
func receipt[P proto.Payload](ctx context.Context, x *exchange) (P, error) {
	var none P
	f, err := x.wait(ctx)
	if err != nil {
		return none, err
	}
	if err := valid(f); err != nil {
		return none, err
	}
	return payloadOf[P](f)
}
