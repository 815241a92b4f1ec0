package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"parley/backend/store"
)

// behaviour 8.5, Restart: what a start finds unfinished it settles, and a second start finds nothing.
func TestStartSettlesWhatWasLeft(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	turns := map[store.TurnStatus]store.Turn{}
	for _, status := range statuses() {
		turns[status] = made(t, s, status)
	}
	initializing, connected, fresh := anEnvironment(t, s, ""), anEnvironment(t, s, ""), anEnvironment(t, s, "")
	intent, err := s.ReserveWrite(t.Context(), aWrite(connected.ID))
	for _, err := range []error{err, second(s.ClaimInitialization(t.Context(), initializing.ID, nil)),
		second(s.SetEnvironmentState(t.Context(), connected.ID, store.EnvironmentConnected, nil)), s.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, path)
	defer s.Close()
	report, err := s.Reconcile(t.Context(), moment(), func(turn store.Turn) store.Journal {
		return store.Journal{Events: []store.Event{event(turn.ID, "failed")}}
	}, func(e store.Environment) store.Journal {
		return store.Journal{Events: []store.Event{event("", string(e.State))}}
	})
	if err != nil || len(report.Turns) != 2 || len(report.Environments) != 2 || report.Calls != 1 || report.Writes != 1 {
		t.Errorf("got %+v (%v), want 2 Turns, 2 Environments, a call and a write", report, err)
	}
	checkSettled(t, s, turns)
	for _, tt := range []struct {
		id    string
		state store.EnvironmentState
		init  store.InitState
	}{
		{initializing.ID, store.EnvironmentFailed, store.InitFailed}, {connected.ID, store.EnvironmentDisconnected, store.InitPending},
		{fresh.ID, store.EnvironmentPending, store.InitPending},
	} {
		if e, err := s.Environment(t.Context(), tt.id); err != nil || e.State != tt.state || e.Init != tt.init {
			t.Errorf("environment: got %+v (%v), want %s, %s", e, err, tt.state, tt.init)
		}
	}
	if w, err := s.WriteIntent(t.Context(), intent.ID); err != nil || w.State != store.WriteUnknown {
		t.Errorf("write: got %+v (%v), want it unknown", w, err)
	}
	if list := journal(t, s, initializing.SessionID); len(list) != 1 || list[0].Type != "failed" {
		t.Errorf("events: got %+v, want that it failed", list)
	}
	if again, err := s.Reconcile(t.Context(), moment(), nil, nil); err != nil || fmt.Sprint(again) != fmt.Sprint(store.Report{}) {
		t.Errorf("second start: got %+v (%v), want nothing found", again, err)
	}
}

func checkSettled(t *testing.T, s *store.Store, before map[store.TurnStatus]store.Turn) {
	t.Helper()
	for status, turn := range before {
		got, err := s.Turn(t.Context(), turn.ID)
		if err != nil {
			t.Fatal(err)
		}
		if status != store.TurnInProgress && status != store.TurnWaiting {
			if fmt.Sprint(got) != fmt.Sprint(turn) {
				t.Errorf("%s: got %+v, want it as it was: %+v", status, got, turn)
			}
			continue
		}
		if got.Status != store.TurnFailed || got.ErrorCode != store.CodeInterrupted || string(got.Outcome) != `{"error_code":"execution_interrupted"}` {
			t.Errorf("%s: got %s %q with %s, want it interrupted", status, got.Status, got.ErrorCode, got.Outcome)
		}
		if list := journal(t, s, turn.SessionID); len(list) != 1 || list[0].Type != "failed" {
			t.Errorf("%s: got events %+v, want that it failed", status, list)
		}
		calls, err := s.Calls(t.Context(), turn.ID)
		for _, call := range calls {
			if err != nil || call.State != store.CallWithdrawn {
				t.Errorf("call: got %s (%v), want it withdrawn", call.State, err)
			}
		}
	}
}
