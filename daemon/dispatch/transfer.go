package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/daemon/proto"
)

// Why a transfer ended before its last step.
var (
	errStepsOver    = errors.New("time for the steps is over")
	errMalformed    = errors.New("malformed step")
	errCancelled    = errors.New("peer cancelled")
	errUndelivered  = errors.New("answer was not delivered") // the transfer is cancelled, nothing more is sent
	errTransferDone = errors.New("transfer is over")
)

// step is what follows a begin. An export has only offsets.
type step struct {
	commit bool
	offset int64
	data   []byte
}

// transfer is an exclusive operation in steps: a begin, then one step after the answer to the one before (behaviour 7).
// One goroutine works at it; the receive loop only hands steps over, so that it never waits for a disk.
type transfer struct {
	op    exclusive // constant
	id    string    // constant
	steps chan step // room for one: the next step may come as soon as an answer is written
	// ctx ends with the time for the steps, a malformed step, or the router's life; its cause tells which. What is
	// applied after the last step does not depend on it.
	ctx  context.Context
	stop context.CancelCauseFunc

	owed bool // an answer is due, so no step may come; the router's lock guards it
	last bool // the commit was handed over; the router's lock guards it
}

// open begins a transfer whose steps must be over by the deadline, or names the code that refuses it. The answer to its
// begin is due.
func (r *Router) open(op exclusive, id, capacity string, deadline time.Time) (*transfer, string) {
	if code, ok := r.enter(op, capacity); !ok {
		return nil, code
	}
	clock, release := context.WithDeadlineCause(r.life, deadline, errStepsOver)
	ctx, stop := context.WithCancelCause(clock)
	t := &transfer{op: op, id: id, steps: make(chan step, 1), ctx: ctx, owed: true,
		stop: func(cause error) { stop(cause); release() }}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.transfer = t
	return t, ""
}

// closeTransfer ends a transfer; with unsettled set its effect is unknown and the gate stays shut. It is called before
// the final answer is sent: the peer may begin its next operation as soon as it has that answer. Due tells that the peer
// waits for one.
func (r *Router) closeTransfer(t *transfer, unsettled bool) (due bool) {
	t.stop(errTransferDone)
	r.mu.Lock()
	r.transfer, due = nil, t.owed
	r.mu.Unlock()
	r.leave(unsettled)
	return due
}

// underway finds the transfer with an id, nil if there is none of that operation.
func (r *Router) underway(op exclusive, id string) *transfer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.transfer; t != nil && t.op == op && t.id == id {
		return t
	}
	return nil
}

// hand passes a step on. A step before the answer to the one before is malformed.
func (r *Router) hand(t *transfer, s step) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.owed {
		return fmt.Errorf("%w: it came before the answer to the step before", errMalformed)
	}
	t.owed, t.last = true, s.commit
	t.steps <- s // has room: the goroutine took the step before when it owed the answer to it
	return nil
}

// breakOff ends a transfer for a malformed step; false when its commit was handed over already.
func (r *Router) breakOff(t *transfer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.last {
		return false
	}
	t.stop(errMalformed)
	return true
}

// next waits for the step that follows an answer.
func (t *transfer) next() (step, error) {
	select {
	case <-t.ctx.Done():
		return step{}, context.Cause(t.ctx)
	case s := <-t.steps:
		return s, nil
	}
}

// answer sends what is due for a step; afterwards the next one may come.
func (r *Router) answer(t *transfer, payload proto.Payload) error {
	r.mu.Lock()
	over := t.ctx.Err() != nil
	t.owed = over
	r.mu.Unlock()
	if over {
		return context.Cause(t.ctx)
	}
	if err := r.deliver(proto.New(t.id, payload)); err != nil {
		return fmt.Errorf("%w: %w", errUndelivered, err)
	}
	return nil
}

// conclude sends the final answer of a transfer that is closed.
func (r *Router) conclude(t *transfer, payload proto.Payload) {
	if err := r.deliver(proto.New(t.id, payload)); err != nil {
		r.config.Log.Warn("send final receipt", "operation", string(t.op), "error", err)
	}
}

// wellFormed gives the payload of a frame, and why it breaks the rules of its type. Without an error it is not nil.
func wellFormed[P interface {
	proto.Payload
	comparable
}](frame proto.Frame) (P, error) {
	var none P
	payload, _ := frame.Payload.(P)
	if err := frame.Validate(); err != nil {
		return payload, err
	}
	if payload == none {
		return payload, errors.New("payload is missing")
	}
	return payload, nil
}

// names reports whether a request means exactly this binding (behaviour 7.1).
func (b *Binding) names(environment, session string) bool {
	return b.EnvironmentID == environment && b.SessionID == session
}

// unanswerable says why a frame gets no answer.
func unanswerable(frame proto.Frame, cause error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnanswerable, frame.Type, cause)
}
