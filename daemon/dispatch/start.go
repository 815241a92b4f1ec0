package dispatch

import (
	"context"
	"fmt"
	"time"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// start takes an execution_start through the checks of behaviour 5.6, in their order.
func (r *Router) start(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.ExecutionStart)
	if request == nil || frame.Validate() != nil {
		r.reject(frame.ID, frame.Type, proto.CodeInvalidStart)
		return nil
	}
	if code := r.tryStart(frame.ID, request, proto.DigestPayload(request)); code != "" {
		r.reject(frame.ID, frame.Type, code)
	}
	return nil
}

// tryStart starts or repeats, or gives the code of the refusal.
func (r *Router) tryStart(id string, request *proto.ExecutionStart, digest [32]byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, code := r.startable(id, request)
	if code != "" {
		return code
	}
	if a.state == proto.StateStarting || a.state == proto.StateStarted {
		return r.startAgain(a, digest)
	}
	return r.handOver(a, request, digest)
}

// startable finds the admission that a start names: rows 2 to 5. The caller holds the lock.
func (r *Router) startable(id string, request *proto.ExecutionStart) (*admission, string) {
	a := r.byHandle[request.Handle]
	switch {
	case r.gate.shut():
		return nil, proto.CodeResourceUnavailable
	case a == nil || a.request != id:
		return nil, proto.CodeUnknownPreparation
	case a.readOnly:
		return nil, proto.CodeReadOnlyPreparation
	case a.executor != request.ExecutorID:
		return nil, proto.CodeUnknownExecutor
	}
	return a, ""
}

// startAgain answers a repeated start (row 6), or gives the code of the refusal: it never starts a second Turn, and says
// nothing before started was told. The caller holds the lock.
func (r *Router) startAgain(a *admission, digest [32]byte) string {
	if a.start != digest {
		return proto.CodeStartConflict
	}
	if a.state == proto.StateStarted {
		p := a.publication() // after started in the lane, should that still be on its way
		r.respond(p.frame, func() { r.tellAgain(a, p) })
	}
	return ""
}

// tellAgain repeats started, unless it could not be told at all.
func (r *Router) tellAgain(a *admission, p publication) {
	err := p.place.send(func() error {
		r.mu.Lock()
		silent := a.silent
		r.mu.Unlock()
		if silent {
			return nil
		}
		return r.deliver(p.frame)
	})
	if err != nil {
		r.config.Log.Warn("send preparation status", "error", err)
	}
}

// handOver gives the admission to a Run: rows 7 to 9. The caller holds the lock.
func (r *Router) handOver(a *admission, request *proto.ExecutionStart, digest [32]byte) string {
	o := a.owner
	if a.state != proto.StateReady || o == nil || o.state != ownerAdmitted {
		return proto.CodePreparationNotReady
	}
	if !time.Now().Before(a.deadline) {
		if p, ok := r.abandon(a, proto.StateExpired); ok {
			r.announce(p)
		}
		return ""
	}
	if r.runs[request.RunID] != nil {
		return proto.CodeRunConflict
	}
	a.run, a.start = request.RunID, digest
	a.advance(proto.StateStarting, "")
	o.state = ownerRunning
	run := newRun(r, request.RunID, a)
	r.runs[run.id] = run
	p := a.publication()
	r.operate(func() { run.conduct(p, request.Input) })
	return ""
}

// conduct is the life of a Run from the hand-over to its end. It is the Run's owner goroutine.
func (run *run) conduct(starting publication, input proto.MessageInput) {
	r := run.router
	if err := r.publish(starting); err != nil {
		run.withoutTurn(proto.CodeStartCancelled, false)
		return
	}
	if run.stopped() {
		run.withoutTurn(proto.CodeStartCancelled, true)
		return
	}
	go run.consume() // ends when the output channel is closed or abandoned; conduct joins it
	turn, err := run.owner.executor.StartTurn(r.life, run.id, input, run.output)
	if turn == nil {
		run.abandonOutput()
		r.config.Log.Warn("start turn", "executor", run.owner.id, "error", err)
		run.withoutTurn(proto.CodeExecutorUnavailable, true)
		return
	}
	run.begun(turn, err)
	<-run.over
	run.finish()
}

// begun tells that the admission belongs to the Turn now. The peer may answer before this goroutine goes on, so input and
// results are taken from before the send; they reach the Turn only after it.
func (run *run) begun(turn harness.Turn, startErr error) {
	r, a := run.router, run.admission
	r.mu.Lock()
	run.turn = turn
	run.phase = runStarted
	if run.ending != "" {
		run.phase = runClosing
	}
	a.advance(proto.StateStarted, "")
	p := a.publication()
	r.mu.Unlock()
	ctx, cancel := context.WithDeadline(r.life, a.deadline)
	defer cancel()
	err := p.place.send(func() error {
		err := r.deliverWithin(ctx, p.frame)
		r.mu.Lock()
		a.silent = err != nil
		r.mu.Unlock()
		return err
	})
	close(run.told)
	switch {
	case err != nil:
		run.end(endUndelivered, fmt.Errorf("send started: %w", err))
		run.discardExecutor()
	case startErr != nil:
		run.end(endFault, fmt.Errorf("start turn: %w", startErr))
		run.discardExecutor()
	}
}

// withoutTurn ends a Run of which nothing was submitted: the Executor is closed, and the refusal told after the Run's
// route is gone (behaviour 5.6). No error and no done follow.
func (run *run) withoutTurn(code string, tell bool) {
	r, a := run.router, run.admission
	closed := r.closeOwner(run.owner)
	if closed != nil {
		code = proto.CodeCleanupUnconfirmed
	}
	run.ops.wait(context.Background()) // cannot fail: the context does not end
	r.mu.Lock()
	a.advance(proto.StateFailed, code)
	a.silent = true
	run.phase = runClosing
	if closed == nil {
		r.retire(run)
	} else {
		run.phase = runStuck
	}
	waiting := run.cancels.take()
	silent := r.closed || !tell
	r.mu.Unlock()
	if !silent {
		refusal := proto.New(a.request, &proto.PreparationStatus{ExecutorID: a.executor, Handle: a.handle,
			State: proto.StateRejected, RunID: run.id, ErrorCode: code, Operation: proto.TypeExecutionStart})
		defer r.answers.count(refusal)()
		r.reply(refusal)
	}
	for _, delivery := range waiting {
		r.acknowledge(run.id, startCancelled(delivery, closed))
	}
}

// startCancelled is the receipt of a cancel that met a Run without a Turn: the Executor's close decides, and the
// outcome is empty (behaviour 6.4).
func startCancelled(delivery string, closed error) *proto.DecisionAck {
	if closed != nil {
		return &proto.DecisionAck{DeliveryID: delivery, ErrorCode: proto.CodeCancelFailed, Error: "executor close is not confirmed"}
	}
	return &proto.DecisionAck{DeliveryID: delivery, Applied: true, Outcome: &proto.Done{}}
}
