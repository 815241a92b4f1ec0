package core

import (
	"context"
	"errors"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// delivery follows one Run: it takes what comes, gives what the Session's inputs ask for, and ends the Turn by what was
// observed (behaviour 8.5). One goroutine owns it; waits for receipts report to it over channels.
type delivery struct {
	*job
	run  string
	prep *ready
	sub  *gateway.Subscription

	life       context.Context // of the waits for receipts
	stop       context.CancelFunc
	projection *projection
	usage      *proto.Usage
	done       *proto.Done // once the stream said so
	failure    *proto.Failure
	engine     outcome // classification of the engine's errors
	observed   bool    // a frame of the Run came
	started    bool

	steering steering
	calls    calls
	cancel   cancellation
}

func newDelivery(j *job, a *ready, sub *gateway.Subscription, run string) *delivery {
	d := &delivery{job: j, run: run, prep: a, sub: sub, projection: newProjection(j, run)}
	d.life, d.stop = context.WithCancel(j.service.life)
	d.steering.receipts = make(chan steerReceipt, 4)
	d.calls.receipts = make(chan callReceipt, 16)
	d.calls.sent = map[string]bool{}
	d.cancel.receipt = make(chan cancelReceipt, 1)
	return d
}

// close ends the waits that are still open.
func (d *delivery) close() {
	d.stop()
	d.steering.close()
	d.calls.close()
	d.cancel.close()
}

// follow is the loop of a Run.
func (d *delivery) follow(ctx context.Context) (again bool, err error) {
	poll := time.NewTicker(statePoll)
	defer poll.Stop()
	flush := time.NewTicker(journalFlush)
	defer flush.Stop()
	statuses, events := d.prep.sub.Statuses(), d.sub.Events()
	for {
		var end *ending
		select {
		case status, open := <-statuses:
			if !open {
				statuses = nil
				break
			}
			end = d.status(ctx, status)
		case frame, open := <-events:
			if !open {
				events = nil
				if end = d.drainStatuses(ctx, statuses); end == nil {
					end = d.streamClosed()
				}
				break
			}
			end = d.frame(ctx, frame)
		case receipt := <-d.steering.receipts:
			end = d.steered(ctx, receipt)
		case receipt := <-d.calls.receipts:
			end = d.answered(ctx, receipt)
		case receipt := <-d.cancel.receipt:
			end = d.cancelled(receipt)
		case <-d.steering.late():
			end = &ending{code: CodeInputUnknown, cause: errors.New("the input was not confirmed as written in time")}
		case <-d.cancel.patience():
			end = &ending{code: CodeStreamIncomplete, cause: errors.New("the runtime told no end of the run")}
		case <-poll.C:
			end = d.look(ctx)
		case <-flush.C:
			end = d.persist(ctx)
		case <-ctx.Done():
			return false, nil // the Turn stays as it is; the next start tells the truth about it
		}
		if end == nil {
			continue
		}
		if end.again {
			return true, nil
		}
		return false, d.finish(ctx, *end)
	}
}

// ending is why a delivery ends.
type ending struct {
	status store.TurnStatus // "" is failed
	code   string           // with failed
	cause  error
	again  bool // no Turn, nothing observed: one more attempt
}

// status takes an observation of the admission after its start was sent.
func (d *delivery) status(ctx context.Context, status *proto.PreparationStatus) *ending {
	switch {
	case status.State == proto.StateStarted:
		d.started = true
		return d.advance(ctx, d.applied) // what the Run began with is consumed
	case status.State == proto.StateRejected && status.ErrorCode == proto.CodeExecutorUnavailable && !d.observed && !d.cancel.asked:
		return &ending{again: true}
	case status.State == proto.StateRejected, status.State == proto.StateFailed, status.State == proto.StateExpired,
		status.State == proto.StateReleased:
		return d.startRefused(status)
	}
	return nil
}

// drainStatuses takes what the admission told before the stream ended: the two come over different channels.
func (d *delivery) drainStatuses(ctx context.Context, statuses <-chan *proto.PreparationStatus) *ending {
	for statuses != nil {
		select {
		case status, open := <-statuses:
			if !open {
				return nil
			}
			if end := d.status(ctx, status); end != nil {
				return end
			}
		default:
			return nil
		}
	}
	return nil
}

func (d *delivery) startRefused(status *proto.PreparationStatus) *ending {
	if d.cancel.asked {
		return nil // the receipt of the cancel decides
	}
	return &ending{code: CodeStartFailed, cause: &refusedError{code: status.ErrorCode}}
}

// streamClosed decides when the Run's subscription is over.
func (d *delivery) streamClosed() *ending {
	err := d.sub.Err()
	switch {
	case d.cancel.asked && err == nil:
		d.cancel.streamEnded()
		return d.cancel.decided(d)
	case err != nil:
		return &ending{code: CodeStreamIncomplete, cause: err}
	case d.done == nil:
		return &ending{code: CodeStreamIncomplete, cause: errors.New("the stream ended without done")}
	case d.steering.flying():
		// The receipt was sent before done and comes over another channel.
		d.steering.expectLast()
		return nil
	}
	return d.completed()
}

// completed is a natural end: done, perhaps after errors of the engine.
func (d *delivery) completed() *ending {
	switch {
	case d.failure != nil:
		return &ending{code: CodeEngineFailed, cause: errors.New(d.failure.Error)}
	case d.steering.flying():
		return &ending{code: CodeInputUnknown, cause: errors.New("the run ended while an input was under way")}
	}
	return &ending{status: store.TurnCompleted}
}

// finish keeps what is left to tell and settles the Turn. On a failure the Runtime is asked once to stop, without a
// receipt.
func (d *delivery) finish(ctx context.Context, end ending) error {
	if end.code != "" && d.done == nil {
		if err := d.send(context.WithoutCancel(ctx), proto.New(d.run, &proto.PromptCancel{})); err != nil {
			d.service.log.Debug("ask the runtime to stop", "turn", d.turn.ID, "error", err)
		}
	}
	o := d.engine
	if d.done == nil && d.usage != nil {
		d.done = &proto.Done{}
	}
	if d.done != nil && d.done.Usage == nil {
		d.done.Usage = d.usage
	}
	o.Done, o.ErrorCode = d.done, end.code
	if end.cause != nil {
		o.Error = end.cause.Error()
	}
	settlement := store.Settlement{Status: end.status, ErrorCode: end.code, Applied: d.steering.applied}
	if settlement.Status == "" {
		settlement.Status = store.TurnFailed
	}
	before := d.projection.close(settlement.Status, d.service.now())
	return d.settle(settlement, o, &before)
}

// fail ends a delivery before its loop.
func (d *delivery) fail(code string, cause error) error {
	return d.finish(d.service.life, ending{code: code, cause: cause})
}

// look reads what the Session's inputs ask for.
func (d *delivery) look(ctx context.Context) *ending {
	turn, err := d.service.store.Turn(ctx, d.turn.ID)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return &ending{code: CodeStateUnavailable, cause: err}
	}
	if turn.Status.Terminal() {
		return &ending{code: CodeStateChanged, cause: errors.New("the turn was ended by somebody else")}
	}
	d.turn = turn
	if !turn.Cancel.IsZero() && !d.cancel.asked {
		return d.askCancel(ctx)
	}
	if !d.started || d.cancel.asked || d.steering.last {
		return nil
	}
	if end := d.steer(ctx); end != nil {
		return end
	}
	return d.answer(ctx)
}
