package dispatch

import (
	"context"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// prepare takes an execution_prepare through the checks of behaviour 5.3, in their order.
func (r *Router) prepare(frame proto.Frame) error {
	request, _ := frame.Payload.(*proto.ExecutionPrepare)
	if request == nil || proto.Blank(frame.ID) {
		r.reject(frame.ID, frame.Type, proto.CodeInvalidRequest)
		return nil
	}
	digest := proto.DigestPayload(request)
	if request.Configuration.WorkspaceReadOnly {
		return r.prepareReadOnly(frame.ID, request, digest)
	}
	declared, factory, code := r.suitable(request)
	if code != "" {
		r.reject(frame.ID, frame.Type, code)
		return nil
	}
	if code := r.tryAdmit(frame.ID, request, digest, declared, factory); code != "" {
		r.reject(frame.ID, frame.Type, code)
	}
	return nil
}

// tryAdmit admits or repeats, or gives the code of the refusal.
func (r *Router) tryAdmit(id string, request *proto.ExecutionPrepare, digest [32]byte, declared harness.Declaration, factory harness.Factory) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, code := r.admit(id, request, digest, declared)
	if code == "" && a.revision == 0 {
		r.begin(a, factory, request.Configuration)
	}
	return code
}

// suitable applies what needs no state: rows 2 to 6.
func (r *Router) suitable(request *proto.ExecutionPrepare) (harness.Declaration, harness.Factory, string) {
	var none harness.Declaration
	if err := request.BindingFault(); err != nil {
		return none, nil, proto.CodeInvalidConfiguration
	}
	config := &request.Configuration
	declared, factory, known := r.config.Registry.Kind(config.AgentKind)
	switch {
	case !known || !declared.Available:
		return none, nil, proto.CodeResourceUnavailable
	case factory == nil || !declared.Capabilities.Has(proto.Preparation):
		return none, nil, proto.CodeUnsupportedPreparation
	case !r.bound(request.SessionID, config.LocalEnvironment):
		return none, nil, proto.CodeInvalidConfiguration
	case request.ConfigurationFault() != nil:
		return none, nil, proto.CodeUnsupportedConfiguration
	}
	for _, capability := range config.Needs() {
		if !declared.Capabilities.Has(capability) {
			return none, nil, proto.CodeUnsupportedConfiguration
		}
	}
	return declared, factory, ""
}

// bound compares a request's Environment with the Runtime's own (behaviour 5.3 row 5). An execution without one
// claims nothing of the binding.
func (r *Router) bound(session string, local *proto.LocalEnvironment) bool {
	if local == nil {
		return true
	}
	b := r.config.Binding
	return b != nil && b.EnvironmentID == local.ID && b.SessionID == session && b.WorkspaceDirectory == local.WorkspaceDirectory
}

// admit applies rows 7 to 13 and gives the admission: a known one whose status it announced, a new one, or the code of
// the refusal. A new one still has revision 0. The caller holds the lock.
func (r *Router) admit(id string, request *proto.ExecutionPrepare, digest [32]byte, declared harness.Declaration) (*admission, string) {
	if r.gate.shut() {
		return nil, proto.CodeResourceUnavailable
	}
	r.prune()
	if known := r.byRequest[id]; known != nil {
		return r.repeat(known, digest)
	}
	config := &request.Configuration
	if r.recordsFull() {
		return nil, proto.CodePreparationCapacity
	}
	for session, o := range r.owners {
		if session != request.SessionID && o.stateKey == config.AgentStateKey {
			return nil, proto.CodeSessionBindingConflict
		}
	}
	if r.busyOwners() >= proto.MaxActive {
		return nil, proto.CodePreparationCapacity
	}
	o := r.owners[request.SessionID]
	a := &admission{request: id, digest: digest, handle: newID("hnd-")}
	switch {
	case o != nil:
		if code := o.reuseFault(config); code != "" {
			return nil, code
		}
		a.reused = true
	case len(r.owners) >= proto.MaxExecutors:
		return nil, proto.CodeExecutorCapacity
	default:
		o = newOwner(request, declared)
		r.owners[o.session] = o
	}
	a.owner, a.executor = o, o.id
	r.record(a)
	return a, ""
}

// repeat answers a request id that is known (row 8). The caller holds the lock.
func (r *Router) repeat(a *admission, digest [32]byte) (*admission, string) {
	if a.digest != digest {
		return nil, proto.CodeRequestConflict
	}
	if !a.silent && a.leaving == "" {
		r.announce(a.publication())
	}
	return a, ""
}

