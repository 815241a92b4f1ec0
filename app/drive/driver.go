package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// Driver implements wiretest.CoreDriver over a gateway. Close ends it.
type Driver struct {
	gateway *gateway.Gateway
	own     func() string // device that an act without one means, "" for none
	life    context.Context
	end     context.CancelFunc
	work    sync.WaitGroup
	watches watches
}

var _ wiretest.CoreDriver = (*Driver)(nil)

// New makes a driver of a gateway. An act that names no device means the one that own gives; own may be nil.
func New(g *gateway.Gateway, own func() string) *Driver {
	if own == nil {
		own = func() string { return "" }
	}
	life, end := context.WithCancel(context.Background())
	return &Driver{gateway: g, own: own, life: life, end: end}
}

// Close ends every observation and returns when nothing runs any more.
func (d *Driver) Close() {
	d.end()
	d.work.Wait()
}

// Connected waits until the device is connected and its first heartbeat was taken.
func (d *Driver) Connected(ctx context.Context, device string) error {
	for {
		c, err := d.gateway.WaitConnected(ctx, cmp.Or(device, d.own()))
		if err != nil {
			return err
		}
		if _, known := c.Kinds(); known {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond): // the gateway tells registrations, not first heartbeats
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Do begins one act. It observes before it sends, as Core must (behaviour 4.1).
func (d *Driver) Do(ctx context.Context, act wiretest.Act) error {
	device := cmp.Or(act.Device, d.own())
	c, connected := d.gateway.Connection(device)
	if !connected {
		return fmt.Errorf("%s: device %q is not connected", act.Do, device)
	}
	begin, known := acts()[act.Do]
	if !known {
		return fmt.Errorf("unknown act %q", act.Do)
	}
	frame, err := frameOf(begin.sends, act)
	if err != nil {
		return err
	}
	if err := begin.do(d, ctx, c, frame, act.Body); err != nil {
		return fmt.Errorf("%s %q: %w", act.Do, act.ID, err)
	}
	return nil
}

// frameOf makes the frame of an act; what Core could not send is refused here.
func frameOf(sends proto.Type, act wiretest.Act) (proto.Frame, error) {
	kind, _ := proto.KindOf(sends)
	payload := kind.New()
	if len(act.Payload) > 0 {
		if err := json.Unmarshal(act.Payload, payload); err != nil {
			return proto.Frame{}, fmt.Errorf("%s: read payload: %w", act.Do, err)
		}
	}
	return proto.New(act.ID, payload), nil
}

// Observe gives the next observation of a watch within the wait.
func (d *Driver) Observe(ctx context.Context, of wiretest.Watch, wait time.Duration) (wiretest.Observation, error) {
	w := d.watches.find(of)
	if w == nil {
		return wiretest.Observation{}, fmt.Errorf("nothing observes %s %q", of.Of, of.ID)
	}
	limit := time.NewTimer(wait)
	defer limit.Stop()
	for {
		if seen, some := d.watches.take(w); some {
			return seen, nil
		}
		select {
		case <-w.news:
		case <-limit.C:
			return wiretest.Observation{Pending: true}, nil
		case <-ctx.Done():
			return wiretest.Observation{}, context.Cause(ctx)
		}
	}
}

// observe registers a watch and fills it until fill returns. A newer watch of the same name replaces an older one.
func (d *Driver) observe(of wiretest.Watch, fill func(ctx context.Context, tell func(wiretest.Observation))) {
	ctx, stop := context.WithCancel(d.life)
	w := d.watches.add(of, stop)
	d.work.Go(func() {
		defer stop()
		fill(ctx, func(o wiretest.Observation) { d.watches.tell(w, o) })
	})
}

// result tells the last result of an operation, or what became of it.
func result(payload any, err error) wiretest.Observation {
	var refused *gateway.RefusedError
	var failed *gateway.FailedError
	switch {
	case errors.As(err, &refused):
		return wiretest.Observation{Refused: refused.Code}
	case errors.As(err, &failed):
		return wiretest.Observation{Refused: failed.Code}
	case err != nil:
		return wiretest.Observation{Failed: lack(err)}
	}
	return wiretest.Observation{Result: encoded(payload)}
}

// lack names why there is no result.
func lack(err error) string {
	switch {
	case errors.Is(err, gateway.ErrSessionClosed):
		return wiretest.EndedLost
	case errors.Is(err, gateway.ErrNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return wiretest.FailedTimeout
	}
	return "unconfirmed"
}

// encoded writes a payload as it stands in a frame.
func encoded(payload any) []byte {
	if p, ok := payload.(proto.Payload); ok {
		if data, err := proto.EncodePayload(p); err == nil {
			return data
		}
	}
	data, err := json.Marshal(payload)
	if err != nil {
		return []byte("null")
	}
	return data
}
