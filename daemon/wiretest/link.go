package wiretest

import (
	"context"
	"errors"
	"net"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// received is one message of the peer.
type received struct {
	frame proto.Frame
	data  []byte
	err   error // the message is no frame
}

// link is one connection. Its reader goroutine ends with it.
type link struct {
	conn   *socket.Conn
	raw    net.Conn // the same connection below the WebSocket, to be cut
	frames chan received
	end    error // why reading ended; set before frames is closed
	peeked *received
}

// backlog is how many messages of the peer wait to be looked at; a peer that sends more is not read from.
const backlog = 1024

func openLink(conn *socket.Conn, raw net.Conn) *link {
	l := &link{conn: conn, raw: raw, frames: make(chan received, backlog)}
	go l.read()
	return l
}

func (l *link) read() {
	defer close(l.frames)
	for {
		message, err := l.conn.Read()
		if err != nil {
			l.end = err
			return
		}
		got := received{data: message.Data}
		if !message.Text {
			got.err = errors.New("a binary message; the wire has text messages only")
		} else {
			got.frame, got.err = proto.Decode(message.Data)
		}
		select {
		case l.frames <- got:
		case <-l.conn.Done():
			l.end = l.conn.Err()
			return
		}
	}
}

var (
	errNothing = errors.New("nothing came")
	errEnded   = errors.New("the connection ended")
)

// next gives the next message, errNothing when the wait is over, errEnded when the connection is.
func (l *link) next(ctx context.Context, wait time.Duration) (received, error) {
	if l.peeked != nil {
		got := *l.peeked
		l.peeked = nil
		return got, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case got, open := <-l.frames:
		if !open {
			return received{}, errEnded
		}
		return got, nil
	case <-timer.C:
		return received{}, errNothing
	case <-ctx.Done():
		return received{}, context.Cause(ctx)
	}
}

// push gives a message back, to be the next again.
func (l *link) push(got received) { l.peeked = &got }

// send writes one message.
func (l *link) send(ctx context.Context, data []byte) error { return l.conn.Send(ctx, data) }

// cut ends the connection as a broken network does: without a closing frame.
func (l *link) cut() {
	_ = l.raw.Close()
	<-l.conn.Done()
}

// close ends the connection with a code and waits for the reader.
func (l *link) close(code int) {
	l.conn.Close(code, "")
	for range l.frames {
	}
}

// awaitEnd waits until the peer ended the connection and gives its closing code, 0 when there was none.
func (l *link) awaitEnd(ctx context.Context, wait time.Duration) (code int, stray *received, err error) {
	deadline := time.Now().Add(wait)
	for {
		got, err := l.next(ctx, time.Until(deadline))
		switch {
		case errors.Is(err, errEnded):
			return socket.Code(l.end), stray, nil
		case err != nil:
			return 0, stray, err
		case stray == nil && got.frame.Type != proto.TypeHeartbeat:
			stray = &got
		}
	}
}
