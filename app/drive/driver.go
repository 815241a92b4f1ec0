package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/gateway"
	"parley/daemon/wiretest"
)

// Devices is what a driver asks about devices. Both may be nil.
type Devices struct {
	// Own is the device that a request without one means, "" for none.
	Own func() string
	// Known is nil for a device that may connect, and says otherwise why it may not.
	Known func(ctx context.Context, device string) error
}

// Driver implements wiretest.CoreDriver over a gateway. Close ends it.
type Driver struct {
	gateway *gateway.Gateway
	devices Devices
	life    context.Context
	end     context.CancelFunc
	work    sync.WaitGroup
	watches watches
}

var (
	_ wiretest.CoreDriver = (*Driver)(nil)
	_ wiretest.Chooser    = (*Driver)(nil)
)

// New makes a driver of a gateway.
func New(g *gateway.Gateway, devices Devices) *Driver {
	if devices.Own == nil {
		devices.Own = func() string { return "" }
	}
	if devices.Known == nil {
		devices.Known = func(context.Context, string) error { return nil }
	}
	life, end := context.WithCancel(context.Background())
	return &Driver{gateway: g, devices: devices, life: life, end: end}
}

// Own is the device that is meant where none is named.
func (d *Driver) Own() (string, error) {
	if own := d.devices.Own(); own != "" {
		return own, nil
	}
	return "", errors.New(`the lab has no Runtime of its own; name a device with "device":ID`)
}

// Close ends every observation and returns when nothing runs any more.
func (d *Driver) Close() {
	d.end()
	d.work.Wait()
}

// meant is the named device, or the own one.
func (d *Driver) meant(device string) (string, error) {
	if device != "" {
		return device, nil
	}
	return d.Own()
}

// Connected waits until the device is connected and its first heartbeat was taken. One that cannot connect is refused at
// once.
func (d *Driver) Connected(ctx context.Context, device string) error {
	device, err := d.meant(device)
	if err == nil {
		err = d.devices.Known(ctx, device)
	}
	if err != nil {
		return err
	}
	began := time.Now()
	c, err := d.gateway.WaitConnected(ctx, device)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("device %q: not connected within %.0f s; its Runtime has to run", device, time.Since(began).Seconds())
	}
	for err == nil {
		if _, known := c.Kinds(); known {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond): // the gateway tells registrations, not first heartbeats
			c, err = d.gateway.WaitConnected(ctx, device)
		case <-ctx.Done():
			return fmt.Errorf("device %q: connected, but no valid heartbeat within %.0f s", device, time.Since(began).Seconds())
		}
	}
	return err
}

// Do begins one act. It observes before it sends, as Core must (behaviour 4.1).
func (d *Driver) Do(ctx context.Context, act wiretest.Act) error {
	begin, known := acts()[act.Do]
	if !known {
		return fmt.Errorf("do: expected connected, observe or an act (%s), found %q", strings.Join(slices.Sorted(maps.Keys(acts())), ", "), act.Do)
	}
	c, err := d.connection(ctx, act.Device)
	if err != nil {
		return fmt.Errorf("%s: %w", act.Do, err)
	}
	frame, err := frameOf(begin.sends, act)
	if err != nil {
		return fmt.Errorf("%s %q: %w", act.Do, act.ID, err)
	}
	if err := begin.do(d, ctx, c, frame, act.Body); err != nil {
		return fmt.Errorf("%s %q: %w", act.Do, act.ID, err)
	}
	return nil
}

// connection is that of a device, or why there is none.
func (d *Driver) connection(ctx context.Context, device string) (*gateway.Connection, error) {
	device, err := d.meant(device)
	if err != nil {
		return nil, err
	}
	if c, connected := d.gateway.Connection(device); connected {
		return c, nil
	}
	if err := d.devices.Known(ctx, device); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf(`device %q is not connected; {"do":"connected"} waits for it`, device)
}

// Observe gives the next observation of a watch within the wait.
func (d *Driver) Observe(ctx context.Context, of wiretest.Watch, wait time.Duration) (wiretest.Observation, error) {
	if !slices.Contains(wiretest.Watches(), of.Of) {
		return wiretest.Observation{}, fmt.Errorf("observe: of: expected one of %s, found %q", strings.Join(wiretest.Watches(), ", "), of.Of)
	}
	w := d.watches.find(of)
	if w == nil {
		return wiretest.Observation{}, fmt.Errorf("observe: nothing observes %s %q; the last ones that an act began: %q", of.Of, of.ID, d.watches.latest(of.Of))
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
