package gateway

import (
	"sync/atomic"
	"time"

	"parley/daemon/proto/socket"
)

// Stats is what a connection counts. Frames are whole messages, useless ones included.
type Stats struct {
	Since     time.Time // when the socket was registered
	Heartbeat time.Time // when the last valid heartbeat came; zero: none came
	Build     string    // daemon_version of that heartbeat, "" unknown (wire 3.1)
	Active    int       // active_requests of that heartbeat
	In        int64
	Out       int64 // put into the send queue: that says nothing about the network
	Dropped   int64 // of In: for nobody
}

// counts is a connection's own part of Stats.
type counts struct {
	since            time.Time
	in, out, dropped atomic.Int64
}

// Stats gives the counts as they are now.
func (c *Connection) Stats() Stats {
	s := Stats{Since: c.counts.since, In: c.counts.in.Load(), Out: c.counts.out.Load(), Dropped: c.counts.dropped.Load()}
	if h := c.snapshot.Load(); h != nil {
		s.Heartbeat, s.Build, s.Active = time.UnixMilli(c.lastSeen.Load()), h.DaemonVersion, h.ActiveRequests
	}
	return s
}

// End is how a device's connection ended.
type End struct {
	At     time.Time
	ByCore bool   // Core closed it; else the Runtime did, or the network
	Code   int    // closing code; 0: there was none, the socket broke off
	Why    string // Core's reason, or what was found when the socket broke off; a peer's own text is never kept
}

// LastEnd tells how the last connection of a device ended; false while none has since the gateway was made.
func (g *Gateway) LastEnd(deviceID string) (End, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	end, known := g.ends[deviceID]
	return end, known
}

// noteEnd keeps the latest end of a device: the end of a replaced connection may be told late.
func (g *Gateway) noteEnd(deviceID string, end End) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ends[deviceID].At.Before(end.At) {
		g.ends[deviceID] = end
	}
}

// lost is the end that a read error tells.
func lost(cause error) End {
	end := End{Code: socket.Code(cause)}
	if end.Code == 0 {
		end.Why = shown(cause.Error())
	}
	return end
}
