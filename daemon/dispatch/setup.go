package dispatch

import (
	"context"
	"errors"
	"time"

	"parley/daemon/environment"
	"parley/daemon/proto"
)

// runtimePrepare takes one frame of an initialization (wire 3.8.5, behaviour 7.1). A malformed step of the one under way
// ends it with one final rejection, as long as its commit has not come.
func (r *Router) runtimePrepare(frame proto.Frame) error {
	received := time.Now()
	if !proto.CanonicalUUID(frame.ID) {
		return unanswerable(frame, errors.New("its id is no canonical UUID"))
	}
	request, err := wellFormed[*proto.RuntimePrepare](frame)
	t := r.underway(exclusiveSetup, frame.ID)
	switch {
	case t != nil && request != nil && request.Step == proto.StepBegin:
		return unanswerable(frame, errors.New("this initialization has begun"))
	case t != nil && err == nil:
		err = r.hand(t, step{commit: request.Step == proto.StepCommit, offset: request.Offset, data: request.Data})
	case t == nil && request != nil && (request.Step == proto.StepChunk || request.Step == proto.StepCommit):
		return unanswerable(frame, errors.New("no initialization with this id is under way"))
	case t == nil && err != nil:
		r.receipt(proto.New(frame.ID, setupRejected(proto.CodeInvalidRequest)))
		return nil
	case t == nil:
		r.beginSetup(frame.ID, request, received)
		return nil
	}
	if err != nil && !r.breakOff(t) {
		return unanswerable(frame, err)
	}
	return nil
}

func (r *Router) beginSetup(id string, begin *proto.RuntimePrepare, received time.Time) {
	until := received.Add(time.Duration(begin.BudgetMS) * time.Millisecond)
	t, code := r.openSetup(id, begin, received, until)
	if t == nil {
		r.receipt(proto.New(id, setupRejected(code)))
		return
	}
	r.operate(func() { r.setUp(t, begin, until) })
}

func (r *Router) openSetup(id string, begin *proto.RuntimePrepare, received, until time.Time) (*transfer, string) {
	switch {
	case r.config.Binding == nil || r.config.Setup == nil, begin.Action == proto.ActionFile && r.config.Files == nil:
		return nil, proto.CodePreparationUnsupported
	case !r.config.Binding.names(begin.EnvironmentID, begin.SessionID), r.hasOwners():
		return nil, proto.CodeResourceUnavailable
	}
	staged := received.Add(proto.StagingTimeout)
	if until.Before(staged) {
		staged = until
	}
	return r.open(exclusiveSetup, id, proto.CodePreparationCapacityRuntime, staged)
}

// hasOwners reports any Executor: an initialization, unlike a write, does not tolerate an idle one (behaviour 7.1).
func (r *Router) hasOwners() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.owners) > 0
}

// setUp works at one initialization and tells its end after it was closed (behaviour 7.1).
func (r *Router) setUp(t *transfer, begin *proto.RuntimePrepare, until time.Time) {
	begun := time.Now()
	outcome := r.initialize(t, begin, until)
	result := setupResult(begin.SizeBytes, outcome)
	logSetup(r.config.Log, begin, result, outcome, time.Since(begun))
	r.closeTransfer(t, result.Outcome == proto.OutcomeUnknown)
	if !errors.Is(outcome.Err, errUndelivered) {
		r.conclude(t, result)
	}
}

// initialize collects the bytes and applies them under what is left of the budget. It returns when nothing of it goes on
// any more, which may be long after the budget.
func (r *Router) initialize(t *transfer, begin *proto.RuntimePrepare, until time.Time) environment.Outcome {
	plan, err := r.plan(t.ctx, begin)
	if err != nil {
		return rejection(err)
	}
	defer plan.body.Discard()
	err = r.stage(t, plan.body, func(outcome string, offset int64) proto.Payload {
		return &proto.RuntimePrepareResult{Outcome: outcome, Offset: offset}
	})
	if err != nil {
		return rejection(err)
	}
	ctx, cancel := context.WithDeadline(r.life, until)
	defer cancel()
	if ctx.Err() != nil {
		return rejection(errStepsOver)
	}
	return plan.apply(ctx)
}

func rejection(err error) environment.Outcome {
	return environment.Outcome{State: environment.Rejected, Err: err}
}

// setupResult is the final answer to an initialization (wire 3.8.4). A failure with a code that no command has is unknown.
func setupResult(size int64, outcome environment.Outcome) *proto.RuntimePrepareResult {
	switch outcome.State {
	case environment.Completed:
		return &proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted, SizeBytes: size}
	case environment.Rejected:
		if misused(outcome.Err) {
			return setupRejected(proto.CodeInvalidRequest)
		}
		return setupRejected(proto.CodePreparationRejected)
	case environment.Failed:
		if outcome.ExitCode >= 0 && outcome.ExitCode <= proto.MaxExitCode {
			return &proto.RuntimePrepareResult{Outcome: proto.OutcomeFailed, ExitCode: outcome.ExitCode,
				ErrorCode: proto.CodePreparationFailedRuntime}
		}
	case environment.Unknown:
	}
	return &proto.RuntimePrepareResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodePreparationUnconfirmed}
}

func setupRejected(code string) *proto.RuntimePrepareResult {
	return &proto.RuntimePrepareResult{Outcome: proto.OutcomeRejected, ErrorCode: code}
}
