package dispatch

import "parley/daemon/proto"

// exclusive is an operation that tolerates no other work on the Router (behaviour 7.1, 7.2, 7.4).
type exclusive string

const (
	noExclusive     exclusive = ""
	exclusiveWrite  exclusive = "workspace write"
	exclusiveExport exclusive = "workspace export"
	exclusiveSetup  exclusive = "runtime preparation"
)

// gate keeps what excludes what. The Router's lock guards it.
type gate struct {
	open exclusive // the operation under way; it stays after an unknown outcome
	// unsettled says that the outcome of the operation is unknown: the gate never opens again on this Router.
	unsettled bool
	reads     int // workspace reads under way
}

// enter begins an exclusive operation, or names the code that refuses it. capacity is the code for an operation of the
// same family under way. An export tolerates its own read-only preparation; everything else wants an idle Router.
func (r *Router) enter(op exclusive, capacity string) (code string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.gate.open == op && !r.gate.unsettled:
		return capacity, false
	case r.gate.open != noExclusive, r.closed, r.suspension.fenced != nil, r.gate.reads > 0, len(r.runs) > 0:
		return proto.CodeResourceUnavailable, false
	case r.busyOwners() > 0, op != exclusiveExport && r.ownedAdmissions() > 0:
		return proto.CodeResourceUnavailable, false
	}
	r.gate.open = op
	return "", true
}

// leave ends an exclusive operation. With unsettled set, its effect is unknown and the gate stays shut.
func (r *Router) leave(unsettled bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if unsettled {
		r.gate.unsettled = true
		return
	}
	r.gate.open = noExclusive
}

// shut reports an exclusive operation under way or unsettled; the caller holds the lock.
func (g *gate) shut() bool { return g.open != noExclusive }
