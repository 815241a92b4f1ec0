package gateway

import (
	"context"
	"fmt"

	"parley/daemon/proto"
)

// Read asks the Runtime for bytes or a directory and waits at most 17 seconds (behaviour 4.2). Four reads may be pending;
// one that was sent keeps its place until the answer or its time is over, also when ctx ends before.
//
// Errors: *RefusedError; *UnconfirmedError; before anything was sent ErrBusy, ErrDuplicate, ErrSessionClosed or what is
// wrong with the request.
func (c *Connection) Read(ctx context.Context, operationID string, request proto.WorkspaceRead) (proto.WorkspaceReadResult, error) {
	result, err := c.read(ctx, proto.New(operationID, &request), &request)
	if err != nil {
		return proto.WorkspaceReadResult{}, err
	}
	return *result, nil
}

func (c *Connection) read(ctx context.Context, f proto.Frame, request *proto.WorkspaceRead) (*proto.WorkspaceReadResult, error) {
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("ask for a read: %w", err)
	}
	x, err := c.reads.add(f.ID, 1)
	if err != nil {
		return nil, fmt.Errorf("ask for a read: %w", err)
	}
	x.keep(proto.ReadWait)
	if err := c.sendWithin(ctx, proto.ReadWait, f, proto.MaxReadPayload); err != nil {
		x.release()
		return nil, fmt.Errorf("ask for a read: %w", err)
	}
	result, err := reply[*proto.WorkspaceReadResult](ctx, x)
	x.desert() // a later reply only frees the place
	if err == nil {
		err = misfit(result, f.ID, result.Answers(request))
	}
	if err != nil {
		return nil, &UnconfirmedError{Operation: f.Type, ID: f.ID, Cause: err}
	}
	switch result.Outcome {
	case proto.OutcomeCompleted:
		return result, nil
	case proto.OutcomeRejected:
		return nil, &RefusedError{Operation: f.Type, ID: f.ID, Code: result.ErrorCode}
	default:
		return nil, &UnconfirmedError{Operation: f.Type, ID: f.ID, Cause: errReported(result.ErrorCode)}
	}
}
