// Package engine is the contract between one attempt and the thing that answers it. An engine is made for exactly one
// attempt and is used by one goroutine: Initialize once, Execute at most once, Shutdown once, also after a failure of
// the other two. Each call returns when its context ends.
//
// Implementations live in the packages below; the service in runner/attempt is the only caller. An engine never grades,
// never retries and never decides an outcome.
package engine

import (
	"context"

	"parley/runner"
)

// Task is the work of one call: text only. No file, tool or environment comes with it.
type Task struct {
	Prompt      string // may be empty
	Name        string
	Description string
	Model       string
	Trial       int
	Attempt     int
}

// Answer is what an engine gave.
type Answer struct {
	Output    string
	SessionID string // the engine's own name for the call, "" if it has none
}

// Engine answers one task.
type Engine interface {
	Initialize(ctx context.Context) error
	Execute(ctx context.Context, task Task) (Answer, error)
	Shutdown(ctx context.Context) error
}

// Fault is an engine's error with the code that the contract has for it. The cause is for logs alone: documents carry
// the code's own words and never provider text, session ids or host paths (runner 2.9).
type Fault struct {
	Code  runner.Code
	Cause error
}

func (f *Fault) Error() string { return "engine: " + string(f.Code) + ": " + f.Cause.Error() }

func (f *Fault) Unwrap() error { return f.Cause }
