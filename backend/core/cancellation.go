package core

import (
	"context"
	"errors"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// cancellation is a cancel that was asked for. From its send on its receipt alone decides the Turn's end (behaviour 6.4).
type cancellation struct {
	asked    bool
	receipt  chan cancelReceipt
	waiter   *gateway.Waiter
	ended    bool        // the stream is over
	inactive bool        // the receipt said run_inactive
	timer    *time.Timer // for an end that must follow
	late     <-chan time.Time
}

type cancelReceipt struct {
	ack proto.DecisionAck
	err error
}

func (c *cancellation) close() {
	if c.waiter != nil {
		c.waiter.Close()
	}
	if c.timer != nil {
		c.timer.Stop()
	}
}

// patience fires when an end that must follow has not come.
func (c *cancellation) patience() <-chan time.Time { return c.late }

func (c *cancellation) streamEnded() { c.ended = true }

// askCancel sends the cancel and waits for its receipt beside the loop.
func (d *delivery) askCancel(ctx context.Context) *ending {
	delivery := "cancel:" + d.run
	waiter, err := d.peer.AwaitDecision(delivery)
	if err != nil {
		return &ending{code: CodeCancelUnconfirmed, cause: err}
	}
	d.cancel.asked, d.cancel.waiter = true, waiter
	if err := d.send(ctx, proto.New(d.run, &proto.PromptCancel{DeliveryID: delivery})); err != nil {
		return &ending{code: CodeCancelUnconfirmed, cause: err}
	}
	d.service.work.Go(func() {
		ack, err := waiter.Wait(d.life)
		d.cancel.receipt <- cancelReceipt{ack: ack, err: err} // has room: there is one receipt
	})
	return nil
}

// cancelled takes the receipt.
func (d *delivery) cancelled(r cancelReceipt) *ending {
	switch {
	case r.err != nil:
		return &ending{code: CodeCancelUnconfirmed, cause: r.err}
	case r.ack.Applied && r.ack.Outcome != nil:
		d.merge(*r.ack.Outcome)
		return &ending{status: store.TurnCancelled}
	case r.ack.Applied, r.ack.ErrorCode == proto.CodeCancelOutcomeUnavailable:
		return &ending{code: CodeCancelOutcome, cause: errors.New("the runtime has no snapshot of the stopped turn")}
	case r.ack.ErrorCode == proto.CodeRunInactive:
		d.cancel.inactive = true
		return d.cancel.decided(d)
	}
	return &ending{code: CodeCancelUnconfirmed, cause: &refusedError{code: r.ack.ErrorCode}}
}

// decided ends a Turn that ended by itself: done and run_inactive, in either order (behaviour 8.5).
func (c *cancellation) decided(d *delivery) *ending {
	switch {
	case c.inactive && d.done != nil && c.ended:
		return d.completed()
	case c.inactive && c.late == nil:
		c.timer = time.NewTimer(finishTime)
		c.late = c.timer.C
	}
	return nil
}

// merge takes a Done into what is held; what it leaves empty stays (wire 3.4).
func (d *delivery) merge(later proto.Done) {
	if d.done == nil {
		d.done = &proto.Done{}
	}
	d.done.Merge(later)
}
