package store

import (
	"context"
	"errors"
	"fmt"
)

// Progress is what a running Turn tells before its end. What is empty stays as it was.
type Progress struct {
	NativeID string // of the native Session
	Usage    []byte // cumulative measurement, JSON object
}

const (
	noteUsage  = "UPDATE turn SET usage = ? WHERE place = ?"
	noteNative = "UPDATE session SET native_id = ? WHERE place = ?"
)

// NoteProgress keeps what a running Turn has told, so that it is known also when the Turn is interrupted. Errors:
// ErrNotFound; ErrChanged where the Turn is not running; ErrUnfit, ErrFull, ErrDamaged.
func (s *Store) NoteProgress(ctx context.Context, turn string, p Progress) error {
	err := errors.Join(fitNativeID(p.NativeID), fitUsage(p.Usage))
	if err == nil {
		err = s.together(ctx, func(w *work) error {
			t, err := w.turn(turn)
			if err != nil {
				return err
			}
			if t.Status != TurnInProgress && t.Status != TurnWaiting {
				return fmt.Errorf("%w: expected a running Turn, found %s", ErrChanged, t.Status)
			}
			return w.noteProgress(t, p)
		})
	}
	if err != nil {
		return fmt.Errorf("note progress of turn %q: %w", turn, err)
	}
	return nil
}

func (w *work) noteProgress(t *keptTurn, p Progress) error {
	if p.Usage != nil {
		if _, err := w.exec(noteUsage, p.Usage, t.place); err != nil {
			return err
		}
	}
	if p.NativeID == "" {
		return nil
	}
	_, err := w.exec(noteNative, p.NativeID, t.session)
	return err
}

func fitNativeID(id string) error {
	if len(id) > maxNativeID {
		return fmt.Errorf("%w: native id: expected at most %d bytes, found %d", ErrUnfit, maxNativeID, len(id))
	}
	return nil
}

func fitUsage(usage []byte) error {
	if usage == nil {
		return nil
	}
	return fitObject("usage", usage, MaxPayload)
}
