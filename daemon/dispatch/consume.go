package dispatch

import (
	"context"
	"errors"
	"fmt"

	"parley/daemon/proto"
)

// Faults of an adapter (behaviour 6.1).
var (
	errForeignFrame = errors.New("harness sent a frame of another run")
	errAfterDone    = errors.New("harness sent a frame after its done")
	errNotOutput    = errors.New("harness sent a frame that is no output of a run")
	errUnrequested  = errors.New("harness sent a subagent frame that was not asked for")
	errNoDone       = errors.New("harness closed its output without a done")
)

// consume is the single reader of a Run's output. It forwards frames one by one, so that a slow peer holds the adapter
// back; it keeps done for the end; after an abort it only drains. What comes before started was told is held for it, as
// far as there is room: an adapter that waits for its output to be taken before StartTurn returns must not wait for ever.
func (run *run) consume() {
	defer close(run.drained)
	told := run.told
	var held []proto.Frame
	release := func() {
		told = nil
		for _, frame := range held {
			run.take(frame)
		}
		held = nil
	}
	for {
		select {
		case frame, open := <-run.output:
			switch {
			case open && told != nil && len(held) < proto.OutputQueue:
				held = append(held, frame)
				continue
			case told != nil && !open && !run.awaitTold():
				return
			}
			release()
			if !open {
				run.outputClosed()
				return
			}
			run.take(frame)
		case <-told:
			release()
		case <-run.abandoned:
			return
		}
	}
}

// awaitTold waits until started was told; false when nobody reads any more.
func (run *run) awaitTold() bool {
	select {
	case <-run.told:
		return true
	case <-run.abandoned:
		return false
	}
}

// take forwards one frame or ends the Run.
func (run *run) take(frame proto.Frame) {
	forward, fault := run.judge(frame)
	switch {
	case fault != nil:
		run.discardExecutor()
		run.end(endFault, fault)
	case forward:
		run.pass(frame)
	case frame.Type == proto.TypeDone:
		run.takeDone(frame)
	}
}

// pass sends one frame. What cannot be encoded is the adapter's fault; anything else is the line's.
func (run *run) pass(frame proto.Frame) {
	err := run.router.forward(frame)
	switch {
	case errors.Is(err, proto.ErrUnencodable):
		run.discardExecutor()
		run.end(endFault, impossible(err))
	case err != nil:
		run.end(endUndelivered, fmt.Errorf("send output: %w", err))
	}
}

// impossible is the fault of a frame that no connection could carry.
func impossible(err error) error { return fmt.Errorf("harness sent an impossible frame: %w", err) }

// takeDone takes the adapter's end, an empty one in place of a done that cannot be encoded.
func (run *run) takeDone(done proto.Frame) {
	if _, err := proto.Encode(done); err != nil {
		run.router.mu.Lock()
		run.done, run.discard = &proto.Done{}, true
		run.router.mu.Unlock()
		run.end(endFault, impossible(err))
		return
	}
	run.end(endDone, nil)
}

// judge decides about one frame; done is recorded and held.
func (run *run) judge(frame proto.Frame) (forward bool, fault error) {
	run.router.mu.Lock()
	defer run.router.mu.Unlock()
	switch {
	case frame.ID != run.id:
		fault = errForeignFrame
	case run.done != nil:
		fault = errAfterDone
	case !isOutput(frame.Type):
		fault = errNotOutput
	case isSubagent(frame.Type) && !run.owner.observes:
		fault = errUnrequested
	}
	if fault != nil {
		return false, run.firstFault(fault)
	}
	if frame.Type == proto.TypeDone {
		run.done, _ = frame.Payload.(*proto.Done)
		if run.done == nil {
			run.done = &proto.Done{}
		}
		return false, nil
	}
	// Nothing is sent between accepting a cancel and settlement (behaviour 6.4), and nothing after a failed send.
	return !run.aborted() && !run.broken, nil
}

// firstFault gives a fault that must still be told: one that comes after done replaces a natural end.
func (run *run) firstFault(fault error) error {
	if run.ending == endDone && run.cause == nil {
		run.ending, run.cause, run.discard = endFault, fault, true
	}
	return fault
}

// outputClosed ends a Run whose adapter closed the channel: rightly after a done or an abort, otherwise in breach of
// the contract.
func (run *run) outputClosed() {
	run.router.mu.Lock()
	defer run.router.mu.Unlock()
	switch {
	case run.done != nil || run.aborted():
		run.endLocked(endDone, nil)
	default:
		run.discard = true
		run.endLocked(endFault, errNoDone)
	}
}

// isOutput reports whether a type belongs into a Run's output: what travels to Core under a Run's id and is no receipt.
func isOutput(t proto.Type) bool {
	kind, known := proto.KindOf(t)
	return known && kind.To == proto.ToCore && kind.ID == proto.RunIdentity &&
		t != proto.TypePromptSteerAck && t != proto.TypeDecisionAck
}

// isSubagent reports a frame that needs observe_subagent_identities (wire 3.12).
func isSubagent(t proto.Type) bool {
	switch t {
	case proto.TypeSubagentIdentity, proto.TypeSubagentLifecycle, proto.TypeSubagentTurn, proto.TypeSubagentItem,
		proto.TypeSubagentCoordination:
		return true
	}
	return false
}

// forward sends output. Its only limit is the transport's write deadline: back-pressure is meant to reach the adapter.
func (r *Router) forward(frame proto.Frame) error { return r.sender()(r.life, frame) }

// deliverWithin sends one frame within the receipt limit and ctx.
func (r *Router) deliverWithin(ctx context.Context, frame proto.Frame) error {
	ctx, cancel := context.WithTimeout(ctx, proto.ReceiptTimeout)
	defer cancel()
	return r.sender()(ctx, frame)
}
