package dispatch

import "parley/daemon/proto"

// release takes an execution_release (behaviour 5.5). After the hand-over it only repeats the current status.
func (r *Router) release(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.ExecutionRelease)
	if request == nil || request.Handle == "" {
		r.reject(frame.ID, frame.Type, proto.CodeInvalidRelease)
		return nil
	}
	if !r.giveBack(request.Handle, frame.ID) {
		r.reject(frame.ID, frame.Type, proto.CodeUnknownPreparation)
	}
	return nil
}

// giveBack gives up the admission or repeats its status; false when handle and request do not name one.
func (r *Router) giveBack(handle, request string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.byHandle[handle]
	if a == nil || a.request != request {
		return false
	}
	p, ok := r.abandon(a, proto.StateReleased)
	switch {
	case ok:
		r.announce(p)
	case a.leaving == "" && !a.silent:
		r.announce(a.publication())
	}
	return true
}
