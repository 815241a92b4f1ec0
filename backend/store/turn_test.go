package store_test

import (
	"errors"
	"testing"

	"parley/backend/store"
)

func statuses() []store.TurnStatus {
	return []store.TurnStatus{store.TurnQueued, store.TurnInProgress, store.TurnWaiting, store.TurnCompleted, store.TurnFailed, store.TurnCancelled}
}

// moves leads a Turn from where it is to a status, by the method that does so.
func moves(t *testing.T, s *store.Store, turn store.Turn, to store.TurnStatus) error {
	var err error
	switch to {
	case store.TurnInProgress:
		if turn.Status == store.TurnWaiting {
			_, err = s.WithdrawCall(t.Context(), turn.ID, "call", moment(), nil)
			break
		}
		_, err = s.ClaimTurn(t.Context(), turn.ID, store.Attempt{RunID: "run", At: moment()}, nil)
	case store.TurnWaiting:
		_, err = s.OpenCall(t.Context(), store.Call{TurnID: turn.ID, CallID: "another", Created: moment()}, nil)
	case store.TurnFailed:
		_, err = s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: to, ErrorCode: "engine_failed", At: moment()}, nil)
	default:
		_, err = s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: to, Applied: 1, At: moment()}, nil)
	}
	return err
}

// behaviour 8.1: every row of the table, and no other.
func TestTurnGoesOnlyWhereTheTableAllows(t *testing.T) {
	t.Parallel()
	s := opened(t)
	allowed := map[store.TurnStatus][]store.TurnStatus{
		store.TurnQueued:     {store.TurnInProgress, store.TurnFailed, store.TurnCancelled},
		store.TurnInProgress: {store.TurnWaiting, store.TurnCompleted, store.TurnFailed, store.TurnCancelled},
		store.TurnWaiting:    {store.TurnInProgress, store.TurnCompleted, store.TurnFailed, store.TurnCancelled},
	}
	for _, from := range statuses() {
		for _, to := range statuses()[1:] {
			if from == to {
				continue
			}
			want := contains(allowed[from], to)
			if got := from.Allows(to); got != want {
				t.Errorf("%s allows %s: got %t, want %t", from, to, got, want)
			}
			turn := made(t, s, from)
			err := moves(t, s, turn, to)
			got, readErr := s.Turn(t.Context(), turn.ID)
			switch {
			case readErr != nil:
				t.Fatal(readErr)
			case want && (err != nil || got.Status != to):
				t.Errorf("%s to %s: got %s (%v), want it done", from, to, got.Status, err)
			case !want && (!errors.Is(err, store.ErrChanged) || got.Status != from):
				t.Errorf("%s to %s: got %s (%v), want ErrChanged and no change", from, to, got.Status, err)
			}
		}
	}
}

func contains(list []store.TurnStatus, one store.TurnStatus) bool {
	for _, other := range list {
		if other == one {
			return true
		}
	}
	return false
}
