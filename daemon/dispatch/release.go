package dispatch

import "parley/daemon/proto"

// release takes an execution_release (behaviour 5.5). After the hand-over it only repeats the current status.
func (r *Router) release(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.ExecutionRelease)
	if request == nil || request.Handle == "" {
		r.reject(frame.ID, frame.Type, proto.CodeInvalidRelease)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.byHandle[request.Handle]
	if a == nil || a.request != frame.ID {
		r.reject(frame.ID, frame.Type, proto.CodeUnknownPreparation)
		return nil
	}
	p, ok := r.abandon(a, proto.StateReleased)
	switch {
	case ok:
		r.announce(p)
	case a.leaving == "" && !a.silent:
		r.announce(a.publication())
	}
	return nil
}
