package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"parley/daemon/proto"
)

// RunPreparation does one step of an Environment's initialization within the budget of begin, which is what is left of
// the original deadline (behaviour 7.1). The step, size and digest of begin are set here; the rest is the caller's. The
// body is read twice from where it stands; it is nil for the actions initialize and finalize. One may be pending.
//
// Errors: *RefusedError; *FailedError; *UnconfirmedError, after which the step is never tried again; before anything was
// sent ErrBusy, ErrSessionClosed or what is wrong with the request.
func (c *Connection) RunPreparation(ctx context.Context, transferID string, begin proto.RuntimePrepare, body io.ReadSeeker) (proto.RuntimePrepareResult, error) {
	result, err := c.initialize(ctx, transferID, &begin, body)
	if err != nil {
		return proto.RuntimePrepareResult{}, err
	}
	return *result, nil
}

func (c *Connection) initialize(ctx context.Context, id string, begin *proto.RuntimePrepare, body io.ReadSeeker) (*proto.RuntimePrepareResult, error) {
	budget := time.Duration(min(begin.BudgetMS, int64(proto.MaxBudget/time.Millisecond))) * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, budget, ErrNoAnswer) // from now: measuring the body is part of it
	defer cancel()
	x, err := c.initializations.add(id, 0)
	if err != nil {
		return nil, fmt.Errorf("begin initialization: %w", err)
	}
	defer x.release()
	if body, err = begun(begin, body); err != nil {
		return nil, fmt.Errorf("begin initialization: %w", err)
	}
	if err := proto.New(id, begin).Validate(); err != nil {
		return nil, fmt.Errorf("begin initialization: %w", err)
	}
	var last *proto.RuntimePrepareResult
	t := transfer{c: c, x: x, kind: begin.Type(), limit: proto.MaxPrepareBegin, trace: newTrace(),
		payload: func(step string, offset int64, data []byte) proto.Payload {
			return initializationStep(begin, step, offset, data)
		}}
	t.judge = func(answer proto.Frame, step string, staged int64) (err error) {
		last, err = t.judgeInitialization(answer, begin, step, staged)
		return err
	}
	if err := t.run(ctx, body, begin.SizeBytes); err != nil {
		return nil, err
	}
	return last, nil
}

// begun completes a begin by what its body is. Actions without bytes have neither size nor digest (wire 3.8.2).
func begun(begin *proto.RuntimePrepare, body io.ReadSeeker) (io.ReadSeeker, error) {
	begin.Step, begin.SizeBytes, begin.SHA256 = proto.StepBegin, 0, ""
	bytesless := begin.Action == proto.ActionInitialize || begin.Action == proto.ActionFinalize
	switch {
	case bytesless && body != nil:
		return nil, fmt.Errorf("expected no body for the action %q, found one", begin.Action)
	case bytesless:
		return bytes.NewReader(nil), nil
	}
	size, digest, err := measure(body)
	begin.SizeBytes, begin.SHA256 = size, digest
	return body, err
}

func initializationStep(begin *proto.RuntimePrepare, step string, offset int64, data []byte) proto.Payload {
	switch step {
	case proto.StepBegin:
		return begin
	case proto.StepChunk:
		return &proto.RuntimePrepare{Step: step, Offset: offset, Data: data}
	default:
		return &proto.RuntimePrepare{Step: step}
	}
}

func (t *transfer) judgeInitialization(answer proto.Frame, begin *proto.RuntimePrepare, step string, staged int64) (*proto.RuntimePrepareResult, error) {
	result, err := payloadOf[*proto.RuntimePrepareResult](answer)
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
		return nil, &RefusedError{Operation: t.kind, ID: answer.ID, Code: result.ErrorCode}
	case proto.OutcomeFailed:
		return nil, &FailedError{Operation: t.kind, ID: answer.ID, Code: result.ErrorCode, ExitCode: result.ExitCode}
	default:
		return nil, t.unconfirmed(errReported(result.ErrorCode))
	}
}
