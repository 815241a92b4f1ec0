package dispatch

import (
	"errors"
	"slices"

	"parley/daemon/proto"
)

// cancel takes a prompt_cancel (behaviour 6.4). Without a delivery id no receipt is sent.
func (r *Router) cancel(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.PromptCancel)
	if request == nil || frame.ID == "" {
		return ErrUnanswerable
	}
	if !r.cancelRun(frame.ID, request.DeliveryID) && request.DeliveryID != "" {
		r.receipt(proto.New(frame.ID, &proto.DecisionAck{DeliveryID: request.DeliveryID, ErrorCode: proto.CodeRunInactive}))
	}
	return nil
}

// cancelRun ends a Run, which then owes the delivery its receipt; false when there is no such Run.
func (r *Router) cancelRun(id, delivery string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if run == nil {
		return false
	}
	if delivery != "" && !slices.Contains(run.cancels, delivery) {
		run.cancels = append(run.cancels, delivery)
	}
	if run.phase == runStuck {
		run.phase = runClosing
		r.operate(run.retry)
		return true
	}
	run.endLocked(endCancel, nil)
	return true
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
	return run.takeCancels()
}

// acknowledge sends one receipt of a cancel.
func (r *Router) acknowledge(runID string, ack *proto.DecisionAck) {
	if err := r.deliver(proto.New(runID, ack)); err != nil {
		r.config.Log.Warn("send receipt of a cancel", "error", err)
	}
}
