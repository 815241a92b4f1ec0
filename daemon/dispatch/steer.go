package dispatch

import (
	"context"
	"errors"
	"time"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Reasons for which an input's outcome is not known (behaviour 6.5).
var (
	errInputWrite  = errors.New("native write of the input was not complete in time")
	errWrittenSend = errors.New("receipt of the written input could not be sent")
)

// steer takes active input: one at a time for a Run, each answered by its own receipts (behaviour 6.5).
func (r *Router) steer(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.PromptSteer)
	if request == nil || frame.ID == "" || request.InputID == "" {
		return ErrUnanswerable
	}
	if frame.Validate() != nil {
		r.receipt(proto.New(frame.ID, &proto.PromptSteerAck{InputID: request.InputID, ErrorCode: proto.CodeInvalidInput}))
		return nil
	}
	if ack, answered := r.takeInput(frame.ID, request, proto.DigestPayload(request)); answered {
		r.receipt(proto.New(frame.ID, &ack))
	}
	return nil
}

// takeInput gives the input to its Run, or the answer that it has without one.
func (r *Router) takeInput(id string, request *proto.PromptSteer, digest [32]byte) (proto.PromptSteerAck, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.runs[id]
	if ack, answered := r.earlierInput(run, id, request.InputID, digest); answered {
		return ack, true
	}
	if code := run.inputFault(request); code != "" {
		return proto.PromptSteerAck{InputID: request.InputID, ErrorCode: code}, true
	}
	in := run.inputs.begin(request.InputID, digest)
	turn := run.turn
	run.ops.run(func() { run.applyInput(turn, in, request) })
	return proto.PromptSteerAck{}, false
}

// earlierInput answers an input id that this Run has seen, also after the Run's end. The caller holds the lock.
func (r *Router) earlierInput(run *run, id, inputID string, digest [32]byte) (proto.PromptSteerAck, bool) {
	known := r.memory.find(id)
	if run != nil {
		known = run.inputs
	}
	in := known.get(inputID)
	switch {
	case in == nil:
		return proto.PromptSteerAck{}, false
	case in.digest != digest:
		return proto.PromptSteerAck{InputID: inputID, ErrorCode: proto.CodeInputConflict}, true
	case !in.settled:
		return proto.PromptSteerAck{InputID: inputID, ErrorCode: proto.CodeInFlight}, true
	}
	return in.ack, true
}

// inputFault names why a new input is not taken, "" when it is. The caller holds the lock; run may be nil.
func (run *run) inputFault(request *proto.PromptSteer) string {
	if run == nil || run.phase == runClosing || run.phase == runStuck {
		return proto.CodeRunInactive
	}
	declared := run.owner.declared.Capabilities
	switch {
	case run.phase == runStarting:
		return proto.CodeNotReady
	case !declared.Has(proto.DurableInputReceipts), request.Input.HasImage() && !declared.Has(proto.MessageImages):
		return proto.CodeUnsupported
	case run.inputs.flying:
		return proto.CodeBusy
	case len(run.inputs.byID) >= proto.MaxInputsPerRun:
		return proto.CodeInputLimit
	}
	return ""
}

// applyInput gives one input to the Turn and sends its receipts. It is counted in run.ops.
func (run *run) applyInput(turn harness.Turn, in *input, request *proto.PromptSteer) {
	r := run.router
	<-run.told
	ctx, stop := context.WithCancelCause(run.opsLife)
	defer stop(nil)
	late := make(chan struct{})
	writing := time.AfterFunc(proto.InputWriteTimeout, func() {
		stop(errInputWrite)
		close(late)
	})
	defer writing.Stop()
	written := func() {
		if !writing.Stop() {
			return // too late: the outcome was told as unknown, or it was called twice
		}
		ack := &proto.PromptSteerAck{InputID: request.InputID, Written: true}
		if err := r.deliver(proto.New(run.id, ack)); err != nil {
			stop(errWrittenSend)
		}
	}
	consumed := make(chan error, 1)
	run.ops.run(func() { consumed <- turn.SteerWithReceipt(ctx, request.Input, written) })
	var err error
	select {
	case err = <-consumed:
	case <-late:
		err = errInputWrite
	}
	ack := inputReceipt(request.InputID, err)
	receipt := proto.New(run.id, &ack)
	defer r.answers.count(receipt)() // from before the next input may come
	r.mu.Lock()
	run.inputs.settle(in, ack) // before the send: Core may give the next input the moment it reads the receipt
	r.mu.Unlock()
	r.reply(receipt)
}

// inputReceipt translates what the adapter said.
func inputReceipt(inputID string, err error) proto.PromptSteerAck {
	ack := proto.PromptSteerAck{InputID: inputID, Accepted: err == nil}
	if err == nil {
		return ack
	}
	ack.ErrorCode, ack.Error = proto.CodeOutcomeUnknown, said(err)
	for _, row := range []struct {
		is   error
		code string
	}{
		{harness.ErrNotReady, proto.CodeNotReady},
		{harness.ErrInactive, proto.CodeRunInactive},
		{harness.ErrRejected, proto.CodeInputRejected},
		{harness.ErrUnsupported, proto.CodeContractViolation},
	} {
		if errors.Is(err, row.is) {
			ack.ErrorCode = row.code
		}
	}
	return ack
}
