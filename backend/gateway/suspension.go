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
	answer, err := suspensionReply(ctx, x, f.Type)
	if err == nil {
		if fault := answer.Answers(s); fault != nil {
			err = &ObservationError{Type: f.Type, ID: f.ID, Fault: fault}
		}
	}
	switch {
	case err != nil:
		return &UnconfirmedError{Operation: f.Type, ID: f.ID, Cause: err}
	case !answer.Accepted:
		return &RefusedError{Operation: f.Type, ID: f.ID, Code: answer.ErrorCode}
	}
	return nil
}

// suspensionReply takes the reply, which must be of the type that answers the request. It is still read when the Runtime
// ends the connection right after it.
func suspensionReply(ctx context.Context, x *exchange, asked proto.Type) (proto.SuspensionReply, error) {
	if asked == proto.TypeEnvironmentQuiesce {
		quiesced, err := reply[*proto.EnvironmentQuiesced](ctx, x)
		if err != nil {
			return proto.SuspensionReply{}, err
		}
		return quiesced.SuspensionReply, nil
	}
	resumed, err := reply[*proto.EnvironmentResumed](ctx, x)
	if err != nil {
		return proto.SuspensionReply{}, err
	}
	return resumed.SuspensionReply, nil
}
