package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/daemon/proto"
)

// readBuffer and writeBuffer are in bytes. A message larger than the read buffer is read past it; the write buffer
// holds a whole chunk frame and is pooled, so that an idle connection has none.
const (
	readBuffer  = 4096
	writeBuffer = 2 * proto.MaxChunk
)

// Establisher makes connections; its zero value is ready. Connections of one Establisher share write buffers.
type Establisher struct {
	// Silence ends a connection on which no complete message arrived for so long; 0 never.
	Silence time.Duration
	// Dialer replaces the way to the network, for tests.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)

	buffers sync.Pool
}

// Upgrade answers a WebSocket upgrade. The caller has authenticated it: a browser's Origin is not looked at
// (behaviour 2.1). After an error the response has been written.
func (e *Establisher) Upgrade(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	upgrader := websocket.Upgrader{
		HandshakeTimeout: proto.HandshakeTimeout,
		ReadBufferSize:   readBuffer,
		WriteBufferSize:  writeBuffer,
		WriteBufferPool:  &e.buffers,
		CheckOrigin:      func(*http.Request) bool { return true },
	}
	metered := &meteredWriter{ResponseWriter: w, meter: &meter{}}
	ws, err := upgrader.Upgrade(metered, r, nil)
	if err != nil {
		return nil, fmt.Errorf("upgrade to a WebSocket: %w", err)
	}
	return open(ws, metered.meter, e.Silence), nil
}

// Refusal is an upgrade that the server answered with a status of its own.
type Refusal struct {
	Status int
	Body   []byte // at most a kilobyte
}

// Error names the status.
func (r *Refusal) Error() string { return fmt.Sprintf("upgrade refused with status %d", r.Status) }

// Dial opens a connection within the handshake timeout. A server that answered something else gives a *Refusal.
func (e *Establisher) Dial(ctx context.Context, url string, header http.Header) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, proto.HandshakeTimeout)
	defer cancel()
	m := &meter{}
	dialer := websocket.Dialer{
		ReadBufferSize:  readBuffer,
		WriteBufferSize: writeBuffer,
		WriteBufferPool: &e.buffers,
		Proxy:           http.ProxyFromEnvironment,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := e.dialer()(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &meteredConn{Conn: conn, meter: m}, nil
		},
	}
	ws, response, err := dialer.DialContext(ctx, url, header)
	if err != nil {
		return nil, refused(response, err)
	}
	return open(ws, m, e.Silence), nil
}

func (e *Establisher) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	if e.Dialer != nil {
		return e.Dialer
	}
	return (&net.Dialer{}).DialContext
}

func refused(response *http.Response, err error) error {
	if response == nil || !errors.Is(err, websocket.ErrBadHandshake) {
		return fmt.Errorf("dial: %w", err)
	}
	body := make([]byte, 1024)
	n, _ := response.Body.Read(body) // the library has read what it keeps of it into memory
	return &Refusal{Status: response.StatusCode, Body: body[:n]}
}

// meteredWriter puts the meter below the WebSocket library, which does not see frames that carry nothing.
type meteredWriter struct {
	http.ResponseWriter
	meter *meter
}

// Hijack takes over the connection with its meter.
func (w *meteredWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return &meteredConn{Conn: conn, meter: w.meter}, buffered, nil
}
