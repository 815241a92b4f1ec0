package dispatch

import "parley/daemon/proto"

// prepareReadOnly admits the read-only profile (behaviour 5.9): the bound Environment alone, and no harness process.
func (r *Router) prepareReadOnly(id string, request *proto.ExecutionPrepare, digest [32]byte) error {
	declared, code := r.readable(request)
	if code == "" {
		code = r.tryAdmitReadOnly(id, digest, declared)
	}
	if code != "" {
		r.reject(id, request.Type(), code)
	}
	return nil
}

// tryAdmitReadOnly admits or repeats, or gives the code of the refusal.
func (r *Router) tryAdmitReadOnly(id string, digest [32]byte, declared proto.Capabilities) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, code := r.admitReadOnly(id, digest, declared)
	if code == "" && a.revision == 0 {
		a.advance(proto.StatePreparing, "")
		p := a.publication()
		r.operate(func() { r.readyReadOnly(a, p) })
	}
	return code
}

// readable applies what needs no state.
func (r *Router) readable(request *proto.ExecutionPrepare) (declared proto.Capabilities, code string) {
	config := &request.Configuration
	kind, _, known := r.config.Registry.Kind(config.AgentKind)
	declared = kind.Capabilities
	switch {
	case request.BindingFault() != nil:
		return declared, proto.CodeInvalidConfiguration
	case !known || !kind.Available:
		return declared, proto.CodeResourceUnavailable
	case !declared.Has(proto.Preparation):
		return declared, proto.CodeUnsupportedPreparation
	case !declared.Has(proto.WorkspaceReadPreparation):
		return declared, proto.CodeUnsupportedReadPreparation
	case request.ReadOnlyFault() != nil, r.config.Files == nil, !r.bound(request.SessionID, config.LocalEnvironment):
		return declared, proto.CodeInvalidConfiguration
	}
	return declared, ""
}

func (r *Router) admitReadOnly(id string, digest [32]byte, declared proto.Capabilities) (*admission, string) {
	if r.gate.shut() {
		return nil, proto.CodeResourceUnavailable
	}
	r.prune()
	if known := r.byRequest[id]; known != nil {
		return r.repeat(known, digest)
	}
	owned := 0
	for _, a := range r.byHandle {
		if a.readOnly && a.owning() {
			owned++
		}
	}
	if owned >= proto.MaxActive || r.recordsFull() {
		return nil, proto.CodePreparationCapacity
	}
	a := &admission{request: id, digest: digest, handle: newID("hnd-"), readOnly: true,
		exports: declared.Has(proto.WorkspaceOutputExport)}
	r.record(a)
	return a, ""
}

// readyReadOnly tells preparing and then ready, or the release or expiry that came in between.
func (r *Router) readyReadOnly(a *admission, preparing publication) {
	err := r.publish(preparing)
	r.mu.Lock()
	switch {
	case r.closed || err != nil:
		a.undeliverable()
		r.mu.Unlock()
		return
	case a.leaving != "":
		a.advance(a.leaving, "")
		a.leaving = ""
	default:
		a.advance(proto.StateReady, "")
	}
	p := a.publication()
	r.mu.Unlock()
	if r.publish(p) != nil {
		r.mu.Lock()
		a.undeliverable()
		r.mu.Unlock()
	}
}

// abandonReadOnly gives up a read-only preparation. While it is preparing or in use, the status is told only when the
// ownership is really gone. The caller holds the lock.
func (r *Router) abandonReadOnly(a *admission, state string) (publication, bool) {
	switch {
	case a.leaving != "":
		return publication{}, false
	case a.state == proto.StatePreparing || a.holds > 0:
		a.leaving = state
		return publication{}, false
	}
	a.advance(state, "")
	return a.publication(), true
}

// target is what a workspace read or export uses: a preparation, or the Run that took one over.
type target struct {
	router    *Router
	admission *admission // nil for a Run
	owner     *owner     // nil for a read-only preparation
}

// readTarget takes hold of the target of a read, or names the code that refuses it (behaviour 7.3).
func (r *Router) readTarget(handle, runID, environmentID string) (*target, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &target{router: r}
	switch {
	case r.config.Files == nil:
		return nil, proto.CodeReadUnsupported
	case r.gate.shut():
		return nil, proto.CodeResourceUnavailable
	case r.gate.reads >= proto.MaxReads:
		return nil, proto.CodeReadCapacity
	case !r.aim(t, handle, runID, environmentID):
		return nil, proto.CodeResourceUnavailable
	}
	r.gate.reads++
	if t.admission != nil {
		t.admission.holds++
	}
	return t, ""
}

// aim finds the target on this connection, with exactly the Environment. The caller holds the lock.
func (r *Router) aim(t *target, handle, runID, environmentID string) bool {
	if run := r.runs[runID]; run != nil && handle == "" {
		t.owner = run.owner
		return run.phase == runStarted && run.owner.environment == environmentID && !run.owner.noReads
	}
	a := r.byHandle[handle]
	if a == nil || a.state != proto.StateReady || a.leaving != "" || a.unusable {
		return false
	}
	t.admission, t.owner = a, a.owner
	if a.readOnly {
		return r.config.Binding.EnvironmentID == environmentID
	}
	return a.owner.environment == environmentID && !a.owner.noReads
}

// done lets go of the target. After an unconfirmed read its owner takes no more reads.
func (t *target) done(unconfirmed bool) {
	r := t.router
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate.reads--
	if unconfirmed && t.owner != nil {
		t.owner.noReads = true
	}
	a := t.admission
	if a == nil {
		return
	}
	a.unusable = a.unusable || unconfirmed
	a.holds--
	r.settleReadOnly(a)
}

// settleReadOnly tells the end of a read-only preparation that waited for its last user. The caller holds the lock.
func (r *Router) settleReadOnly(a *admission) {
	if a.readOnly && a.leaving != "" && a.holds == 0 && a.state == proto.StateReady && !r.closed {
		a.advance(a.leaving, "")
		a.leaving = ""
		r.announce(a.publication())
	}
}
