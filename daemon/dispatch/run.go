package dispatch

import (
	"context"
	"sync"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// runPhase is how far a Run is.
type runPhase string

const (
	runStarting runPhase = "starting" // has no Turn yet
	runStarted  runPhase = "started"
	runClosing  runPhase = "closing" // takes no new operations
	runStuck    runPhase = "stuck"   // its Executor's close failed; a cancel or shutdown tries again
)

// ending is why a Run ends; the first one decides.
type ending string

const (
	endDone        ending = "done"        // the adapter's done, or its channel closed after an abort
	endCancel      ending = "cancel"      // a cancel was accepted
	endFault       ending = "fault"       // the adapter broke the contract, or started with an error
	endUndelivered ending = "undelivered" // output could not be sent
	endShutdown    ending = "shutdown"
)

// run is one execution attempt. The Router's lock guards the fields from phase on.
type run struct {
	router    *Router
	id        string
	admission *admission
	owner     *owner
	output    chan proto.Frame // the adapter's once there is a Turn; it closes it
	abandoned chan struct{}    // closed when nobody reads output any more although it is open
	drained   chan struct{}    // closed when consume has ended
	told      chan struct{}    // closed when started was sent, or could not be
	over      chan struct{}    // closed when the Run begins to end
	ops       work             // admitted steering and function operations with their receipts
	opsLife   context.Context
	stopOps   context.CancelFunc

	phase    runPhase
	turn     harness.Turn
	ending   ending
	cause    error       // what to tell in the error frame; nil when nothing went wrong
	done     *proto.Done // held back until settlement
	broken   bool        // output could not be sent: neither error nor done follows
	discard  bool        // the Executor must not serve another Turn
	cancels  deliveries  // wait for a receipt
	inputs   *inputs
	calls    map[string]bool // function results being applied
	abandon  sync.Once
	overOnce sync.Once
}

func newRun(r *Router, id string, a *admission) *run {
	life, stop := context.WithCancel(context.Background())
	return &run{router: r, id: id, admission: a, owner: a.owner,
		output: make(chan proto.Frame, proto.OutputQueue), abandoned: make(chan struct{}),
		drained: make(chan struct{}), told: make(chan struct{}), over: make(chan struct{}), opsLife: life, stopOps: stop,
		phase: runStarting, inputs: newInputs(), calls: map[string]bool{}}
}

// end begins the end of the Run; the first reason stays. Nothing new is admitted from here on.
func (run *run) end(why ending, cause error) {
	run.router.mu.Lock()
	run.endLocked(why, cause)
	run.router.mu.Unlock()
}

func (run *run) endLocked(why ending, cause error) {
	run.broken = run.broken || why == endUndelivered
	if run.ending == "" {
		run.ending, run.cause = why, cause
	}
	if run.turn != nil || run.phase == runStarted {
		run.phase = runClosing
	}
	run.overOnce.Do(func() { close(run.over) })
}

// aborted reports whether output is to be dropped: everything but a natural end. The caller holds the lock.
func (run *run) aborted() bool { return run.ending != "" && run.ending != endDone }

// stopped reports whether the Run was told to end before its Turn began.
func (run *run) stopped() bool {
	run.router.mu.Lock()
	defer run.router.mu.Unlock()
	return run.ending != ""
}

// discardExecutor marks the Executor as not to be used again.
func (run *run) discardExecutor() {
	run.router.mu.Lock()
	run.discard = true
	run.router.mu.Unlock()
}

// abandonOutput ends consume although the adapter did not close the channel.
func (run *run) abandonOutput() {
	run.abandon.Do(func() { close(run.abandoned) })
	<-run.drained
}

// retire removes the Run's route. The caller holds the lock.
func (r *Router) retire(run *run) {
	delete(r.runs, run.id)
	run.stopOps()
	r.memory.keep(run.id, run.inputs)
}
