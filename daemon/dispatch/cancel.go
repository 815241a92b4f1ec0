package dispatch

import (
	"errors"

	"parley/daemon/proto"
)

// cancel takes a prompt_cancel (behaviour 6.4). Without a delivery id no receipt is sent. One too many for a Run cancels
// like the others and has failed as far as its own receipt goes: the outcome is told to the deliveries before it.
func (r *Router) cancel(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.PromptCancel)
	if request == nil || frame.ID == "" {
		return ErrUnanswerable
	}
	refusal := r.cancelRun(frame.ID, request.DeliveryID)
	if refusal != nil && request.DeliveryID != "" {
		r.receipt(proto.New(frame.ID, refusal))
	}
	return nil
}

// cancelRun ends a Run, which then owes the delivery its receipt, or gives the receipt that the Run does not owe.
func (r *Router) cancelRun(id, delivery string) (refusal *proto.DecisionAck) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return &proto.DecisionAck{DeliveryID: delivery, ErrorCode: proto.CodeRunInactive}
	}
	if delivery != "" && !run.cancels.add(delivery) {
		refusal = &proto.DecisionAck{DeliveryID: delivery, ErrorCode: proto.CodeCancelFailed,
			Error: "too many other deliveries wait for the end of this run"}
	}
	if run.phase == runStuck {
		run.phase = runClosing
		r.operate(run.retry)
		return refusal
	}
	run.endLocked(endCancel, nil)
	return refusal
}

// errNotSettled stands for a Turn whose Executor had to be closed more than once.
var errNotSettled = errors.New("turn settlement was not confirmed before the executor was closed")

// retry tries again to close the Executor of a Run whose close failed. Whatever comes out, the Turn did not settle by
// itself: a cancel is never applied here.
func (run *run) retry() {
	r := run.router
	closed := r.closeOwner(run.owner)
	if closed == nil && run.turn != nil {
		run.abandonOutput()
	}
	r.mu.Lock()
	if run.turn == nil {
		waiting := run.stuckStart(closed)
		r.mu.Unlock()
		for _, delivery := range waiting {
			r.acknowledge(run.id, startCancelled(delivery, closed))
		}
		return
	}
	end := run.ended(settlement{err: errNotSettled}, closed, proto.Done{}, false)
	if closed != nil {
		run.phase = runStuck
	} else {
		run.admission.owner = nil
		r.retire(run)
	}
	quiet := r.closed
	r.mu.Unlock()
	if !quiet {
		run.tell(end)
	}
}

// stuckStart ends or keeps a Run that never had a Turn. The caller holds the lock.
func (run *run) stuckStart(closed error) []string {
	if closed != nil {
		run.phase = runStuck
	} else {
		run.router.retire(run)
	}
	return run.cancels.take()
}

// acknowledge sends one receipt of a cancel, without the outcome when that cannot be said in one frame.
func (r *Router) acknowledge(runID string, ack *proto.DecisionAck) {
	frame := proto.New(runID, ack)
	defer r.answers.count(frame)()
	err := r.deliver(frame)
	if errors.Is(err, proto.ErrUnencodable) && ack.Outcome != nil {
		err = r.deliver(proto.New(runID, &proto.DecisionAck{DeliveryID: ack.DeliveryID,
			ErrorCode: proto.CodeCancelOutcomeUnavailable, Error: "the snapshot of the turn does not fit into a frame"}))
	}
	if err != nil {
		r.config.Log.Warn("send receipt of a cancel", "error", err)
	}
}
