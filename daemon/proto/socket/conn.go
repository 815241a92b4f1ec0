package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"

	"parley/daemon/proto"
)

// ErrClosed says that this side closed the connection before the operation was through.
var ErrClosed = errors.New("connection is closed")

// Message is one complete WebSocket message.
type Message struct {
	Text bool // false for binary, which the wire does not use
	Data []byte
}

// Conn is one connection. Its writer goroutine is the only one that writes messages; it ends with the connection.
type Conn struct {
	ws      *websocket.Conn
	meter   *meter
	silence time.Duration
	queue   *queue
	hint    int // size of the last message, for the buffer of the next; Read's alone

	closing atomic.Bool   // taken by the one that ends the connection
	done    chan struct{} // closed by end
	cause   error         // why it ended; set before done is closed
}

// open takes over an established WebSocket.
func open(ws *websocket.Conn, m *meter, silence time.Duration) *Conn {
	ws.SetReadLimit(proto.MaxFrame)
	c := &Conn{ws: ws, meter: m, silence: silence, queue: newQueue(), hint: 512, done: make(chan struct{})}
	go c.write()
	return c
}

// Read gives the next complete message. Its error ends the connection; Code tells a closing code from it.
func (c *Conn) Read() (Message, error) {
	if c.silence > 0 {
		// Once a message and not once a read: a peer that trickles bytes is as silent as one that sends none.
		if err := c.ws.SetReadDeadline(time.Now().Add(c.silence)); err != nil {
			return Message{}, c.fail(fmt.Errorf("set read deadline: %w", err))
		}
	}
	kind, reader, err := c.ws.NextReader()
	if err != nil {
		return Message{}, c.unreadable(err)
	}
	data, err := c.readAll(reader)
	if err != nil {
		return Message{}, c.unreadable(err)
	}
	c.meter.reset()
	return Message{Text: kind == websocket.TextMessage, Data: data}, nil
}

// unreadable ends the connection after a read error.
func (c *Conn) unreadable(err error) error {
	if errors.Is(err, websocket.ErrReadLimit) {
		c.tell(proto.CloseTooBig, "") // the library says it only for lengths that its sum can hold
	}
	return c.fail(fmt.Errorf("read message: %w", err))
}

// largestHint bounds the buffer that is made before a message is known to need it.
const largestHint = 2 * proto.MaxChunk

// readAll reads one message into a buffer as large as the last message was: chunks of a transfer are alike.
func (c *Conn) readAll(reader io.Reader) ([]byte, error) {
	data := make([]byte, 0, c.hint)
	for {
		n, err := reader.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			c.hint = min(max(len(data)+64, 512), largestHint)
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			room := min(2*cap(data), proto.MaxFrame+1) // the read limit ends a message before the last byte is used
			data = append(make([]byte, 0, room), data...)
		}
	}
}

// Queue puts a message into the send queue and returns; it waits while the queue is full. Success says nothing about
// the network.
func (c *Conn) Queue(ctx context.Context, data []byte) error {
	return c.queue.put(ctx, item{data: data})
}

// TryQueue is Queue without the wait: false when there is no room at the moment, or when the connection has ended.
func (c *Conn) TryQueue(data []byte) bool {
	taken, _, _ := c.queue.offer(item{data: data})
	return taken
}

// Send puts a message into the send queue and waits until it was written. When ctx or the connection ends first, it is
// not known whether the message went out.
func (c *Conn) Send(ctx context.Context, data []byte) error {
	written := make(chan error, 1)
	if err := c.queue.put(ctx, item{data: data, written: written}); err != nil {
		return err
	}
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write is the single writer.
func (c *Conn) write() {
	for {
		next, ok := c.queue.take()
		if !ok {
			return
		}
		if err := c.writeOne(next.data); err != nil {
			c.unwritable(next, err)
			return
		}
		next.finish(nil)
	}
}

// unwritable ends the connection after a write error. Often the peer has closed it, and its closing code is still to be
// read: that says more than a broken pipe does, so the reader gets a moment to find it.
func (c *Conn) unwritable(next item, err error) {
	reason := fmt.Errorf("%w: %w", ErrClosed, err)
	c.queue.close(reason)
	next.finish(reason)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		timer := time.NewTimer(proto.CloseTimeout)
		defer timer.Stop()
		select {
		case <-c.done:
		case <-timer.C:
		}
	}
	c.finish(err)
}

func (c *Conn) writeOne(data []byte) error {
	if err := c.ws.SetWriteDeadline(time.Now().Add(proto.WriteTimeout)); err != nil {
		return fmt.Errorf("set write deadline: %w", err)
	}
	if err := c.ws.WriteMessage(websocket.TextMessage, data); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// Close ends the connection with a closing code and a reason of at most 123 bytes, longer ones are cut; it waits at most
// one second for both to be written. Calling it again changes nothing.
func (c *Conn) Close(code int, reason string) {
	if !c.closing.CompareAndSwap(false, true) {
		<-c.done
		return
	}
	c.tell(code, reason)
	c.end(ErrClosed)
}

// tell writes a closing code. A peer that is gone cannot be told, and the socket is closed either way.
func (c *Conn) tell(code int, reason string) {
	message := websocket.FormatCloseMessage(code, cut(reason, largestReason))
	_ = c.ws.WriteControl(websocket.CloseMessage, message, time.Now().Add(proto.CloseTimeout))
}

// largestReason is what a control frame of 125 bytes holds beside the code.
const largestReason = 123

// cut shortens text to whole characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended: ErrClosed after Close, otherwise what went wrong first. Nil before Done.
func (c *Conn) Err() error {
	select {
	case <-c.done:
		return c.cause
	default:
		return nil
	}
}

// fail ends the connection after a read error and gives the first cause.
func (c *Conn) fail(err error) error {
	c.finish(err)
	<-c.done
	return c.cause
}

// finish ends the connection without a closing message of our own.
func (c *Conn) finish(err error) {
	if c.closing.CompareAndSwap(false, true) {
		c.end(err)
	}
}

func (c *Conn) end(cause error) {
	c.cause = cause
	_ = c.ws.Close() // nothing is left to lose with it
	close(c.done)
	c.queue.close(fmt.Errorf("%w: %w", ErrClosed, cause))
}

// Code is the closing code that the peer sent, 0 when the connection ended without one.
func Code(err error) int {
	var closed *websocket.CloseError
	if !errors.As(err, &closed) || closed.Code == websocket.CloseAbnormalClosure {
		return 0
	}
	return closed.Code
}

// Replaced tells whether the peer closed because a newer connection of the same device took over (behaviour 3.4). Other
// reasons of a peer are its own text, which nobody here repeats.
func Replaced(err error) bool {
	var closed *websocket.CloseError
	return errors.As(err, &closed) && closed.Code == proto.CloseNormal && closed.Text == proto.ReplacedReason
}
