package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

var (
	errQuiesced = errors.New("suspension accepted, disconnecting as planned")
	errNoResume = fmt.Errorf("no frame came within %s of a planned reconnection", proto.ResumeAttempt)
)

// connection is one WebSocket in use. Two goroutines belong to it, the reader and the handler, and one more for each
// heartbeat. It ends with the socket, or when one of them calls end; the first gives the reason.
type connection struct {
	socket *socket.Conn
	log    *slog.Logger
	end    context.CancelCauseFunc
	inbox  *inbox
	drops  atomic.Int64 // messages that came to nothing

	forgetWake func()            // called before an acceptance is written
	resumed    func()            // told when the resume of a suspension came
	acceptance sync.Mutex        // held while an accepted quiesce is being sent
	accepted   *proto.Suspension // the one whose acceptance was written; guarded by acceptance
}

// serve uses a connection until it ends, gives the tenant to go on with and why it ended.
func (l *Link) serve(ctx context.Context, ws *socket.Conn, interval time.Duration, held *tenant) (*tenant, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	c := &connection{socket: ws, log: l.config.Log, end: end, inbox: newInbox(), forgetWake: l.forgetWake,
		resumed: func() { l.board.show(State{Phase: Online}) }}
	t := held
	if t == nil {
		t = &tenant{router: l.config.NewRouter(c.send, c.post)}
	} else {
		t.router.Attach(c.send, c.post)
	}
	if t.resume == nil {
		l.board.show(State{Phase: Online})
	} else {
		l.board.show(State{Phase: Resuming})
	}
	var group sync.WaitGroup
	group.Go(func() { c.read(ctx) })
	group.Go(func() { c.handle(ctx, t) })
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		// Encoding takes a deep stack, which an idle connection need not keep.
		group.Go(func() { c.beat(ctx, interval, l.heartbeat(t.router)) })
		select {
		case <-ticker.C:
		case <-ctx.Done():
		case <-ws.Done():
			end(ws.Err())
		}
	}
	ws.Close(proto.CloseNormal, "")
	group.Wait()
	c.countDrops()
	if suspension := c.suspension(); suspension != nil {
		t = &tenant{router: t.router, resume: suspension}
	}
	return t, judgeEnd(context.Cause(ctx))
}

// heartbeat is the declaration as of now (wire 3.1).
func (l *Link) heartbeat(router Router) proto.Frame {
	return proto.New("", &proto.Heartbeat{
		TS:                  time.Now().Unix(),
		ActiveRequests:      router.ActiveRuns(),
		DaemonVersion:       l.config.Build,
		SupportedAgentKinds: l.config.Kinds(),
	})
}

// beat sends a heartbeat, which may take one interval (behaviour 3.2).
func (c *connection) beat(ctx context.Context, interval time.Duration, heartbeat proto.Frame) {
	err := c.sendWithin(ctx, interval, heartbeat)
	if err == nil || errors.Is(err, socket.ErrClosed) {
		return // a socket that closed is about to say why, and its reason is better: Core's code may still be to be read
	}
	c.end(err)
}

func (c *connection) sendWithin(ctx context.Context, limit time.Duration, frame proto.Frame) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.send(ctx, frame)
}

// send is the Send of this connection.
func (c *connection) send(ctx context.Context, frame proto.Frame) error {
	data, err := proto.Encode(frame)
	if err != nil {
		return err
	}
	if reply, ok := acceptance(frame); ok {
		return c.accept(ctx, reply, data)
	}
	return c.write(ctx, frame.Type, data)
}

// post is the Post of this connection.
func (c *connection) post(frame proto.Frame) bool {
	if _, ok := acceptance(frame); ok {
		return false // its writing has to be known
	}
	data, err := proto.Encode(frame)
	return err == nil && c.socket.TryQueue(data)
}

// acceptance tells the acceptance of a quiesce from other frames.
func acceptance(frame proto.Frame) (*proto.EnvironmentQuiesced, bool) {
	reply, ok := frame.Payload.(*proto.EnvironmentQuiesced)
	return reply, ok && reply.Accepted
}

func (c *connection) write(ctx context.Context, kind proto.Type, data []byte) error {
	if err := c.socket.Send(ctx, data); err != nil {
		return fmt.Errorf("send %s: %w", kind, err)
	}
	return nil
}

// accept sends the acceptance of a quiesce. Only when it was written do both sides know of the suspension; then the
// connection ends by plan (behaviour 7.5).
func (c *connection) accept(ctx context.Context, reply *proto.EnvironmentQuiesced, data []byte) error {
	c.acceptance.Lock()
	defer c.acceptance.Unlock()
	c.forgetWake() // while a wake for this suspension cannot have come
	if err := c.write(ctx, reply.Type(), data); err != nil {
		return err
	}
	c.accepted = &proto.Suspension{EnvironmentID: reply.EnvironmentID, SuspendID: reply.SuspendID}
	c.end(errQuiesced)
	return nil
}

// suspension is the one that was accepted here. It waits for an acceptance under way: Core may close the connection
// before the sender knows that its write was through.
func (c *connection) suspension() *proto.Suspension {
	c.acceptance.Lock()
	defer c.acceptance.Unlock()
	return c.accepted
}
