package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/daemon/proto"
)

var errShutdown = errors.New("router shuts down")

// Shutdown takes no more frames, ends everything and waits for it (behaviour 5.10). Nil means confirmed: no Executor,
// Turn or transfer is held. The end of ctx ends only the wait. A later call tries again what failed, and only that.
func (r *Router) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.failAdmissions()
	for _, run := range r.runs {
		r.endRun(run)
	}
	for _, o := range r.owners {
		r.endOwner(o)
	}
	r.mu.Unlock()
	r.end(errShutdown)
	if err := errors.Join(r.work.wait(ctx), r.quiescing.wait(ctx)); err != nil {
		return fmt.Errorf("shut router down: %s still settling: %w", r.held(), err)
	}
	if held := r.held(); held != "nothing" {
		return fmt.Errorf("shut router down: %s not closed", held)
	}
	if leftOut := r.spent.unsaid(); leftOut > 0 {
		r.config.Log.Warn("lines were left out of the log", "number", leftOut)
	}
	return nil
}

// failAdmissions ends pending admissions without telling anybody (behaviour 5.5). The caller holds the lock.
func (r *Router) failAdmissions() {
	for _, a := range r.byHandle {
		if a.expiry != nil {
			a.expiry.Stop()
		}
		if a.state != proto.StatePreparing && a.state != proto.StateReady {
			continue
		}
		if a.owner != nil && a.state == proto.StatePreparing {
			a.owner.stopFactory(errShutdown)
		}
		a.advance(proto.StateFailed, proto.CodeConnectionClosed)
		a.silent = true
	}
}

// endRun ends a Run, or tries again the one whose close failed. The caller holds the lock.
func (r *Router) endRun(run *run) {
	if run.phase == runStuck {
		run.phase = runClosing
		r.work.run(run.retry)
		return
	}
	run.endLocked(endShutdown, nil)
}

// endOwner closes an Executor that no Run and no preparation is going to close. The caller holds the lock.
func (r *Router) endOwner(o *owner) {
	o.stopIdle()
	if o.executor == nil || o.state == ownerRunning || o.closing != nil || r.hasRun(o) {
		return
	}
	r.work.run(func() { r.closeOrReport(o) })
}

func (r *Router) hasRun(o *owner) bool {
	for _, run := range r.runs {
		if run.owner == o {
			return true
		}
	}
	return false
}

// held names the Executors that are still owned.
func (r *Router) held() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.owners) == 0 {
		return "nothing"
	}
	var ids []string
	for _, o := range r.owners {
		ids = append(ids, fmt.Sprintf("executor %q (%s)", o.id, o.state))
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}
