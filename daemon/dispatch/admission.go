package dispatch

import (
	"time"

	"parley/daemon/proto"
)

// admission is a one-Turn reservation, known by its handle (behaviour 5.5). Its record stays after it ended, until it
// is pruned.
type admission struct {
	request  string   // preparation request id; constant
	digest   [32]byte // of the whole request; constant
	handle   string   // constant
	executor string   // Executor id; constant, "" for a read-only preparation
	readOnly bool     // constant
	reused   bool     // constant
	exports  bool     // constant: a read-only preparation of a kind that declares the export
	deadline time.Time

	state    string
	revision uint64
	run      string   // Run id from starting on
	start    [32]byte // digest of the start that was taken
	code     string   // with failed
	silent   bool     // the current status is not to be published again yet
	owner    *owner   // nil once nothing is owned
	expiry   *time.Timer
	lane     lane

	holds    int    // reads and exports that use a read-only preparation
	leaving  string // the state that a held read-only preparation takes when its holds are gone
	unusable bool   // a read of it ended unconfirmed: no more reads
}

// advance moves the admission on by one revision. The caller holds the lock.
func (a *admission) advance(state, code string) {
	a.state, a.code = state, code
	a.revision++
	if a.expiry != nil && state != proto.StatePreparing && state != proto.StateReady {
		a.expiry.Stop()
	}
}

// status is the current observation. The caller holds the lock.
func (a *admission) status() *proto.PreparationStatus {
	return &proto.PreparationStatus{ExecutorID: a.executor, Reused: a.reused, Handle: a.handle, Revision: a.revision,
		State: a.state, ExpiresAt: a.deadline.UnixMilli(), RunID: a.run, ErrorCode: a.code}
}

// publication is a status that was decided and is to be sent in its place.
type publication struct {
	frame proto.Frame
	place ticket
}

// publication takes the current status and its place in the lane. The caller holds the lock.
func (a *admission) publication() publication {
	return publication{frame: proto.New(a.request, a.status()), place: a.lane.enter()}
}

// publish sends a status; the caller does not hold the lock.
func (r *Router) publish(p publication) error {
	return p.place.send(func() error { return r.deliver(p.frame) })
}

// announce publishes as work of its own; whether it arrives changes nothing.
func (r *Router) announce(p publication) {
	r.respond(p.frame, func() {
		if err := r.publish(p); err != nil {
			r.config.Log.Warn("send preparation status", "error", err)
		}
	})
}

// reject answers a refused control operation (behaviour 5.2): no handle and no revision.
func (r *Router) reject(request string, operation proto.Type, code string) {
	r.receipt(proto.New(request, &proto.PreparationStatus{State: proto.StateRejected, ErrorCode: code, Operation: operation}))
}

// record keeps a new admission and starts its clock. The caller holds the lock.
func (r *Router) record(a *admission) {
	a.deadline = time.Now().Add(r.admissionLife())
	a.expiry = time.AfterFunc(r.admissionLife(), func() { r.expire(a) })
	r.byHandle[a.handle] = a
	r.byRequest[a.request] = a
}

// prune drops records that own nothing: those past their deadline, and then, while the table is full, those with the
// earliest deadlines (behaviour 5.7). The caller holds the lock.
func (r *Router) prune() {
	now := time.Now()
	var earliest *admission
	for _, a := range r.byHandle {
		if a.owning() {
			continue
		}
		if !now.Before(a.deadline) {
			r.forget(a)
			continue
		}
		if earliest == nil || a.deadline.Before(earliest.deadline) {
			earliest = a
		}
	}
	if r.recordsFull() && earliest != nil {
		r.forget(earliest)
		r.prune()
	}
}

// mostRecordBytes bounds the ids in admission records beside their number: the contract knows no longest id, and records
// stay for minutes. One record always fits. The number is ours.
const mostRecordBytes = 1 << 20

// recordsFull reports that no admission can be recorded. The caller holds the lock.
func (r *Router) recordsFull() bool {
	bytes := 0
	for _, a := range r.byHandle {
		bytes += len(a.request) + len(a.run)
	}
	return len(r.byHandle) >= proto.MaxRecords || bytes > mostRecordBytes
}

func (r *Router) forget(a *admission) {
	delete(r.byHandle, a.handle)
	if r.byRequest[a.request] == a {
		delete(r.byRequest, a.request)
	}
}

// owning reports whether anything still depends on the record. The caller holds the lock.
func (a *admission) owning() bool {
	if a.readOnly {
		return a.state == proto.StatePreparing || a.state == proto.StateReady
	}
	return a.owner != nil
}

// ownedAdmissions counts reservations that nobody took over or gave up. The caller holds the lock.
func (r *Router) ownedAdmissions() int {
	owned := 0
	for _, a := range r.byHandle {
		if a.owning() {
			owned++
		}
	}
	return owned
}

// expire ends an admission whose time is over, with the native consequences of a release.
func (r *Router) expire(a *admission) {
	r.mu.Lock()
	if r.closed || r.suspension.fenced != nil {
		r.mu.Unlock()
		return
	}
	p, ok := r.abandon(a, proto.StateExpired)
	r.mu.Unlock()
	if ok {
		r.announce(p)
	}
}

// abandon gives up a preparing or ready admission. The status is to be announced when ok; a read-only preparation in
// use tells it later. The caller holds the lock.
func (r *Router) abandon(a *admission, state string) (p publication, ok bool) {
	if a.state != proto.StatePreparing && a.state != proto.StateReady {
		return publication{}, false
	}
	if a.readOnly {
		return r.abandonReadOnly(a, state)
	}
	preparing := a.state == proto.StatePreparing
	a.advance(state, "")
	p = a.publication()
	o := a.owner
	if preparing {
		o.stopFactory(errAbandoned) // its goroutine closes what the factory still returns
		return p, true
	}
	a.owner = nil
	r.rest(o)
	return p, true
}
