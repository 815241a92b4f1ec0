package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/daemon/proto"
)

// Kinds are the kinds of the last valid heartbeat; false while there is none: then nothing is known and nothing may be
// guessed (behaviour 3.2). A kind that is not among them is not offered.
func (c *Connection) Kinds() ([]proto.AgentKind, bool) {
	h := c.snapshot.Load()
	if h == nil {
		return nil, false
	}
	return slices.Clone(h.SupportedAgentKinds), true
}

// heartbeat replaces the snapshot. An invalid one clears it and ends the connection; that says nothing about native work
// (behaviour 3.2).
func (c *Connection) heartbeat(f proto.Frame) {
	h, ok := f.Payload.(*proto.Heartbeat)
	if err := valid(f); err != nil || !ok {
		c.snapshot.Store(nil)
		c.log.Warn("invalid heartbeat", "expected", expected(err))
		c.shut(proto.CloseProtocol, "invalid heartbeat")
		return
	}
	declared := len(h.SupportedAgentKinds)
	h = kept(h)
	c.snapshot.Store(h)
	if n := declared - len(h.SupportedAgentKinds); n > 0 && !c.toldLeftOut {
		c.toldLeftOut = true // once is enough: a peer may send as many heartbeats as it likes
		c.log.Warn("kinds of a heartbeat were left out: too many, twice, or with too long a name", "left_out", n)
	}
	c.lastSeen.Store(time.Now().UnixMilli())
	c.checkAuthority()
	if slices.ContainsFunc(h.SupportedAgentKinds, func(k proto.AgentKind) bool { return k.Available }) {
		c.gateway.onHeartbeat(c.device.ID)
	}
}

// expected says by which rule a frame is wrong, without a word of the peer's: that is what stands in the rest of a fault.
func expected(err error) string {
	if faults, ok := errors.AsType[proto.Faults](err); ok {
		return faults[0].Expected + " (" + faults[0].Rule + ")"
	}
	return "a heartbeat"
}

// checkAuthority asks, beside the reader and one question at a time, whether the device may still act. Only a definite no
// ends the connection.
func (c *Connection) checkAuthority() {
	if !c.checking.CompareAndSwap(false, true) {
		return
	}
	c.gateway.work.Go(func() {
		defer c.checking.Store(false)
		ctx, cancel := context.WithTimeout(c.ctx, proto.AuthorityTimeout)
		defer cancel()
		ok, err := c.gateway.authority.Authority(ctx, c.device.ID, c.device.Digest)
		switch {
		case c.ctx.Err() != nil: // it has ended by itself
		case err != nil:
			c.log.Warn("authority of the device could not be checked", "error", err)
		case !ok:
			c.log.Info("device has no authority any more")
			c.shut(proto.CloseRetired, "runtime retired")
		}
	})
}
