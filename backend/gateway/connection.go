package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Connection is one socket of a Runtime with everything that hangs on it: routes, waiters, pending operations and the
// last declaration. Nothing outlives it and nothing is replayed. One goroutine reads; the methods may be called from any.
type Connection struct {
	gateway *Gateway
	device  Device
	conn    *socket.Conn
	log     *slog.Logger

	ctx    context.Context // ends with the first step of closing
	cancel context.CancelFunc
	ending atomic.Bool // taken by the one that closes
	done   chan struct{}
	turn   chan struct{} // held by the one that sends

	snapshot atomic.Pointer[proto.Heartbeat] // last valid one; nil: nothing is known
	checking atomic.Bool                     // an authority check is under way
	lastSeen atomic.Int64                    // Unix milliseconds of the last valid heartbeat; 0: none
	counts   counts

	toldLeftOut bool // that kinds were left out; the reader's alone

	runs            runs
	preparations    preparations
	decisions       pending
	inputs          pending
	reads           pending
	suspensions     pending
	writes          pending
	initializations pending
	exports         pending
}

// newConnection makes the object; counts are those of behaviour 4.2.
func newConnection(g *Gateway, device Device, conn *socket.Conn) *Connection {
	ctx, cancel := context.WithCancel(context.Background())
	return &Connection{
		gateway: g, device: device, conn: conn, log: g.log.With("device", device.ID), counts: counts{since: time.Now()},
		ctx: ctx, cancel: cancel, done: make(chan struct{}), turn: make(chan struct{}, 1),
		reads:           pending{limit: proto.MaxReads},
		suspensions:     pending{limit: proto.MaxSuspensionWaits},
		writes:          pending{limit: 1, stepwise: true},
		initializations: pending{limit: 1, stepwise: true},
		exports:         pending{limit: 1, stepwise: true},
	}
}

// Device is the id of the connected device.
func (c *Connection) Device() string { return c.device.ID }

// Done is closed when the connection has ended and everything on it was told.
func (c *Connection) Done() <-chan struct{} { return c.done }

// serve reads until the connection ends.
func (c *Connection) serve() {
	c.log.Info("runtime connected")
	var cause error
	for cause == nil {
		var message socket.Message
		if message, cause = c.conn.Read(); cause == nil {
			c.counts.in.Add(1)
			c.receive(message)
		}
	}
	c.finish(lost(cause), proto.CloseNormal, "")
	c.noteSeen()
}

// Send puts a frame into the send queue, waiting while that is full. That proves nothing about the network or the peer.
// A frame without a trace gets one. Errors: ErrSessionClosed, the cause of ctx, or a frame that cannot be encoded.
func (c *Connection) Send(ctx context.Context, f proto.Frame) error {
	return c.send(ctx, f, proto.MaxFrame)
}

// send is Send for a payload of at most limit bytes.
func (c *Connection) send(ctx context.Context, f proto.Frame, limit int) error {
	if err := c.take(ctx); err != nil {
		return fmt.Errorf("send %s: %w", f.Type, err)
	}
	defer func() { <-c.turn }()
	data, err := encode(f, limit)
	if err != nil {
		return err
	}
	switch err := c.conn.Queue(ctx, data); {
	case errors.Is(err, socket.ErrClosed):
		return fmt.Errorf("send %s: %w", f.Type, ErrSessionClosed)
	case err != nil:
		return fmt.Errorf("send %s: %w", f.Type, err)
	}
	c.counts.out.Add(1)
	return nil
}

// sendWithin is send that waits at most so long, and then ends with ErrNoAnswer. It makes a clock only when it has to
// wait.
func (c *Connection) sendWithin(ctx context.Context, wait time.Duration, f proto.Frame, limit int) error {
	if ctx.Err() == nil {
		if sent, err := c.sendAtOnce(f, limit); sent || err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, ErrNoAnswer)
	defer cancel()
	return c.send(ctx, f, limit)
}

// sendAtOnce is send without a wait: false when somebody else sends, the queue is full or the connection ends.
func (c *Connection) sendAtOnce(f proto.Frame, limit int) (bool, error) {
	select {
	case c.turn <- struct{}{}:
	default:
		return false, nil
	}
	defer func() { <-c.turn }()
	data, err := encode(f, limit)
	if err != nil || !c.conn.TryQueue(data) {
		return false, err
	}
	c.counts.out.Add(1)
	return true, nil
}

// take waits for the turn to send. Frames that wait for a full queue are not encoded yet, so that a peer that does not
// read costs the queue's bytes and no more (performance 3.6).
func (c *Connection) take(ctx context.Context) error {
	if c.ctx.Err() != nil {
		return ErrSessionClosed
	}
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-c.ctx.Done():
		return ErrSessionClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// encode gives the message of a frame, with a trace, unless its payload is over the limit.
func encode(f proto.Frame, limit int) ([]byte, error) {
	if f.Trace == "" {
		f.Trace = newTrace()
	}
	data, err := proto.Encode(f)
	if err != nil {
		return nil, err
	}
	return data, fits(f, len(data), limit)
}

// fits checks a payload's limit. It is measured alone only where the whole frame does not settle it.
func fits(f proto.Frame, size, limit int) error {
	if size <= limit {
		return nil
	}
	payload, err := proto.EncodePayload(f.Payload)
	if err != nil {
		return err
	}
	if len(payload) > limit {
		return fmt.Errorf("send %s: expected a payload of at most %d bytes, found %d", f.Type, limit, len(payload))
	}
	return nil
}

// noteSeen passes on when the device was last heard.
func (c *Connection) noteSeen() {
	at := c.lastSeen.Load()
	if at == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), proto.AuthorityTimeout)
	defer cancel()
	if err := c.gateway.seen(ctx, c.device.ID, time.UnixMilli(at)); err != nil {
		c.log.Warn("device was not noted as seen", "error", err)
	}
}
