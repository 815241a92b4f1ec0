package attempt_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/runner"
	"parley/runner/attempt"
	"parley/runner/cases"
)

// large is a request of about 1 MiB.
func large() string {
	return strings.Replace(cases.M0, `name: Tidal log`, `name: `+strings.Repeat("x", 1<<20), 1)
}

// hostile-inputs 2: large requests are read one by one, and each one is answered.
func TestLargeRequestsAreReadOneByOne(t *testing.T) {
	t.Parallel()
	s := service(t, attempt.Factories())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := s.Validate(t.Context(), []byte(large())); got.Status != runner.UnitReady {
				t.Errorf("got %v, want ready", got.Diagnostics)
			}
		})
	}
	all.Wait()
}

// hostile-inputs 2: a running engine holds no place, and a caller that goes away while it waits is told that its input
// was cancelled.
func TestWaitingForATurnEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{execute: answerUntil}
		s := service(t, f.factory())
		running, stopRunning := context.WithCancel(t.Context())
		done := make(chan attempt.Ended)
		go func() { done <- s.Run(running, []byte(large()), nil) }()
		synctest.Wait() // the engine is executing
		if got := s.Validate(t.Context(), []byte(large())); got.Status != runner.UnitReady {
			t.Errorf("beside a run: got %v, want ready", got.Diagnostics)
		}
		stopRunning()
		<-done

		release := s.Hold()
		waiting, stopWaiting := context.WithTimeout(t.Context(), time.Second)
		defer stopWaiting()
		terminal := run(waiting, t, s, large()).Terminal
		if terminal.Outcome != runner.Cancelled || terminal.FailureBoundary != runner.BoundaryInput || codesOf(terminal.Diagnostics) != "input_cancelled" {
			t.Errorf("run: got %+v, want cancelled at the input", terminal)
		}
		if got := s.Negotiate(waiting, []byte(large())); got.Status != runner.RequestInvalid || got.Diagnostics[0].Code != runner.CodeInputCancelled {
			t.Errorf("negotiate: got %+v", got)
		}
		if got := s.Validate(waiting, []byte(large())); got.Status != runner.UnitRejected || got.Validation != runner.NotChecked {
			t.Errorf("validate: got %+v", got)
		}
		if got := s.Inspect(waiting, []byte(large())); got.Shape != "unknown" || got.Findings == nil {
			t.Errorf("inspect: got %+v", got)
		}
		if got := s.Validate(t.Context(), []byte(cases.M0)); got.Status != runner.UnitReady {
			t.Errorf("small beside a held large one: got %v, want ready", got.Diagnostics)
		}
		release()
		if got := s.Validate(t.Context(), []byte(large())); got.Status != runner.UnitReady {
			t.Errorf("after release: got %v, want ready", got.Diagnostics)
		}
	})
}
