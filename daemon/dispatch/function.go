package dispatch

import (
	"errors"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// functionResult takes a function_result in the order of behaviour 6.6.
func (r *Router) functionResult(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.FunctionResult)
	if request == nil || frame.ID == "" || request.CallID == "" || request.DeliveryID == "" {
		return ErrUnanswerable
	}
	code, answered := proto.CodeInvalidResult, true
	if frame.Validate() == nil {
		code, answered = r.takeResult(frame.ID, request, len(frame.ID)+len(frame.Raw))
	}
	if answered {
		r.receipt(proto.New(frame.ID, &proto.DecisionAck{DeliveryID: request.DeliveryID, Applied: code == "", ErrorCode: code}))
	}
	return nil
}

// takeResult gives the result to its Run, or the answer that it has without one: a code, "" for applied. Size is what
// the result holds, in bytes.
func (r *Router) takeResult(id string, request *proto.FunctionResult, size int) (code string, answered bool) {
	digest := resultDigest(request)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch same, known := r.applied.find(id, request.CallID, digest); {
	case known && same:
		return "", true
	case known:
		return proto.CodeDecisionConflict, true
	}
	run := r.runs[id]
	if code := run.resultFault(request); code != "" {
		return code, true
	}
	if !r.results.begin(size) {
		return proto.CodeNotReady, true
	}
	run.calls[request.CallID] = true
	turn := run.turn
	run.ops.run(func() { run.applyResult(turn, request, digest, size) })
	return "", false
}

// resultDigest covers what makes two results the same: the call, the success flag and the content in its order.
func resultDigest(request *proto.FunctionResult) [32]byte {
	same := *request
	same.DeliveryID = ""
	return proto.DigestPayload(&same)
}

// resultFault names why a result is not applied, "" when it is. The caller holds the lock; run may be nil.
func (run *run) resultFault(request *proto.FunctionResult) string {
	if run == nil {
		return proto.CodeNotPending
	}
	declared := run.owner.declared.Capabilities
	switch {
	case run.phase != runStarted, run.calls[request.CallID]:
		return proto.CodeNotReady
	case !declared.Has(proto.FunctionTools),
		proto.ContentHasImage(request.Content) && !declared.Has(proto.FunctionResultImages):
		return proto.CodeUnsupported
	}
	return ""
}

// applyResult gives one result to the Turn and sends the receipt. It is counted in run.ops.
func (run *run) applyResult(turn harness.Turn, request *proto.FunctionResult, digest [32]byte, size int) {
	r := run.router
	<-run.told
	err := turn.SubmitFunctionResult(run.opsLife, *request)
	receipt := proto.New(run.id, resultReceipt(request.DeliveryID, err))
	defer r.answers.count(receipt)() // from before there is room for another result
	r.mu.Lock()
	delete(run.calls, request.CallID)
	r.results.end(size)
	if err == nil {
		r.applied.keep(run.id, request.CallID, digest)
	}
	r.mu.Unlock()
	r.reply(receipt)
}

// resultReceipt translates what the adapter said.
func resultReceipt(delivery string, err error) *proto.DecisionAck {
	ack := &proto.DecisionAck{DeliveryID: delivery, Applied: err == nil}
	switch {
	case err == nil:
		return ack
	case errors.Is(err, harness.ErrUnsupported):
		ack.ErrorCode = proto.CodeContractViolation
	case errors.Is(err, harness.ErrUnknownCall):
		ack.ErrorCode = proto.CodeNotPending
	default:
		ack.ErrorCode = proto.CodeRuntimeError
	}
	ack.Error = said(err)
	return ack
}
