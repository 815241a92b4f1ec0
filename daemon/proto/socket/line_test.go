package socket_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/daemon/proto/socket"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a listener whose connections are pipes, so that a synctest bubble sees all waiting.
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

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.accepted <- far:
		return near, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// upgrading gives every upgraded connection to the test.
func upgrading(e *socket.Establisher, conns chan<- *socket.Conn) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := e.Upgrade(w, r); err == nil {
			conns <- conn
		}
	})
}

// inMemory serves a handler in memory.
func inMemory(t *testing.T, handler http.Handler) *memory {
	t.Helper()
	listener := newMemory()
	server := &http.Server{Handler: handler}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })
	return listener
}

// pipes gives both ends of a connection in memory.
func pipes(t *testing.T, silence time.Duration) (near, far *socket.Conn) {
	t.Helper()
	conns := make(chan *socket.Conn, 1)
	listener := inMemory(t, upgrading(&socket.Establisher{Silence: silence}, conns))
	near, err := (&socket.Establisher{Dialer: listener.dial}).Dial(t.Context(), "ws://core.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	far = <-conns
	closeBoth(t, near, far)
	return near, far
}

// sockets gives both ends of a connection on a real socket.
func sockets(t *testing.T) (near, far *socket.Conn) {
	t.Helper()
	conns := make(chan *socket.Conn, 1)
	server := httptest.NewServer(upgrading(&socket.Establisher{}, conns))
	t.Cleanup(server.Close)
	near, err := (&socket.Establisher{}).Dial(t.Context(), "ws"+server.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	far = <-conns
	closeBoth(t, near, far)
	return near, far
}

func closeBoth(t *testing.T, conns ...*socket.Conn) {
	t.Cleanup(func() {
		var group sync.WaitGroup
		for _, conn := range conns {
			group.Go(func() { conn.Close(1000, "") })
		}
		group.Wait()
	})
}

// byHand opens a raw line to a server with a WebSocket upgrade and gives the server's end and the answer.
func byHand(t *testing.T, dial func() (net.Conn, error), conns <-chan *socket.Conn, header string) (net.Conn, *bufio.Reader, *http.Response, *socket.Conn) {
	t.Helper()
	line, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = line.Close() })
	go fmt.Fprintf(line, "GET / HTTP/1.1\r\nHost: core.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n", header)
	reader := bufio.NewReader(line)
	response, err := http.ReadResponse(reader, nil)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v, %v, want an upgrade", response, err)
	}
	far := <-conns
	t.Cleanup(func() { far.Close(1000, "") })
	return line, reader, response, far
}

// Bits and opcodes of RFC 6455 5.2.
const (
	fin          = 0x80
	compressed   = 0x40
	continuation = 0x0
	text         = 0x1
	closing      = 0x8
	ping         = 0x9
)

// header is the head of a masked frame whose key is zero, so that its data stands as it is.
func header(first byte, length uint64) []byte {
	head := []byte{first}
	switch {
	case length < 126:
		head = append(head, 0x80|byte(length))
	case length < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(length))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), length)
	}
	return append(head, 0, 0, 0, 0)
}

func frame(first byte, data []byte) []byte { return append(header(first, uint64(len(data))), data...) }

// closeCode reads frames of a server until its closing frame and gives the code, 0 when the line ends without one.
func closeCode(reader *bufio.Reader) int {
	for {
		var head [2]byte
		if _, err := io.ReadFull(reader, head[:]); err != nil {
			return 0
		}
		data := make([]byte, head[1]&0x7f)
		if _, err := io.ReadFull(reader, data); err != nil {
			return 0
		}
		if head[0]&0xf == closing && len(data) >= 2 {
			return int(binary.BigEndian.Uint16(data))
		}
	}
}
