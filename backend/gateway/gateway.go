package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Authority tells whether a device may still act with the credential it connected with. An error says nothing about it.
type Authority interface {
	Authority(ctx context.Context, deviceID, digest string) (bool, error)
}

// Config is what a gateway is made of.
type Config struct {
	Authority Authority
	Log       *slog.Logger

	// OnHeartbeat is told a device whose valid heartbeat offers an available kind. It must return at once. May be nil.
	OnHeartbeat func(deviceID string)
	// Seen notes, after a connection ended, when the last valid heartbeat came. May be nil.
	Seen func(ctx context.Context, deviceID string, at time.Time) error
}

// Gateway is the registry of connected Runtimes, one connection a device. All methods may be called from any goroutine.
type Gateway struct {
	authority   Authority
	log         *slog.Logger
	onHeartbeat func(string)
	seen        func(context.Context, string, time.Time) error
	sockets     socket.Establisher
	work        sync.WaitGroup // every Accept, and what they start

	mu          sync.Mutex // before a connection's own locks
	closed      bool
	connections map[string]*Connection
	ends        map[string]End // of the last connection of each device that had one
	registered  chan struct{}  // closed and replaced by each registration
}

// New makes a gateway without connections. Authority and Log are required.
func New(c Config) (*Gateway, error) {
	if c.Authority == nil || c.Log == nil {
		return nil, errors.New("make gateway: authority and log are required")
	}
	g := &Gateway{authority: c.Authority, log: c.Log, onHeartbeat: c.OnHeartbeat, seen: c.Seen,
		sockets:     socket.Establisher{Silence: proto.Silence, Refuse: refuseUpgrade},
		connections: make(map[string]*Connection), ends: make(map[string]End), registered: make(chan struct{})}
	if g.onHeartbeat == nil {
		g.onHeartbeat = func(string) {}
	}
	if g.seen == nil {
		g.seen = func(context.Context, string, time.Time) error { return nil }
	}
	return g, nil
}

// Accept upgrades the request of an authenticated device and makes it the device's connection, which is served until it
// ends, also after Accept has returned. An earlier connection of the device is closed and leaves nothing to this one
// (behaviour 3.4).
func (g *Gateway) Accept(w http.ResponseWriter, r *http.Request, device Device) {
	if !g.enter() {
		writeJSON(w, statusOf(codeStopping), refusal{codeStopping, "the lab is stopping; dial again when it has started"})
		return
	}
	defer g.work.Done()
	conn, err := g.sockets.Upgrade(w, r)
	if err != nil {
		g.log.Warn("connection was not upgraded", "device", device.ID, "error", err)
		return
	}
	c := newConnection(g, device, conn)
	earlier, err := g.register(c)
	if err != nil {
		c.shut(proto.CloseGoingAway, "the lab is stopping")
		return
	}
	if earlier != nil {
		// Telling a peer that does not read takes a second; the new connection is served meanwhile.
		g.work.Go(func() { earlier.shut(proto.CloseNormal, proto.ReplacedReason) })
	}
	g.work.Go(c.serve) // on a stack of its own: the handler's, its request and its buffers go back meanwhile
}

// refuseUpgrade answers what is no handshake in the words of behaviour 2.
func refuseUpgrade(w http.ResponseWriter, status int) {
	no := refusal{codeBadUpgrade, "expected the handshake of a WebSocket: Connection: Upgrade, Upgrade: websocket, " +
		"Sec-WebSocket-Version: 13 and Sec-WebSocket-Key"}
	if status >= http.StatusInternalServerError {
		no = refusal{codeInternal, "the connection could not be taken over"}
	}
	writeJSON(w, statusOf(no.Error), no)
}

// enter counts a request in, unless the gateway has closed.
func (g *Gateway) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.work.Add(1)
	}
	return !g.closed
}

// register makes c the device's connection. In the same step the Run routes of the earlier one are dropped.
func (g *Gateway) register(c *Connection) (earlier *Connection, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrSessionClosed
	}
	earlier = g.connections[c.device.ID]
	g.connections[c.device.ID] = c
	if earlier != nil {
		earlier.runs.close()
	}
	close(g.registered)
	g.registered = make(chan struct{})
	return earlier, nil
}

// deregister removes c, and no newer connection of its device.
func (g *Gateway) deregister(c *Connection) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.connections[c.device.ID] == c {
		delete(g.connections, c.device.ID)
	}
}

// Online tells whether a device has a connection.
func (g *Gateway) Online(deviceID string) bool {
	_, online := g.Connection(deviceID)
	return online
}

// Connection gives a device's connection. It may end at any time.
func (g *Gateway) Connection(deviceID string) (*Connection, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, online := g.connections[deviceID]
	return c, online
}

// WaitConnected waits until a device has a connection, or ctx or the gateway ends.
func (g *Gateway) WaitConnected(ctx context.Context, deviceID string) (*Connection, error) {
	for {
		c, registered, closed := g.look(deviceID)
		switch {
		case c != nil:
			return c, nil
		case closed:
			return nil, ErrSessionClosed
		}
		select {
		case <-registered:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (g *Gateway) look(deviceID string) (c *Connection, registered <-chan struct{}, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.connections[deviceID], g.registered, g.closed
}

// Close ends every connection with 1001, refuses new ones and returns when everything that belongs to them has ended.
func (g *Gateway) Close() {
	var closing sync.WaitGroup
	for _, c := range g.stop() {
		closing.Go(func() { c.shut(proto.CloseGoingAway, "the lab is stopping") })
	}
	closing.Wait()
	g.work.Wait()
}

// stop refuses new connections and lists those there are.
func (g *Gateway) stop() []*Connection {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.closed = true
		close(g.registered) // whoever waits for a connection looks again
	}
	open := make([]*Connection, 0, len(g.connections))
	for _, c := range g.connections {
		open = append(open, c)
	}
	return open
}
