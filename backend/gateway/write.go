package gateway

import (
	"context"
	"fmt"
	"io"

	"parley/daemon/proto"
)

// Write puts a body into a file of the Runtime's workspace within 195 seconds (behaviour 7.2). The step, size and digest
// of begin are set here; the rest is the caller's. The body is read twice from where it stands. One write may be pending.
//
// Errors: *RefusedError; *UnconfirmedError, after which the write is never tried again; before anything was sent ErrBusy,
// ErrSessionClosed or what is wrong with the request.
func (c *Connection) Write(ctx context.Context, mutationID string, begin proto.WorkspaceWrite, body io.ReadSeeker) (proto.WorkspaceWriteResult, error) {
	result, err := c.write(ctx, mutationID, &begin, body)
	if err != nil {
		return proto.WorkspaceWriteResult{}, err
	}
	return *result, nil
}

func (c *Connection) write(ctx context.Context, id string, begin *proto.WorkspaceWrite, body io.ReadSeeker) (*proto.WorkspaceWriteResult, error) {
	x, err := c.writes.add(id, 0)
	if err != nil {
		return nil, fmt.Errorf("begin write: %w", err)
	}
	defer x.release()
	begin.Step = proto.StepBegin
	if begin.SizeBytes, begin.SHA256, err = measure(body); err != nil {
		return nil, fmt.Errorf("begin write: %w", err)
	}
	if err := proto.New(id, begin).Validate(); err != nil {
		return nil, fmt.Errorf("begin write: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, proto.WriteWait, ErrNoAnswer)
	defer cancel()
	var last *proto.WorkspaceWriteResult
	t := transfer{c: c, x: x, kind: begin.Type(), limit: proto.MaxTransferPayload, trace: newTrace(),
		payload: func(step string, offset int64, data []byte) proto.Payload {
			return writeStep(begin, step, offset, data)
		}}
	t.judge = func(answer proto.Frame, step string, staged int64) (err error) {
		last, err = t.judgeWrite(answer, begin, step, staged)
		return err
	}
	if err := t.run(ctx, body, begin.SizeBytes); err != nil {
		return nil, err
	}
	return last, nil
}

func writeStep(begin *proto.WorkspaceWrite, step string, offset int64, data []byte) proto.Payload {
	switch step {
	case proto.StepBegin:
		return begin
	case proto.StepChunk:
		return &proto.WorkspaceWrite{Step: step, Offset: offset, Data: data}
	default:
		return &proto.WorkspaceWrite{Step: step}
	}
}

func (t *transfer) judgeWrite(answer proto.Frame, begin *proto.WorkspaceWrite, step string, staged int64) (*proto.WorkspaceWriteResult, error) {
	result, err := payloadOf[*proto.WorkspaceWriteResult](answer)
	if err == nil {
		err = misfit(result, answer.ID, result.Answers(begin, step, staged))
	}
	if err != nil {
		return nil, t.unconfirmed(err)
	}
	switch result.Outcome {
	case proto.OutcomeReady, proto.OutcomeReceived, proto.OutcomeCompleted:
		return result, nil
	case proto.OutcomeRejected:
		return nil, &RefusedError{Operation: t.kind, ID: answer.ID, Code: result.ErrorCode, Reason: result.Reason}
	default:
		return nil, t.unconfirmed(errReported(result.ErrorCode))
	}
}
