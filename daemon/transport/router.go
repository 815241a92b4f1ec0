package transport

import (
	"context"

	"parley/daemon/proto"
)

// Send writes one frame on one connection. It returns when the write has finished or failed, or when ctx or the
// connection ended; then it is not known whether the frame went out (behaviour 3.1).
type Send = func(ctx context.Context, frame proto.Frame) error

// Post puts one frame behind those that wait to be written, and does not wait. It is written before a frame that is sent
// later; whether it was is not told. False: it was not taken, for want of room or because it cannot be posted, and may
// be sent.
type Post = func(frame proto.Frame) bool

// Router takes the frames of one connection and owns the work they start. After a suspension it goes on with the next
// connection.
type Router interface {
	// Handle takes one frame; calls never overlap. While it blocks, nothing more is read than the receive queue holds. It
	// must return when the connection's Send fails, as nothing is shut down while it runs. The error says for the log why
	// a frame got no answer, without its content; the connection goes on.
	Handle(frame proto.Frame) error
	// Attach replaces send and post after a planned reconnection, before the first frame of the new connection.
	Attach(send Send, post Post)
	// Shutdown takes no more work and waits for an end of all there is. Nil means confirmed. After an error, also that of
	// ctx, everything is still owned and Shutdown is called again (behaviour 5.10).
	Shutdown(ctx context.Context) error
	// ActiveRuns counts the Runs in progress, for heartbeats.
	ActiveRuns() int
}
