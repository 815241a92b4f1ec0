package store

import (
	"context"
	"fmt"
	"time"
)

// CodeInterrupted fails a Turn that was found running at a start (behaviour 8.5).
const CodeInterrupted = "execution_interrupted"

// Report is what a start found unfinished and how it left it.
type Report struct {
	Turns        []Turn        // that were running and are failed now
	Environments []Environment // that were connected or initializing
	Calls        int           // that were open and are withdrawn now
	Writes       int           // that were pending and are unknown now
}

const (
	selectRunning = "SELECT " + turnColumns + " FROM " + turnTables + " WHERE t.status IN ('in_progress', 'waiting') ORDER BY t.place"
	selectOpen    = "SELECT count(*) FROM call WHERE turn = ? AND state = 'open'"
	// The states of an Environment that cannot outlive the process which knew them.
	selectUnsettled = "SELECT " + environmentColumns + " FROM " + environmentTables + " WHERE e.init = 'running' OR e.state = 'connected' ORDER BY e.place"
	forgetWrites    = "UPDATE write_intent SET state = 'unknown', settled_at_ms = ? WHERE state = 'pending'"
)

// Reconcile settles what an earlier process left running, in one write; the lab calls it once, before anything may
// connect (behaviour 8.5). Running Turns fail, their open calls are withdrawn, queued ones stay; a running initialization
// fails; an Environment that was connected is disconnected; a pending write is unknown and goes on blocking. Nothing is
// sent to repair anything. Doing it again finds nothing.
func (s *Store) Reconcile(ctx context.Context, at time.Time, turns Describe[Turn], environments Describe[Environment]) (Report, error) {
	var report Report
	err := s.together(ctx, func(w *work) (err error) {
		report = Report{}
		if err := w.interruptTurns(&report, at, turns); err != nil {
			return err
		}
		if err := w.interruptEnvironments(&report, environments); err != nil {
			return err
		}
		result, err := w.exec(forgetWrites, at.UnixMilli())
		if err != nil {
			return err
		}
		writes, err := result.RowsAffected()
		report.Writes = int(writes)
		return err
	})
	if err != nil {
		return Report{}, fmt.Errorf("settle what an earlier start left: %w", err)
	}
	return report, nil
}

func (w *work) interruptTurns(report *Report, at time.Time, describe Describe[Turn]) error {
	running, err := allOf(w, scanTurn, selectRunning)
	if err != nil {
		return err
	}
	end := Settlement{Status: TurnFailed, ErrorCode: CodeInterrupted, Outcome: withErrorCode(nil, CodeInterrupted), At: at}
	for _, t := range running {
		open, err := oneOf(w.row(selectOpen, t.place), scanOne[int])
		if err != nil {
			return err
		}
		if err := w.settle(&t, end, describe); err != nil {
			return err
		}
		report.Turns = append(report.Turns, t.Turn)
		report.Calls += open
	}
	return nil
}

func (w *work) interruptEnvironments(report *Report, describe Describe[Environment]) error {
	unsettled, err := allOf(w, scanEnvironment, selectUnsettled)
	if err != nil {
		return err
	}
	for _, e := range unsettled {
		change := func(e *Environment) error { e.State = EnvironmentDisconnected; return nil }
		if e.Init == InitRunning {
			change = failEnvironment(CodePreparationFailed)
		}
		if err := w.reviseEnvironment(&e, describe, change); err != nil {
			return err
		}
		report.Environments = append(report.Environments, e.Environment)
	}
	return nil
}
