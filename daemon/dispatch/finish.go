package dispatch

import (
	"context"
	"errors"
	"fmt"

	"parley/daemon/proto"
)

// finish is the end of a Run, in the order of behaviour 6.1. Everything is true before done is written: settled,
// drained, closed where needed, receipts sent, Executor available again.
func (run *run) finish() {
	r := run.router
	settled := run.settle()
	run.drain(settled)
	if settled.reusable && !run.mustDiscard() {
		run.ops.wait(run.stoppingOps()) // cannot fail: the context does not end
		run.conclude(settled, nil)
		return
	}
	closed := r.closeOwner(run.owner)
	run.ops.wait(run.stoppingOps())
	run.conclude(settled, closed)
}

// stoppingOps tells operations in flight that their Turn is over. Its context never ends: receipts are joined.
func (run *run) stoppingOps() context.Context {
	run.stopOps()
	return context.Background()
}

// settlement is what the native side confirmed.
type settlement struct {
	reusable bool
	err      error // settlement is not confirmed
}

var errUnsettled = errors.New("turn settlement is not confirmed in time")

// settle waits for native settlement, at most the settlement limit. An aborted Turn is cancelled beside the wait, and a
// cancel that fails ends it; a natural end never calls Cancel.
func (run *run) settle() settlement {
	r := run.router
	r.mu.Lock()
	turn, aborted := run.turn, run.aborted()
	r.mu.Unlock()
	ctx, stop := context.WithTimeoutCause(context.Background(), proto.SettlementTimeout, errUnsettled)
	defer stop()
	settled := make(chan settlement, 2)
	r.work.run(func() {
		reusable, err := turn.AwaitSettlement(ctx)
		settled <- settlement{reusable: reusable && err == nil, err: err}
		stop()
	})
	if aborted {
		r.work.run(func() {
			if err := turn.Cancel(ctx); err != nil {
				settled <- settlement{err: fmt.Errorf("cancel turn: %w", err)}
			}
		})
	}
	select {
	case s := <-settled:
		return s
	case <-ctx.Done():
	}
	select {
	case s := <-settled: // settled in the same moment
		return s
	default:
		return settlement{err: context.Cause(ctx)}
	}
}

// drain waits until the adapter closed its output. After settlement it has only the settlement limit for it; an adapter
// that does not is at fault.
func (run *run) drain(s settlement) {
	if s.err != nil {
		return // the close decides; drained below by whoever closes the channel, or abandoned
	}
	ctx, stop := context.WithTimeout(context.Background(), proto.SettlementTimeout)
	defer stop()
	select {
	case <-run.drained:
	case <-ctx.Done():
		run.discardExecutor()
		run.end(endFault, errors.New("harness left its output open after settlement"))
	}
}

func (run *run) mustDiscard() bool {
	run.router.mu.Lock()
	defer run.router.mu.Unlock()
	return run.discard
}

// conclude removes the Run's route, frees the Executor and tells the end. With a close that failed there is no end to
// tell: Run and owner are kept (behaviour 6.1).
func (run *run) conclude(s settlement, closed error) {
	r := run.router
	if closed == nil {
		run.abandonOutput() // otherwise it is read on, so that the harness is never held up while it tries to end
	}
	outcome, known := run.turn.CancellationOutcome()
	r.mu.Lock()
	end := run.ended(s, closed, outcome, known)
	if closed != nil {
		run.phase = runStuck
	} else {
		run.freeOwner()
		r.retire(run)
	}
	quiet := r.closed
	r.mu.Unlock()
	if !quiet {
		run.tell(end)
	}
}

// freeOwner commits the native Session and lets the Executor rest. The caller holds the lock.
func (run *run) freeOwner() {
	o := run.owner
	run.admission.owner = nil
	if run.router.owners[o.session] != o {
		return // closed
	}
	if native := o.executor.NativeSession(); native != "" {
		o.native = native
	}
	run.router.rest(o)
}

// conclusion is what a Run's end tells, in this order: error, done, receipts.
type conclusion struct {
	failure  *proto.Failure
	done     *proto.Done
	receipts []*proto.DecisionAck
}

// ended puts the conclusion together. The caller holds the lock.
func (run *run) ended(s settlement, closed error, outcome proto.Done, known bool) conclusion {
	end := conclusion{receipts: run.answers(s, closed, outcome, known)}
	if closed != nil || run.broken {
		return end // no done, or nowhere to send it
	}
	end.done = run.done
	if end.done == nil {
		end.done = &proto.Done{}
	}
	switch {
	case run.cause != nil:
		end.failure = &proto.Failure{Error: said(run.cause)}
	case s.err != nil:
		end.failure = &proto.Failure{Error: "Turn settlement failed"}
	}
	return end
}

// answers are the receipts of the cancels that wait (behaviour 6.4). The caller holds the lock.
func (run *run) answers(s settlement, closed error, outcome proto.Done, known bool) []*proto.DecisionAck {
	var acks []*proto.DecisionAck
	for _, delivery := range run.cancels.take() {
		acks = append(acks, run.answer(delivery, s, closed, outcome, known))
	}
	return acks
}

func (run *run) answer(delivery string, s settlement, closed error, outcome proto.Done, known bool) *proto.DecisionAck {
	no := func(code, text string) *proto.DecisionAck {
		return &proto.DecisionAck{DeliveryID: delivery, ErrorCode: code, Error: text}
	}
	switch {
	case errors.Is(s.err, errUnsettled), errors.Is(s.err, context.DeadlineExceeded):
		return no(proto.CodeCancelTimeout, "the turn did not settle in time")
	case s.err != nil:
		return no(proto.CodeCancelFailed, said(s.err))
	case closed != nil:
		return no(proto.CodeCancelFailed, "executor close is not confirmed")
	case run.broken:
		return no(proto.CodeCancelOutputUnavailable, "the run's output could not be delivered")
	case run.ending == endDone:
		return no(proto.CodeRunInactive, "the turn ended by itself")
	case !known:
		return no(proto.CodeCancelOutcomeUnavailable, "the harness has no snapshot of the turn")
	}
	return &proto.DecisionAck{DeliveryID: delivery, Applied: true, Outcome: &outcome}
}

// tell sends the conclusion. A done that cannot be sent concerns only this Run, which is over.
func (run *run) tell(end conclusion) {
	r := run.router
	if end.failure != nil {
		run.tellFrame(end.failure)
	}
	if end.done != nil {
		run.tellFrame(end.done)
	}
	for _, ack := range end.receipts {
		r.acknowledge(run.id, ack)
	}
}

func (run *run) tellFrame(payload proto.Payload) {
	if err := run.router.forward(proto.New(run.id, payload)); err != nil {
		run.router.config.Log.Warn("send end of a run", "type", payload.Type(), "error", err)
	}
}
