package store

import (
	"context"
	"fmt"
	"time"
)

// CodePreparationFailed is the error code of an Environment whose initialization did not come to its end (behaviour 8.3).
const CodePreparationFailed = "runtime_preparation_failed"

// ClaimInitialization takes the initialization of an Environment, which happens once: it is never played again. Errors:
// ErrNotFound; ErrChanged where somebody has claimed it.
func (s *Store) ClaimInitialization(ctx context.Context, id string, describe Describe[Environment]) (Environment, error) {
	return s.changeEnvironment(ctx, "initialize", id, describe, func(e *Environment) error {
		if e.Init != InitPending {
			return fmt.Errorf("%w: the initialization is %s", ErrChanged, e.Init)
		}
		e.Init = InitRunning
		return nil
	})
}

// FinishInitialization notes that an initialization is complete. Errors: ErrNotFound; ErrChanged where it is not running.
func (s *Store) FinishInitialization(ctx context.Context, id string, at time.Time, describe Describe[Environment]) (Environment, error) {
	return s.changeEnvironment(ctx, "finish initialization of", id, describe, func(e *Environment) error {
		if e.Init != InitRunning {
			return fmt.Errorf("%w: the initialization is %s", ErrChanged, e.Init)
		}
		e.Init, e.Initialized = InitComplete, kept(at)
		return nil
	})
}

// FailInitialization ends an initialization, begun or not, and with it the Environment. Errors: ErrNotFound; ErrChanged
// where it has ended.
func (s *Store) FailInitialization(ctx context.Context, id, code string, describe Describe[Environment]) (Environment, error) {
	return s.changeEnvironment(ctx, "fail initialization of", id, describe, func(e *Environment) error {
		if e.Init != InitPending && e.Init != InitRunning {
			return fmt.Errorf("%w: the initialization is %s", ErrChanged, e.Init)
		}
		return failEnvironment(code)(e)
	})
}

func failEnvironment(code string) func(*Environment) error {
	return func(e *Environment) error {
		e.State, e.Init, e.ErrorCode = EnvironmentFailed, InitFailed, code
		return nil
	}
}
