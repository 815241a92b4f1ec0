package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Limit is the time that a check may take in all (behaviour 9.4).
const Limit = 10 * time.Second

// Fixture is what the suite has to know of an adapter.
type Fixture struct {
	// Declared is the adapter's declaration. What it declares unsupported must have no native effect.
	Declared proto.Capabilities
	// Open makes an Executor for a Session that no other check uses.
	Open func(ctx context.Context) (harness.Executor, error)
	// Completing is input whose Turn ends by itself; Running is input whose Turn goes on until it is cancelled, and
	// consumes Steering once Ready has been true for a frame of it.
	Completing, Running, Steering proto.MessageInput
	Ready                         func(proto.Frame) bool
	// Owner names what owns the native Session, such as a process; it must stay the same between Turns.
	Owner func(harness.Executor) string
}

// Text runs the shared text life of an adapter (behaviour 9.4).
func Text(t *testing.T, fixture Fixture) {
	t.Helper()
	if err := CheckText(t.Context(), fixture); err != nil {
		t.Fatal(err)
	}
}

// Contract runs every rule as a test of its own.
func Contract(t *testing.T, fixture Fixture) {
	t.Helper()
	for _, rule := range Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			if err := rule.Run(t.Context(), fixture); err != nil {
				t.Errorf("%s: %v", rule.Section, err)
			}
		})
	}
}

// with opens an Executor for a check and closes it afterwards. It gives what the check found, and what the close did.
func with(ctx context.Context, fixture Fixture, check func(context.Context, harness.Executor) error) error {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	executor, err := fixture.Open(ctx)
	if err != nil {
		return fmt.Errorf("open executor: %w", err)
	}
	found := check(ctx, executor)
	if err := executor.Close(ctx); err != nil {
		return errors.Join(found, fmt.Errorf("close executor: %w", err))
	}
	return found
}
