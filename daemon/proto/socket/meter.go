package socket

import (
	"errors"
	"net"
	"sync/atomic"

	"parley/daemon/proto"
)

var errNoMessage = errors.New("peer sends bytes and finishes no message")

// meter counts bytes that arrived since the last complete message.
type meter struct{ bytes atomic.Int64 }

func (m *meter) reset() { m.bytes.Store(0) }

// meteredConn ends reading when the count passes twice the frame limit.
type meteredConn struct {
	net.Conn
	meter *meter
}

// Read counts what arrives, also the few bytes of frames that carry nothing.
func (c *meteredConn) Read(p []byte) (int, error) {
	if c.meter.bytes.Load() > proto.MaxSilentBytes {
		return 0, errNoMessage
	}
	n, err := c.Conn.Read(p)
	c.meter.bytes.Add(int64(n))
	return n, err
}
