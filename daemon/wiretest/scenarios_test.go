package wiretest_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/daemon/wiretest"
)

func scenarios(t *testing.T) []wiretest.Scenario {
	t.Helper()
	all, err := wiretest.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sides() []wiretest.Role { return []wiretest.Role{wiretest.Core, wiretest.Runtime} }

func told(result wiretest.Result) string {
	var b bytes.Buffer
	if err := result.Print(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// Every scenario passes between a judge and a scripted peer of each side that it tests. // behaviour 10
func TestScenariosPassWithScriptedPeers(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	limit := make(chan struct{}, 24)
	for _, s := range scenarios(t) {
		for _, side := range sides() {
			if !s.TestsSide(side) || s.Slow {
				continue
			}
			group.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				result, err := wiretest.Scripted(t.Context(), s, s, side, 20*time.Second)
				if err != nil || result.Verdict != wiretest.Passed {
					t.Errorf("%s as %s: got %v\n%s", s.Name, side, err, told(result))
				}
			})
		}
	}
	group.Wait()
}

// A peer that changes, leaves out or adds one frame is caught at that frame.
func TestWrongPeersAreCaughtAtTheStep(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	limit := make(chan struct{}, 96)
	for _, s := range scenarios(t) {
		for _, side := range sides() {
			if !s.TestsSide(side) || s.Slow {
				continue
			}
			for _, fault := range wiretest.FaultsOf(s, side) {
				group.Go(func() {
					limit <- struct{}{}
					defer func() { <-limit }()
					result, err := wiretest.Scripted(t.Context(), s, fault.Wrong, side, 2*time.Second)
					if err != nil || result.Failure == nil || !pointsAt(s, fault, result.Failure.Step) {
						// A busy machine may not be as quick as most faults are: once more, with all patience.
						result, err = wiretest.Scripted(t.Context(), s, fault.Wrong, side, 20*time.Second)
					}
					what := fmt.Sprintf("%s as %s, frame of step %d %s", s.Name, side, fault.Step, fault.Name)
					if err != nil || result.Verdict != wiretest.Failed {
						t.Errorf("%s: got %v\n%s, want it failed", what, err, told(result))
						return
					}
					if !pointsAt(s, fault, result.Failure.Step) {
						t.Errorf("%s: got\n%s, want step %d", what, told(result), fault.Step)
					}
				})
			}
		}
	}
	group.Wait()
}

// pointsAt allows the steps just before a fault that watch for what does not belong there, or may take it for theirs.
func pointsAt(s wiretest.Scenario, fault wiretest.Fault, step int) bool {
	if step == fault.Step {
		return true
	}
	for i := fault.Step - 1; i >= 1; i-- {
		before := s.Steps[i-1]
		watches := before.Kind == wiretest.StepSilent || before.Kind == wiretest.StepSettle || before.Kind == wiretest.StepObserve
		if !watches && !before.Optional && !before.Repeat && before.Kind != wiretest.StepUnordered {
			return false
		}
		if i == step {
			return true
		}
	}
	return false
}
