package store

import (
	"context"
	"fmt"
)

const (
	selectIsMessage   = "SELECT EXISTS (SELECT 1 FROM input WHERE session = ? AND seq = ? AND turn = ? AND kind = 'message')"
	selectNextMessage = "SELECT coalesce(min(seq), ?) FROM input WHERE session = ? AND seq > ? AND kind = 'message'"
)

// AdvanceApplied moves the cursor of a Session on to a message of its running Turn that was consumed, and over the inputs
// after it that are no messages (behaviour 8.2). The cursor never goes back. It gives the cursor as it is then. Errors:
// ErrNotFound; ErrChanged where the Turn is not running; ErrConflict where seq names no message of it.
func (s *Store) AdvanceApplied(ctx context.Context, turn string, seq int64) (int64, error) {
	var cursor int64
	err := s.together(ctx, func(w *work) error {
		t, err := w.turn(turn)
		if err != nil {
			return err
		}
		if t.Status != TurnInProgress && t.Status != TurnWaiting {
			return fmt.Errorf("%w: expected a running Turn, found %s", ErrChanged, t.Status)
		}
		held, err := w.sessionAt(t.session)
		if err != nil {
			return err
		}
		err = w.advance(held, t, seq)
		cursor = held.applied
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("advance the cursor of turn %q to input %d: %w", turn, seq, err)
	}
	return cursor, nil
}

func (w *work) advance(held *heldSession, t *keptTurn, seq int64) error {
	if seq <= held.applied {
		return nil
	}
	is, err := oneOf(w.row(selectIsMessage, held.place, seq, t.place), scanOne[bool])
	if err != nil {
		return err
	}
	if !is {
		return fmt.Errorf("%w: input %d is no message of Turn %s", ErrConflict, seq, t.ID)
	}
	next, err := oneOf(w.row(selectNextMessage, held.inputs+1, held.place, seq), scanOne[int64])
	if err != nil {
		return err
	}
	held.applied = next - 1
	_, err = w.exec(advanceCursor, held.applied, held.place)
	return err
}
