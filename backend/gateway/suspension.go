package gateway

import (
	"context"
	"fmt"

	"parley/daemon/proto"
)

// Quiesce asks the Runtime to close admission and drain; nil says that it accepted, after which it ends the connection
// (behaviour 7.5). It waits as long as ctx does. Two suspension requests may be pending.
//
// Errors: *RefusedError; *UnconfirmedError; before anything was sent ErrBusy, ErrDuplicate, ErrSessionClosed or what is
// wrong with the request.
func (c *Connection) Quiesce(ctx context.Context, requestID string, s proto.Suspension) error {
	return c.suspend(ctx, proto.New(requestID, &proto.EnvironmentQuiesce{Suspension: s}), s)
}

// Resume asks the Runtime to open admission again; on a planned new connection it must be the first frame. Otherwise it
// is like Quiesce.
func (c *Connection) Resume(ctx context.Context, requestID string, s proto.Suspension) error {
	return c.suspend(ctx, proto.New(requestID, &proto.EnvironmentResume{Suspension: s}), s)
}

func (c *Connection) suspend(ctx context.Context, f proto.Frame, s proto.Suspension) error {
	if err := f.Validate(); err != nil {
		return fmt.Errorf("ask for %s: %w", f.Type, err)
	}
	x, err := c.suspensions.add(f.ID, 1)
	if err != nil {
		return fmt.Errorf("ask for %s: %w", f.Type, err)
	}
	defer x.release()
	if err := c.send(ctx, f, proto.MaxSuspension); err != nil {
		return err
	}
	reply, err := suspensionReply(ctx, x, f.Type)
	if err == nil {
		if fault := reply.Answers(s); fault != nil {
			err = &ObservationError{Type: f.Type, ID: f.ID, Fault: fault}
		}
	}
	switch {
	case err != nil:
		return &UnconfirmedError{Operation: f.Type, ID: f.ID, Cause: err}
	case !reply.Accepted:
		return &RefusedError{Operation: f.Type, ID: f.ID, Code: reply.ErrorCode}
	}
	return nil
}

// suspensionReply takes the reply, which must be of the type that answers the request. It is still read when the Runtime
// ends the connection right after it.
func suspensionReply(ctx context.Context, x *exchange, asked proto.Type) (proto.SuspensionReply, error) {
	f, err := x.wait(ctx)
	if err == nil {
		err = valid(f)
	}
	if err != nil {
		return proto.SuspensionReply{}, err
	}
	quiesced, ok := f.Payload.(*proto.EnvironmentQuiesced)
	if ok && asked == proto.TypeEnvironmentQuiesce {
		return quiesced.SuspensionReply, nil
	}
	resumed, ok := f.Payload.(*proto.EnvironmentResumed)
	if ok && asked == proto.TypeEnvironmentResume {
		return resumed.SuspensionReply, nil
	}
	return proto.SuspensionReply{}, &ObservationError{Type: f.Type, ID: f.ID, Fault: errType}
}
