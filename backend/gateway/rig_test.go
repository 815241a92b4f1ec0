package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// rig is a gateway behind a real HTTP server whose network is pipes in memory, so that it works under a bubble's clock.
type rig struct {
	t       *testing.T
	gateway *gateway.Gateway
	network *pipes
	log     *lines
}

// authority answers by a func; nil grants.
type authority func(ctx context.Context, device, digest string) (bool, error)

func (a authority) Authority(ctx context.Context, device, digest string) (bool, error) {
	if a == nil {
		return true, nil
	}
	return a(ctx, device, digest)
}

// newRig starts it; change may be nil.
func newRig(t *testing.T, change func(*gateway.Config)) *rig {
	t.Helper()
	r := &rig{t: t, network: newPipes(), log: &lines{}}
	config := gateway.Config{Authority: authority(nil), Log: slog.New(slog.NewTextHandler(r.log, nil))}
	if change != nil {
		change(&config)
	}
	g, err := gateway.New(config)
	if err != nil {
		t.Fatal(err)
	}
	r.gateway = g
	server := &http.Server{Handler: acceptor(g), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(r.network) }()
	t.Cleanup(func() {
		g.Close()
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got serving ended by %v, want ErrServerClosed", err)
		}
	})
	return r
}

// acceptor hands every request over as that of the device in its address.
func acceptor(g *gateway.Gateway) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Accept(w, r, store.Device{ID: r.URL.Query().Get("device"), Digest: "digest"})
	})
}

// dial connects a scripted peer and gives both ends. The connection is the one that registered last.
func (r *rig) dial(device string) (*peer, *gateway.Connection) {
	r.t.Helper()
	p := dialPeer(r.t, "ws://lab/?device="+device, r.network.dial)
	synctest.Wait()
	c, online := r.gateway.Connection(device)
	if !online {
		r.t.Fatalf("got %q offline, want it registered", device)
	}
	return p, c
}

// peer is the Runtime's end as a script plays it.
type peer struct {
	t      *testing.T
	ws     *websocket.Conn
	raw    net.Conn
	frames chan proto.Frame // everything that came
	end    error            // why reading ended, set before frames is closed
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func dialPeer(t *testing.T, url string, dial dialer) *peer {
	t.Helper()
	p := dialSilent(t, url, dial)
	go p.read()
	return p
}

// dialSilent connects a peer that does not read.
func dialSilent(t *testing.T, url string, dial dialer) *peer {
	t.Helper()
	p := &peer{t: t, frames: make(chan proto.Frame, 4096)}
	d := websocket.Dialer{NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		p.raw = conn
		return conn, err
	}}
	ws, response, err := d.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	_ = response.Body.Close()
	p.ws = ws
	t.Cleanup(func() { _ = ws.Close() })
	return p
}

func (p *peer) read() {
	defer close(p.frames)
	for {
		_, data, err := p.ws.ReadMessage()
		if err != nil {
			p.end = err
			return
		}
		f, err := proto.Decode(data)
		if err != nil {
			p.end = err
			return
		}
		p.frames <- f
	}
}

// next gives the next frame within a minute of the bubble.
func (p *peer) next() proto.Frame {
	p.t.Helper()
	select {
	case f, ok := <-p.frames:
		if !ok {
			p.t.Fatalf("got end of the connection (%v), want a frame", p.end)
		}
		return f
	case <-time.After(time.Minute):
		p.t.Fatal("got no frame within a minute, want one")
	}
	return proto.Frame{}
}

// silent checks that nothing is waiting.
func (p *peer) silent() {
	p.t.Helper()
	synctest.Wait()
	select {
	case f, ok := <-p.frames:
		if ok {
			p.t.Fatalf("got %s %q, want silence", f.Type, f.ID)
		}
	default:
	}
}

// closing gives the closing code that came, 0 for none. Frames before it are passed over.
func (p *peer) closing() int {
	p.t.Helper()
	for range p.frames {
	}
	var closed *websocket.CloseError
	if errors.As(p.end, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return closed.Code
	}
	return 0
}

func (p *peer) send(id string, payload proto.Payload) {
	p.t.Helper()
	data, err := proto.Encode(proto.New(id, payload))
	if err != nil {
		p.t.Fatal(err)
	}
	p.text(string(data))
}

func (p *peer) text(message string) {
	p.t.Helper()
	if err := p.ws.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		p.t.Fatalf("send: %v", err)
	}
}

// beat sends a heartbeat that offers one available kind.
func (p *peer) beat(kind string) {
	p.t.Helper()
	p.send("", heartbeat(kind, true))
}

func heartbeat(kind string, available bool) *proto.Heartbeat {
	var all proto.Capabilities
	for i := range all {
		all[i] = proto.Supported
	}
	return &proto.Heartbeat{TS: 1, SupportedAgentKinds: []proto.AgentKind{{Kind: kind, Available: available, Capabilities: all}}}
}

// pipes is a network of net.Pipe.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lines collects a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// bubble runs a test under its own clock.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, f)
	})
}

func number(n int) string { return strconv.Itoa(n) }

// elapse moves the bubble's clock; outside of a bubble it panics.
func elapse(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
