package environment

import (
	"context"
	"errors"
	"fmt"

	"parley/daemon/workspace"
)

// State is what is known of a step, as the wire spells it (wire 3.8.4).
type State string

// The four states.
const (
	Completed State = "completed"
	Rejected  State = "rejected" // nothing was applied
	Failed    State = "failed"   // confirmed; a command may have changed something before it failed
	Unknown   State = "unknown"  // it was interrupted, or its end was not seen
)

// Outcome is the end of one step. What it tells is settled: nothing of the step still runs, unless Err says so.
type Outcome struct {
	State    State
	ExitCode int    // 1 to 255 of a command, with Failed; 0 when there is none
	Tail     []byte // the last 64 KiB that a command wrote, without the values of variables
	Err      error  // why; nil exactly with Completed

	// LeftBehind are processes that still run: those of the step that could not be ended, which Err tells as well, and
	// those that may be of the step and were not touched for that.
	LeftBehind []int
}

var (
	// ErrRefused: what the step asks for is not accepted. Nothing was applied.
	ErrRefused = errors.New("step refused")
	// ErrFinalized: the Environment is frozen. Nothing was applied.
	ErrFinalized = errors.New("environment is finalized")
	// ErrNoProgram: a program that the step needs is not on the PATH. Nothing ran.
	ErrNoProgram = errors.New("program not found")
	// ErrInterrupted: the context ended while a command ran; it was stopped.
	ErrInterrupted = errors.New("command interrupted")
	// ErrStillRunning: processes of the command could not be stopped.
	ErrStillRunning = errors.New("processes still run")
)

// outcomeOf judges the error of a step that ran no command.
func outcomeOf(err error) Outcome {
	if err == nil {
		return Outcome{State: Completed}
	}
	return Outcome{State: stateOf(err), Err: err}
}

func stateOf(err error) State {
	for _, row := range []struct {
		sentinel error
		state    State
	}{
		{workspace.ErrUnconfirmed, Unknown},
		{errNotBegun, Rejected}, // stands before the context's errors, which it carries
		{context.Canceled, Unknown},
		{context.DeadlineExceeded, Unknown},
		{ErrRefused, Rejected},
		{ErrFinalized, Rejected},
		{workspace.ErrPath, Rejected},
		{workspace.ErrUnsafe, Rejected},
		{workspace.ErrDirectory, Rejected},
		{workspace.ErrNotDirectory, Rejected},
	} {
		if errors.Is(err, row.sentinel) {
			return row.state
		}
	}
	return Failed
}

// errNotBegun: the context had ended before the step began (wire 3.8.5: expiry before application rejects).
var errNotBegun = errors.New("step not begun")

// admit lets a step begin.
func (e *Environment) admit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", errNotBegun, err)
	}
	if e.capabilities != nil {
		return fmt.Errorf("%w; no step can follow", ErrFinalized)
	}
	return nil
}
