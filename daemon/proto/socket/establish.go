package socket

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/daemon/proto"
)

// readBuffer and writeBuffer are in bytes. The read buffer stays with an idle connection; a message larger than it is
// read past it. The write buffer holds a whole chunk frame and is pooled, so that an idle connection has none.
const (
	readBuffer  = 2048
	writeBuffer = 2 * proto.MaxChunk
)

// Establisher makes connections; its zero value is ready. Connections of one Establisher share write buffers.
type Establisher struct {
	// Silence ends a connection on which no complete message arrived for so long; 0 never.
	Silence time.Duration
	// Refuse answers a request that is no handshake, with the status that fits; nil: that status and no body.
	Refuse func(w http.ResponseWriter, status int)
	// Dialer replaces the way to the network, for tests.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// Roots are the authorities that wss:// trusts; nil: the system's.
	Roots *x509.CertPool

	buffers sync.Pool
}

// Upgrade answers a WebSocket upgrade. The caller has authenticated it: a browser's Origin is not looked at
// (behaviour 2.1). After an error the response has been written.
func (e *Establisher) Upgrade(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	upgrader := websocket.Upgrader{
		HandshakeTimeout: proto.HandshakeTimeout,
		ReadBufferSize:   0, // the request's own reader goes on
		WriteBufferSize:  writeBuffer,
		WriteBufferPool:  &e.buffers,
		CheckOrigin:      func(*http.Request) bool { return true },
		Error:            e.refuse,
	}
	metered := &meteredWriter{ResponseWriter: w, meter: &meter{}}
	ws, err := upgrader.Upgrade(metered, r, nil)
	if err != nil {
		return nil, fmt.Errorf("upgrade to a WebSocket: %w", err)
	}
	return open(ws, metered.meter, e.Silence), nil
}

// refuse keeps the library's own text from the answer.
func (e *Establisher) refuse(w http.ResponseWriter, _ *http.Request, status int, _ error) {
	w.Header().Set("Sec-WebSocket-Version", "13") // RFC 6455 4.4
	if e.Refuse == nil {
		w.WriteHeader(status)
		return
	}
	e.Refuse(w, status)
}

// Refusal is an upgrade that the server answered with a status of its own.
type Refusal struct {
	Status int
	Body   []byte // at most a kilobyte
}

// Error names the status.
func (r *Refusal) Error() string { return fmt.Sprintf("upgrade refused with status %d", r.Status) }

// ErrExtension says that the server announced an extension of the WebSocket although none was offered.
var ErrExtension = errors.New("server announced a WebSocket extension that was not offered")

// Dial opens a connection within the handshake timeout. A server that answered something else gives a *Refusal. Proxies
// of the environment are used, but never for this machine itself.
func (e *Establisher) Dial(ctx context.Context, url string, header http.Header) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, proto.HandshakeTimeout)
	defer cancel()
	m := &meter{}
	var line cutter
	dialer := websocket.Dialer{
		ReadBufferSize:  readBuffer,
		WriteBufferSize: writeBuffer,
		WriteBufferPool: &e.buffers,
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{RootCAs: e.Roots},
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := e.dialer()(ctx, network, address)
			if err != nil {
				return nil, err
			}
			line.watch(ctx, conn)
			return &meteredConn{Conn: conn, meter: m}, nil
		},
	}
	ws, response, err := dialer.DialContext(ctx, url, header)
	line.release()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("dial: %w", context.Cause(ctx))
	case err != nil:
		return nil, refused(response, err)
	case ctx.Err() != nil:
		_ = ws.Close() // cut at the last moment
		return nil, fmt.Errorf("dial: %w", context.Cause(ctx))
	case response.Header.Get("Sec-WebSocket-Extensions") != "":
		_ = ws.Close() // the library would inflate what comes
		return nil, fmt.Errorf("dial: %w", ErrExtension)
	}
	return open(ws, m, e.Silence), nil
}

// cutter closes a line when its context ends during the handshake: the library looks at the deadline alone.
type cutter struct{ stop func() bool }

func (c *cutter) watch(ctx context.Context, conn net.Conn) {
	c.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
}

func (c *cutter) release() {
	if c.stop != nil {
		c.stop()
	}
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
