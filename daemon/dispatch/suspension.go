package dispatch

import (
	"context"

	"parley/daemon/proto"
)

// suspension is the planned pause of a Router (behaviour 7.5). The Router's lock guards it.
type suspension struct {
	fenced   *proto.Suspension // nil while admission is open
	accepted bool              // the peer was told, so the connection may end
	resumed  *proto.Suspension // the last resume, which may be repeated
}

// quiesce closes admission and drains what was admitted; settled idle Executors stay.
func (r *Router) quiesce(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.EnvironmentQuiesce)
	if request == nil || frame.ID == "" || len(frame.ID) > proto.MaxCorrelation {
		return ErrUnanswerable
	}
	refuse := func(code string) {
		r.receipt(proto.New(frame.ID, &proto.EnvironmentQuiesced{SuspensionReply: refusal(request.Suspension, code)}))
	}
	if len(frame.Raw) > proto.MaxSuspension || frame.Validate() != nil || !r.ownEnvironment(request.EnvironmentID) {
		refuse(proto.CodeInvalidRequest)
		return nil
	}
	if !r.fence(frame.ID, request.Suspension) {
		refuse(proto.CodeResourceBusy)
	}
	return nil
}

// fence closes admission and begins the drain; false when something is not settled.
func (r *Router) fence(id string, asked proto.Suspension) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsettled(asked.EnvironmentID) {
		return false
	}
	r.suspension.fenced = &asked
	for _, o := range r.owners {
		o.stopIdle()
	}
	r.quiescing.run(func() { r.drain(id, asked) })
	return true
}

func (r *Router) ownEnvironment(id string) bool {
	return r.config.Binding != nil && r.config.Binding.EnvironmentID == id
}

// unsettled reports anything that prevents a suspension. The caller holds the lock.
func (r *Router) unsettled(environmentID string) bool {
	if r.gate.shut() || r.gate.reads > 0 || len(r.runs) > 0 || r.ownedAdmissions() > 0 {
		return true
	}
	for _, o := range r.owners {
		if o.state != ownerIdle || (o.environment != "" && o.environment != environmentID) {
			return true
		}
	}
	return false
}

// drain waits for every receipt that was admitted before the fence, then accepts. When it does not come so far,
// admission stays closed until shutdown.
func (r *Router) drain(id string, asked proto.Suspension) {
	ctx, stop := context.WithTimeout(r.life, proto.QuiesceTimeout)
	defer stop()
	if err := r.work.wait(ctx); err != nil {
		r.config.Log.Warn("drain for suspension", "error", err)
		return
	}
	reply := &proto.EnvironmentQuiesced{SuspensionReply: proto.SuspensionReply{
		EnvironmentID: asked.EnvironmentID, SuspendID: asked.SuspendID, Accepted: true}}
	if err := r.deliver(proto.New(id, reply)); err != nil {
		r.config.Log.Warn("accept suspension", "error", err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.suspension.accepted = true
}

// resume opens admission again for exactly the ids of the suspension, with fresh idle intervals.
func (r *Router) resume(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.EnvironmentResume)
	if request == nil || frame.ID == "" || len(frame.ID) > proto.MaxCorrelation {
		return ErrUnanswerable
	}
	reply, err := r.endSuspension(frame, request)
	if err != nil {
		return err
	}
	r.receipt(proto.New(frame.ID, &proto.EnvironmentResumed{SuspensionReply: reply}))
	return nil
}

func (r *Router) endSuspension(frame proto.Frame, request *proto.EnvironmentResume) (proto.SuspensionReply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.suspension.fenced != nil && !r.suspension.accepted {
		return proto.SuspensionReply{}, ErrQuiesced
	}
	reply := refusal(request.Suspension, r.resumeFault(frame, request))
	if reply.Accepted {
		r.reopen(request.Suspension)
	}
	return reply, nil
}

// resumeFault names why a resume is refused, "" when it is not. The caller holds the lock.
func (r *Router) resumeFault(frame proto.Frame, request *proto.EnvironmentResume) string {
	asked, s := request.Suspension, &r.suspension
	switch {
	case len(frame.Raw) > proto.MaxSuspension, frame.Validate() != nil, !r.ownEnvironment(asked.EnvironmentID):
		return proto.CodeInvalidRequest
	case s.fenced != nil && !sameSuspension(*s.fenced, asked):
		return proto.CodeInvalidRequest
	case s.fenced == nil && !asked.Rollback && (s.resumed == nil || !sameSuspension(*s.resumed, asked)):
		return proto.CodeNotSuspended
	}
	return ""
}

// reopen ends the suspension. The caller holds the lock.
func (r *Router) reopen(asked proto.Suspension) {
	s := &r.suspension
	s.resumed = &asked
	if s.fenced == nil {
		return
	}
	s.fenced, s.accepted = nil, false
	for _, o := range r.owners {
		if o.state == ownerIdle {
			r.startIdle(o)
		}
	}
}

func sameSuspension(a, b proto.Suspension) bool {
	return a.EnvironmentID == b.EnvironmentID && a.SuspendID == b.SuspendID
}

// refusal repeats both ids; code "" accepts.
func refusal(asked proto.Suspension, code string) proto.SuspensionReply {
	return proto.SuspensionReply{EnvironmentID: asked.EnvironmentID, SuspendID: asked.SuspendID, Accepted: code == "", ErrorCode: code}
}

// Attach gives the Router what sends and posts on its new connection after a suspension. Handles and request ids of the old one
// are forgotten.
func (r *Router) Attach(send Sender, post Poster) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send, r.post = send, post
	clear(r.byHandle)
	clear(r.byRequest)
}