func newOwner(request *proto.ExecutionPrepare, declared harness.Declaration) *owner {
	config := &request.Configuration
	o := &owner{id: newID("exe-"), session: request.SessionID, stateKey: config.AgentStateKey, declared: declared,
		fingerprint: proto.Fingerprint(*config), observes: config.ObserveSubagentIdentities, state: ownerPreparing}
	if config.LocalEnvironment != nil {
		o.environment = config.LocalEnvironment.ID
	}
	return o
}

// reuseFault names why an existing Executor cannot serve a request (behaviour 5.4), "" when it can. The caller holds
// the lock.
func (o *owner) reuseFault(config *proto.Configuration) string {
	environment := ""
	if config.LocalEnvironment != nil {
		environment = config.LocalEnvironment.ID
	}
	switch {
	case o.environment != environment || o.fingerprint != proto.Fingerprint(*config):
		return proto.CodeConfigurationConflict
	case o.state == ownerInvalid:
		return proto.CodeCleanupUnconfirmed
	case o.state != ownerIdle:
		return proto.CodeResourceUnavailable
	case config.AgentSessionID != "" && config.AgentSessionID != o.native:
		return proto.CodeNativeSessionConflict
	case config.RequireExistingNativeSession && o.native == "":
		return proto.CodeHistoryUnavailable
	}
	return ""
}

// begin starts a fresh admission: a reused Executor is ready at once, another is made by its factory. The caller holds
// the lock.
func (r *Router) begin(a *admission, factory harness.Factory, config proto.Configuration) {
	o := a.owner
	if a.reused {
		o.stopIdle()
		o.state = ownerAdmitted
		a.advance(proto.StateReady, "")
		p := a.publication()
		r.operate(func() { r.tellReady(a, p) })
		return
	}
	ctx, stop := context.WithCancelCause(r.life)
	o.stopFactory = stop
	a.advance(proto.StatePreparing, "")
	p := a.publication()
	r.operate(func() { r.build(ctx, a, p, factory, config) })
}

// build makes the Executor of a new owner.
func (r *Router) build(ctx context.Context, a *admission, preparing publication, factory harness.Factory, config proto.Configuration) {
	o := a.owner
	defer o.stopFactory(nil)
	if err := r.publish(preparing); err != nil {
		r.mu.Lock()
		a.undeliverable()
		r.drop(o)
		r.mu.Unlock()
		return
	}
	executor, err := factory(ctx, config)
	r.mu.Lock()
	o.executor = executor
	if err != nil || executor == nil || a.state != proto.StatePreparing || r.closed {
		r.mu.Unlock()
		if err != nil {
			r.config.Log.Warn("prepare executor", "executor", o.id, "error", err)
		}
		r.unbuilt(a)
		return
	}
	o.state, o.native = ownerAdmitted, executor.NativeSession()
	a.advance(proto.StateReady, "")
	p := a.publication()
	r.mu.Unlock()
	r.tellReady(a, p)
}

// undeliverable ends an admission whose status could not be sent; nothing is published (behaviour 5.5). The caller
// holds the lock.
func (a *admission) undeliverable() {
	if a.state == proto.StatePreparing || a.state == proto.StateReady {
		a.advance(proto.StateFailed, proto.CodeStatusDeliveryFailed)
		a.silent = true
	}
}

// tellReady publishes ready; when that fails the admission is given up and its Executor rests.
func (r *Router) tellReady(a *admission, p publication) {
	err := r.publish(p)
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.state == proto.StateReady && a.owner != nil {
		o := a.owner
		a.undeliverable()
		a.owner = nil
		r.rest(o)
	}
}

// unbuilt settles a preparation that did not become ready: what the factory left is closed first, then the end is told
// (behaviour 5.5).
func (r *Router) unbuilt(a *admission) {
	o := a.owner
	var failed error
	if o.executor != nil {
		failed = r.closeOwner(o)
	}
	r.mu.Lock()
	if failed == nil {
		r.drop(o)
	}
	p, tell := r.endUnbuilt(a, failed != nil)
	r.mu.Unlock()
	if tell {
		r.announce(p)
	}
}

// endUnbuilt gives the status that follows. After a release or expiry the same status is told again, which receivers
// ignore; a close that failed adds a revision. The caller holds the lock.
func (r *Router) endUnbuilt(a *admission, uncertain bool) (publication, bool) {
	if r.closed {
		return publication{}, false
	}
	if a.state == proto.StatePreparing {
		a.advance(proto.StateFailed, proto.CodePreparationFailed)
	}
	if uncertain {
		a.advance(proto.StateFailed, proto.CodeCleanupUnconfirmed)
	}
	return a.publication(), true
}
