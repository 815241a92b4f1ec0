// Package attempt executes exactly one admitted unit: one fresh engine, one call, grading, shutdown, one terminal
// (runner 1.4, steps 9 to 12). It never retries, never caches, never runs anything adjacent, and opens no path that a
// request names. The same request twice is two executions.
//
// A Service is safe for many goroutines; each Run belongs to the goroutine that calls it and returns only after its
// engine was shut down. Ending the context cancels the run. The command line and the HTTP server are the callers.
package attempt

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/runner"
	"parley/runner/admission"
	"parley/runner/engine"
	"parley/runner/engine/mock"
)

// Policy is admission's: asked before a paid profile is negotiated.
type Policy = admission.Policy

// Factory makes and recognises the engines of one profile.
type Factory struct {
	New     func() engine.Engine
	Accepts func(engine.Engine) bool // the concrete kind; a nil or a wrapper is none (runner 2.8)
}

// Factories gives the engines of this program by profile capability.
func Factories() map[string]Factory {
	return map[string]Factory{
		runner.CapMockText: {
			New: func() engine.Engine { return mock.New() },
			Accepts: func(e engine.Engine) bool {
				m, ok := e.(*mock.Engine)
				return ok && m != nil
			},
		},
	}
}

// Options are what a Service needs. All are required.
type Options struct {
	Factories map[string]Factory
	Now       func() time.Time // for durations only
	Log       *slog.Logger     // engine causes, which documents do not carry
}

// Service runs units.
type Service struct {
	factories map[string]Factory
	now       func() time.Time
	log       *slog.Logger
	turns     turns
}

// New checks the options.
func New(o Options) (*Service, error) {
	if o.Factories == nil || o.Now == nil || o.Log == nil {
		return nil, errors.New("make runner service: factories, clock and log are required")
	}
	return &Service{factories: o.Factories, now: o.Now, log: o.Log, turns: newTurns()}, nil
}

// Ended is a run that is over.
type Ended struct {
	Terminal runner.Terminal // what the contract shows
	Receipt  runner.Receipt  // the same attempt with its full result; never leaves over the contract's own doors
	Denied   bool            // the policy refused it
}

// Negotiate answers a request document (runner 1.2). Like the other three it waits its turn to read the request, and
// says that reading was cancelled when ctx ends first.
func (s *Service) Negotiate(ctx context.Context, data []byte) runner.Negotiation {
	leave, ok := s.turns.take(ctx, len(data))
	if !ok {
		return runner.RejectUnread(runner.CodeInputCancelled, "")
	}
	defer leave()
	return admission.Negotiate(data)
}

// Validate answers a complete request document; it starts nothing (runner 1.2).
func (s *Service) Validate(ctx context.Context, data []byte) runner.Receipt {
	leave, ok := s.turns.take(ctx, len(data))
	if !ok {
		return runner.RejectUnit(runner.RejectUnread(runner.CodeInputCancelled, ""))
	}
	defer leave()
	return admission.Validate(data)
}

// Inspect reads a draft for an editor. A draft whose turn never came is one of unknown shape.
func (s *Service) Inspect(ctx context.Context, data []byte) admission.Inspection {
	leave, ok := s.turns.take(ctx, len(data))
	if !ok {
		return admission.Inspection{Shape: admission.ShapeUnknown, Findings: []runner.Finding{}, Bytes: len(data)}
	}
	defer leave()
	return admission.Inspect(data)
}

// Run executes the unit that the request names. It returns when the attempt and its shutdown are over.
func (s *Service) Run(ctx context.Context, data []byte, policy Policy) Ended {
	unit, ended := s.admit(ctx, data, policy)
	if unit == nil {
		return ended
	}
	run := &run{service: s, unit: unit, task: taskOf(unit)}
	run.execute(ctx)
	return Ended{Terminal: run.terminal(), Receipt: run.receipt()}
}

// admit gives the unit, or how the run ended without one.
func (s *Service) admit(ctx context.Context, data []byte, policy Policy) (*admission.Unit, Ended) {
	leave, ok := s.turns.take(ctx, len(data))
	if !ok {
		cancelled := runner.Diagnose(runner.CodeInputCancelled, "")
		return nil, Ended{
			Terminal: runner.Refuse(runner.Cancelled, runner.BoundaryInput, runner.NotChecked, cancelled),
			Receipt:  runner.RejectUnit(runner.RejectUnread(cancelled.Code, cancelled.Message)),
		}
	}
	defer leave()
	unit, refusal := admission.Admit(data, policy)
	if refusal != nil {
		return nil, Ended{Terminal: refusal.Terminal(), Receipt: refusal.Receipt(), Denied: refusal.Denied}
	}
	return unit, Ended{}
}

func taskOf(u *admission.Unit) engine.Task {
	return engine.Task{
		Prompt: u.Captured.Prompt, Name: u.Captured.TaskName, Description: u.Captured.Description, Model: u.Captured.Model,
		Trial: u.Request.Selection.Trial, Attempt: u.Request.Selection.Attempt,
	}
}
