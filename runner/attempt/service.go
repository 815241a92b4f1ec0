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
}

// New checks the options.
func New(o Options) (*Service, error) {
	if o.Factories == nil || o.Now == nil || o.Log == nil {
		return nil, errors.New("make runner service: factories, clock and log are required")
	}
	return &Service{factories: o.Factories, now: o.Now, log: o.Log}, nil
}

// Ended is a run that is over.
type Ended struct {
	Terminal runner.Terminal // what the contract shows
	Receipt  runner.Receipt  // the same attempt with its full result; never leaves over the contract's own doors
	Denied   bool            // the policy refused it
}

// Negotiate answers a request document (runner 1.2).
func (s *Service) Negotiate(data []byte) runner.Negotiation { return admission.Negotiate(data) }

// Validate answers a complete request document; it starts nothing (runner 1.2).
func (s *Service) Validate(data []byte) runner.Receipt { return admission.Validate(data) }

// Inspect reads a draft for an editor.
func (s *Service) Inspect(data []byte) admission.Inspection { return admission.Inspect(data) }

// Run executes the unit that the request names. It returns when the attempt and its shutdown are over.
func (s *Service) Run(ctx context.Context, data []byte, policy Policy) Ended {
	unit, refusal := admission.Admit(data, policy)
	if refusal != nil {
		return Ended{Terminal: refusal.Terminal(), Receipt: refusal.Receipt(), Denied: refusal.Denied}
	}
	run := &run{service: s, unit: unit, task: taskOf(unit)}
	run.execute(ctx)
	return Ended{Terminal: run.terminal(), Receipt: run.receipt()}
}

func taskOf(u *admission.Unit) engine.Task {
	return engine.Task{
		Prompt: u.Captured.Prompt, Name: u.Captured.TaskName, Description: u.Captured.Description, Model: u.Captured.Model,
		Trial: u.Request.Selection.Trial, Attempt: u.Request.Selection.Attempt,
	}
}
