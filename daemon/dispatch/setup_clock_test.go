package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/environment"
	"parley/daemon/proto"
)

// behaviour 7.1: two minutes from begin to commit, or the budget if it is less; nothing is applied.
func TestSetupStagingTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		budget time.Duration
		limit  time.Duration
	}{
		"staging": {10 * time.Minute, proto.StagingTimeout},
		"budget":  {time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				setup := &fakeSetup{}
				d := newDesk(t, withSetup(setup))
				begun := time.Now()
				begin := setupCommand("make")
				begin.BudgetMS = c.budget.Milliseconds()
				d.accepts(transferA, begin)
				d.prepared(transferA, setupReady())
				d.prepared(transferA, setupRefusal(proto.CodeInvalidRequest))
				if waited := time.Since(begun); waited != c.limit {
					t.Errorf("got the rejection after %s, want %s", waited, c.limit)
				}
				d.dropped(transferA, setupCommit())
				d.shutdown()
				if len(setup.applied) > 0 {
					t.Errorf("got %v applied, want nothing", setup.applied)
				}
			})
		})
	}
}

// behaviour 7.1: the application has what is left of the budget, counted from begin, and not the staging limit. Its end is
// told only when it has really returned, and as completed if it was.
func TestSetupBudgetDuringApplication(t *testing.T) {
	t.Parallel()
	const staging, late = 100 * time.Second, 90 * time.Second
	unknown := proto.RuntimePrepareResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodePreparationUnconfirmed}
	for name, c := range map[string]struct {
		state environment.State
		want  proto.RuntimePrepareResult
	}{
		"interrupted": {environment.Unknown, unknown},
		"completed":   {environment.Completed, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var cancelled time.Duration
				d := newDesk(t, withSetup(&fakeSetup{run: func(ctx context.Context) environment.Outcome {
					<-ctx.Done()
					cancelled = time.Since(begun)
					<-time.After(late) // stopping what runs takes its time
					outcome := environment.Outcome{State: c.state}
					if c.state != environment.Completed {
						outcome.Err = ctx.Err()
					}
					return outcome
				}}))
				d.accepts(transferA, setupCommand("make"))
				d.prepared(transferA, setupReady())
				<-time.After(staging)
				d.accepts(transferA, setupCommit())
				<-time.After(proto.StagingTimeout - staging)
				// A step during the application is an error of the handler alone.
				d.dropped(transferA, setupCommit())
				d.dropped(transferA, &proto.RuntimePrepare{Step: proto.StepChunk})
				<-time.After(budget*time.Millisecond - proto.StagingTimeout)
				d.prepared(transferA, c.want)
				if cancelled != budget*time.Millisecond {
					t.Errorf("got the end of the budget after %s, want %d ms", cancelled, budget)
				}
				if waited := time.Since(begun); waited != budget*time.Millisecond+late {
					t.Errorf("got the answer after %s, want it when the application had ended", waited)
				}
			})
		})
	}
}

// behaviour 5.10, 7.1: shutdown cancels the application and waits for it.
func TestSetupEndsWithTheRouter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := false
		d := newDesk(t, withSetup(&fakeSetup{run: func(ctx context.Context) environment.Outcome {
			<-ctx.Done()
			<-time.After(10 * time.Second)
			ended = true
			return environment.Outcome{State: environment.Unknown, Err: ctx.Err()}
		}}))
		d.runs(transferA, setupCommand("make"))
		synctest.Wait()
		d.shutdown()
		if !ended {
			t.Error("got a shutdown before the application had ended")
		}
	})
}
