package attempt

import (
	"context"
	"errors"
	"time"

	"parley/runner"
	"parley/runner/admission"
	"parley/runner/engine"
	"parley/runner/grading"
)

// errDeadline is the cause of a context that one of the unit's own deadlines ended.
var errDeadline = errors.New("deadline of the unit reached")

// run is one attempt on its way. It belongs to one goroutine.
type run struct {
	service *Service
	unit    *admission.Unit
	task    engine.Task

	calls    int
	started  time.Time
	elapsed  time.Duration
	answer   engine.Answer
	results  []runner.GradeResult
	status   string // passed, failed or error once the engine was called
	stopped  *stop  // why the attempt did not end by itself
	shutdown *runner.Diagnostic
}

// stop is the first thing that ended an attempt early. What came first stays (runner 2.8).
type stop struct {
	outcome    runner.Outcome
	boundary   runner.Boundary
	diagnostic runner.Diagnostic
}

// execute starts one engine, calls it once and shuts it down.
func (r *run) execute(ctx context.Context) {
	r.started = r.service.now()
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(r.unit.Request.TimeoutMS)*time.Millisecond, errDeadline)
	defer cancel()
	e, ok := r.make()
	if !ok {
		r.stop(runner.InfrastructureFailure, runner.BoundaryStartup, runner.Diagnose(runner.CodeEngineMismatch, ""))
		return
	}
	defer r.shutDown(ctx, e)
	if err := e.Initialize(ctx); err != nil {
		r.fail(ctx, runner.BoundaryStartup, runner.CodeEngineStartFailed, err)
		return
	}
	r.call(ctx, e)
}

// make gives an engine of the profile's own kind. Anything else is refused before any call of it (runner 2.8).
func (r *run) make() (engine.Engine, bool) {
	factory, ok := r.service.factories[r.unit.Profile.Capability]
	if !ok {
		return nil, false
	}
	e := factory.New()
	return e, e != nil && factory.Accepts(e)
}

// call executes and grades. The task's deadline, or the eval's where the task has none, bounds it.
func (r *run) call(ctx context.Context, e engine.Engine) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.unit.Captured.TaskTimeout, errDeadline)
	defer cancel()
	if ctx.Err() != nil {
		r.fail(ctx, runner.BoundaryExecution, runner.CodeExecutionFailed, context.Cause(ctx))
		return
	}
	r.calls = 1
	err := r.answerAndGrade(ctx, e)
	r.elapsed = r.service.now().Sub(r.started)
	if err != nil {
		r.status = runner.StatusError
		r.fail(ctx, runner.BoundaryExecution, runner.CodeExecutionFailed, err)
	}
}

// answerAndGrade may spend long on both: authored patterns meet answers of any size, so grading ends with the context
// too.
func (r *run) answerAndGrade(ctx context.Context, e engine.Engine) (err error) {
	if r.answer, err = e.Execute(ctx, r.task); err != nil {
		return err
	}
	if r.results, err = r.unit.Captured.Checks.GradeContext(ctx, r.answer.Output); err != nil {
		return err
	}
	r.status = grading.Status(r.results)
	return nil
}

// shutDown has its own time, also after a cancel or a deadline (runner 1.4, step 11).
func (r *run) shutDown(ctx context.Context, e engine.Engine) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runner.ShutdownBudget)
	defer cancel()
	err := e.Shutdown(ctx)
	if err == nil {
		return
	}
	r.service.log.Warn("engine shutdown", "error", err)
	d := runner.Diagnose(codeOf(err, runner.CodeShutdownFailed), "")
	r.shutdown = &d
}

// fail records why the attempt stopped: a cancel or a deadline if one came first, else the engine's own fault.
func (r *run) fail(ctx context.Context, at runner.Boundary, code runner.Code, err error) {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		r.service.log.Warn("engine", "step", string(at), "error", err)
		r.stop(runner.InfrastructureFailure, at, runner.Diagnose(codeOf(err, code), ""))
	case errors.Is(cause, errDeadline), errors.Is(cause, context.DeadlineExceeded):
		r.stop(runner.Timeout, at, runner.Diagnose(runner.CodeExecutionTimeout, ""))
	default:
		r.stop(runner.Cancelled, at, runner.Diagnose(runner.CodeExecutionCancelled, ""))
	}
}

func (r *run) stop(outcome runner.Outcome, at runner.Boundary, d runner.Diagnostic) {
	r.stopped = &stop{outcome: outcome, boundary: at, diagnostic: d}
}

func codeOf(err error, otherwise runner.Code) runner.Code {
	if fault, ok := errors.AsType[*engine.Fault](err); ok {
		return fault.Code
	}
	return otherwise
}
