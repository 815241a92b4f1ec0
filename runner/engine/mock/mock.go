// Package mock is the offline engine of the inline.mock-text profile (runner 5.1). Its answer is a function of the task
// alone: no model, clock or random value enters it, and nothing is charged. It holds one private empty folder from
// Initialize to Shutdown, as every engine of the contract does, and never puts anything there.
package mock

import (
	"context"
	"os"
	"strings"

	"parley/runner"
	"parley/runner/engine"
)

// sessionID names the only session of a fresh engine (runner 5.2).
const sessionID = "mock-session-1"

// Engine is the mock engine. Use New.
type Engine struct {
	workspace string
}

var _ engine.Engine = (*Engine)(nil)

// New makes a fresh engine for one attempt.
func New() *Engine { return &Engine{} }

// Initialize makes the private workspace.
func (e *Engine) Initialize(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-unit-")
	if err != nil {
		return &engine.Fault{Code: runner.CodeEngineStartFailed, Cause: err}
	}
	e.workspace = dir
	return nil
}

// Execute gives the mock answer. An ended context is noticed before any work.
func (e *Engine) Execute(ctx context.Context, task engine.Task) (engine.Answer, error) {
	if err := ctx.Err(); err != nil {
		return engine.Answer{}, err
	}
	return engine.Answer{Output: Output(task), SessionID: sessionID}, nil
}

// Shutdown removes the workspace.
func (e *Engine) Shutdown(context.Context) error {
	if e.workspace == "" {
		return nil
	}
	if err := os.RemoveAll(e.workspace); err != nil {
		return &engine.Fault{Code: runner.CodeCleanupFailed, Cause: err}
	}
	e.workspace = ""
	return nil
}

// Output is the text the mock engine answers with (runner 5.1).
func Output(task engine.Task) string {
	lines := []string{"Mock response for: " + task.Prompt}
	if task.Name != "" {
		lines = append(lines, "Task: "+task.Name)
	}
	if task.Description != "" {
		lines = append(lines, "Description: "+task.Description)
	}
	return strings.Join(lines, "\n")
}
