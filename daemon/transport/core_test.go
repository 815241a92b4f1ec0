package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

const (
	device     = "runtime"
	credential = "synthetic-credential"
)

// memory is a listener whose connections are pipes in memory, so that a synctest bubble sees all waiting.
type memory struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newMemory() *memory {
	return &memory{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.accepted:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.accepted <- far:
		return near, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// core plays Core's side of the machine connection.
type core struct {
	heartbeatSeconds int
	wsURL            string
	refuse           func(attempt int) (status int, body string) // nil or status 0: upgrade
	use              func(attempt int, conn *socket.Conn)        // runs on a connection; it is closed after that

	sockets socket.Establisher
	mu      sync.Mutex
	asked   []*http.Request // upgrades
	times   []time.Time     // of the upgrades
	boots   int
}

func (c *core) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/v1/agent-daemon/bootstrap":
		c.mu.Lock()
		c.boots++
		c.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{
			"device_id": device, "workspace_id": "w", "ws_url": c.wsURL,
			"heartbeat_seconds": c.heartbeatSeconds, "protocol_version": proto.Version, "later": true,
		})
	case "/api/v1/agent-daemon/ws":
		c.upgrade(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (c *core) upgrade(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked = append(c.asked, r)
	c.times = append(c.times, time.Now())
	attempt := len(c.asked)
	c.mu.Unlock()
	if c.refuse != nil {
		if status, body := c.refuse(attempt); status != 0 {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
			return
		}
	}
	conn, err := c.sockets.Upgrade(w, r)
	if err != nil {
		return
	}
	defer conn.Close(proto.CloseNormal, "")
	if c.use != nil {
		c.use(attempt, conn)
	}
}

func (c *core) attempts() []time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Time(nil), c.times...)
}

// inMemory serves a core in memory and gives the URL and the two ways to it.
func inMemory(t *testing.T, c *core) (*http.Client, *socket.Establisher, *memory) {
	t.Helper()
	listener := newMemory()
	c.wsURL = "ws://core.test/api/v1/agent-daemon/ws"
	server := &http.Server{Handler: c}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	client := &http.Client{Transport: &http.Transport{DialContext: listener.dial, DisableKeepAlives: true}}
	return client, &socket.Establisher{Dialer: listener.dial}, listener
}

// onSocket serves a core on a real socket of this machine.
func onSocket(t *testing.T, c *core) string {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.wsURL = "ws" + server.URL[len("http"):] + "/api/v1/agent-daemon/ws"
	return server.URL + "/api/v1"
}

// next reads one frame that is no heartbeat.
func next(t *testing.T, conn *socket.Conn) proto.Frame {
	t.Helper()
	for {
		message, err := conn.Read()
		if err != nil {
			t.Errorf("read at Core: %v", err)
			return proto.Frame{}
		}
		frame, err := proto.Decode(message.Data)
		if err != nil {
			t.Errorf("decode at Core: %v", err)
			return proto.Frame{}
		}
		if frame.Type != proto.TypeHeartbeat {
			return frame
		}
	}
}

// drain reads until the connection ends and gives why.
func drain(conn *socket.Conn) error {
	for {
		if _, err := conn.Read(); err != nil {
			return err
		}
	}
}

func put(t *testing.T, conn *socket.Conn, frame proto.Frame) {
	t.Helper()
	data, err := proto.Encode(frame)
	if err != nil {
		t.Errorf("encode at Core: %v", err)
		return
	}
	if err := conn.Queue(t.Context(), data); err != nil {
		t.Errorf("send at Core: %v", err)
	}
}
