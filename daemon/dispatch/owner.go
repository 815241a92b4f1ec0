package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// ownerState is what an Executor's owner is doing (behaviour 5.1): everything but idle counts as active.
type ownerState string

const (
	ownerPreparing ownerState = "preparing"
	ownerAdmitted  ownerState = "admitted"
	ownerRunning   ownerState = "running"
	ownerIdle      ownerState = "idle"
	ownerInvalid   ownerState = "invalid" // a close is pending or failed
)

var (
	errAbandoned     = errors.New("preparation was abandoned")
	errStillSettling = errors.New("executor is still settling")
)

// owner holds one Session's Executor until a confirmed close. Its declaration is the one it was admitted with.
type owner struct {
	id          string // constant, like all down to fingerprint
	session     string
	stateKey    string
	environment string // "" for none
	declared    harness.Declaration
	observes    bool // subagent frames were asked for
	fingerprint [32]byte

	state       ownerState
	native      string           // native Session id, "" while there is none
	executor    harness.Executor // nil until the factory returned one
	stopFactory context.CancelCauseFunc
	lease       uint64 // of the present idle period; an older timer does nothing
	idle        *time.Timer
	closing     *closing
	noReads     bool // a read on this owner ended unconfirmed
}

// closing is one attempt to close an Executor.
type closing struct {
	done chan struct{}
	err  error // set before done is closed
}

// busyOwners counts owners that are not idle. The caller holds the lock.
func (r *Router) busyOwners() int {
	busy := 0
	for _, o := range r.owners {
		if o.state != ownerIdle {
			busy++
		}
	}
	return busy
}

// rest makes an owner idle, or closes it when enough others are (behaviour 5.8). The caller holds the lock.
func (r *Router) rest(o *owner) {
	o.state = ownerIdle
	if r.closed || r.idleOthers(o) >= proto.MaxIdle {
		o.state = ownerInvalid
		r.work.run(func() { r.closeOrReport(o) })
		return
	}
	r.startIdle(o)
}

func (r *Router) idleOthers(o *owner) int {
	idle := 0
	for _, other := range r.owners {
		if other != o && other.state == ownerIdle {
			idle++
		}
	}
	return idle
}

// startIdle begins an idle period. The caller holds the lock.
func (r *Router) startIdle(o *owner) {
	o.lease++
	lease := o.lease
	o.idle = time.AfterFunc(r.idleLife(), func() { r.idleOver(o, lease) })
}

// stopIdle ends an idle period, so that a timer already on its way does nothing. The caller holds the lock.
func (o *owner) stopIdle() {
	o.lease++
	if o.idle != nil {
		o.idle.Stop()
	}
}

func (r *Router) idleOver(o *owner, lease uint64) {
	r.mu.Lock()
	over := o.state == ownerIdle && o.lease == lease && r.suspension.fenced == nil
	if over {
		o.state = ownerInvalid
	}
	r.mu.Unlock()
	if over {
		r.work.run(func() { r.closeOrReport(o) })
	}
}

func (r *Router) closeOrReport(o *owner) {
	if err := r.closeOwner(o); err != nil {
		r.config.Log.Warn("close executor", "executor", o.id, "error", err)
	}
}

// closeOwner closes an owner's Executor and waits at most the close limit. A running attempt is joined; a new one is
// made only when none runs. Nil means confirmed: the owner is gone. After an error it is kept, invalid.
func (r *Router) closeOwner(o *owner) error {
	r.mu.Lock()
	if r.owners[o.session] != o {
		r.mu.Unlock()
		return nil // another caller's attempt was confirmed
	}
	if o.executor == nil {
		o.stopFactory(errAbandoned)
		r.mu.Unlock()
		return errStillSettling
	}
	o.state = ownerInvalid
	attempt := o.closing
	if attempt == nil {
		attempt = &closing{done: make(chan struct{})}
		o.closing = attempt
		r.work.run(func() { r.attemptClose(o, attempt) })
	}
	r.mu.Unlock()
	limit := time.NewTimer(proto.ExecutorClose)
	defer limit.Stop()
	select {
	case <-attempt.done:
		return attempt.err
	case <-limit.C:
		return fmt.Errorf("close executor %q: not confirmed within %s", o.id, proto.ExecutorClose)
	}
}

func (r *Router) attemptClose(o *owner, attempt *closing) {
	ctx, cancel := context.WithTimeout(context.Background(), proto.ExecutorClose)
	defer cancel()
	err := o.executor.Close(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	attempt.err = err
	o.closing = nil
	if err == nil {
		r.drop(o)
	}
	close(attempt.done)
}

// drop forgets an owner that holds nothing any more. The caller holds the lock.
func (r *Router) drop(o *owner) {
	o.stopIdle()
	if r.owners[o.session] == o {
		delete(r.owners, o.session)
	}
	for _, a := range r.byHandle {
		if a.owner == o {
			a.owner = nil
		}
	}
}
