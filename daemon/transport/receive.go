package transport

import (
	"context"
	"fmt"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// read takes messages from the socket until it ends. It waits with little on its stack, which every idle connection
// keeps.
func (c *connection) read(ctx context.Context) {
	for {
		message, err := c.socket.Read()
		if err != nil || !c.receive(ctx, message) { // a socket that has ended says why
			return
		}
	}
}

// receive puts a message among the frames to handle; false when ctx has ended. What cannot be a frame is dropped
// (wire 1.6) and logged without its content.
func (c *connection) receive(ctx context.Context, message socket.Message) bool {
	frame, err := proto.Decode(message.Data)
	if err != nil || !message.Text {
		c.drop("dropped a message that is no frame", "bytes", len(message.Data), "text", message.Text)
		return true
	}
	return c.inbox.put(ctx, received{frame: frame, size: 2 * len(message.Data)})
}

// loggedDrops bounds the lines that Core's useless messages may cause on one connection; the rest is only counted.
const loggedDrops = 10

// drop logs a message that came to nothing.
func (c *connection) drop(text string, about ...any) {
	if c.drops.Add(1) <= loggedDrops {
		c.log.Warn(text, about...)
	}
}

// countDrops tells at the end how many there were, if not each had its line.
func (c *connection) countDrops() {
	if drops := c.drops.Load(); drops > loggedDrops {
		c.log.Warn("messages of the connection came to nothing", "number", drops, "logged", loggedDrops)
	}
}

// handle gives frames to the router, one after the other. What waits when the connection ends is left unhandled: no
// answer could reach anybody.
func (c *connection) handle(ctx context.Context, t *tenant) {
	if t.resume != nil && !c.resume(ctx, t) {
		return
	}
	for {
		frame, ok := c.inbox.take(ctx)
		if !ok {
			return
		}
		c.give(t.router, frame)
	}
}

func (c *connection) give(router Router, frame proto.Frame) {
	err := router.Handle(frame)
	if err == nil {
		return
	}
	name := frame.Type
	if _, known := proto.KindOf(name); !known {
		name = "unknown" // its text is the peer's
	}
	c.drop("a frame got no answer", "type", name, "reason", err)
}

// resume takes the first frame after a planned reconnection: the resume of exactly this suspension goes to the router,
// anything else is a permanent failure (behaviour 7.5). False when the connection is over.
func (c *connection) resume(ctx context.Context, t *tenant) bool {
	limited, cancel := context.WithTimeoutCause(ctx, proto.ResumeAttempt, errNoResume)
	defer cancel()
	frame, ok := c.inbox.take(limited)
	if !ok {
		c.end(context.Cause(limited))
		return false
	}
	if err := resumes(frame, *t.resume); err != nil {
		c.end(&PermanentError{Err: err})
		return false
	}
	t.resume = nil
	c.resumed()
	c.give(t.router, frame)
	return true
}

// resumes checks one first frame.
func resumes(frame proto.Frame, suspended proto.Suspension) error {
	request, ok := frame.Payload.(*proto.EnvironmentResume)
	if !ok || frame.Validate() != nil || len(frame.Raw) > proto.MaxSuspension {
		return ErrResumeMismatch
	}
	if request.EnvironmentID != suspended.EnvironmentID || request.SuspendID != suspended.SuspendID {
		return fmt.Errorf("%w: its Environment or suspension id differs", ErrResumeMismatch)
	}
	return nil
}
