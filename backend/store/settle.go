package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Settlement is how a Turn ends.
type Settlement struct {
	Status    TurnStatus // a terminal one
	Outcome   []byte     // JSON object of at most MaxPayload bytes; nil for none
	Usage     []byte     // JSON object; nil: what was noted before stays
	ErrorCode string     // with failed, and only then
	NativeID  string     // of the native Session, "" where it is not known: the one known before stays
	Applied   int64      // the last input that was consumed; 0: as far as the cursor is
	At        time.Time
}

// CodeInputNotApplied fails a Turn that says completed with messages left (behaviour 8.2).
const CodeInputNotApplied = "input_not_applied"

const maxNativeID = 512 // bytes (behaviour 8.1)

const (
	settleTurn = `UPDATE turn SET status = ?, outcome = ?, usage = ?, error_code = ?, completed_at_ms = ? WHERE place = ?`
	settled    = "UPDATE session SET last_active_at_ms = ? WHERE place = ?"
	selectLeft = "SELECT EXISTS (SELECT 1 FROM input WHERE turn = ? AND kind = 'message' AND seq > ?)"
)

// SettleTurn ends a Turn. One that says completed while messages of it are above the cursor becomes failed with
// CodeInputNotApplied. Its open calls are withdrawn; answers that nobody confirmed stay as they are. Messages that were not
// consumed stay with the Turn and are not played again. Errors: ErrNotFound; ErrChanged where the Turn has ended or may
// not end like this (behaviour 8.1); ErrConflict for a cursor that names no message of it; ErrUnfit, ErrFull, ErrDamaged.
func (s *Store) SettleTurn(ctx context.Context, id string, end Settlement, describe Describe[Turn]) (Turn, error) {
	var t *keptTurn
	err := end.fit()
	if err == nil {
		err = s.together(ctx, func(w *work) (err error) {
			if t, err = w.turn(id); err != nil {
				return err
			}
			return w.settle(t, end, describe)
		})
	}
	if err != nil {
		return Turn{}, fmt.Errorf("settle turn %q: %w", id, err)
	}
	return t.Turn, nil
}

func (e Settlement) fit() error {
	switch {
	case !e.Status.Terminal():
		return fmt.Errorf("%w: status: expected completed, failed or cancelled, found %q", ErrUnfit, e.Status)
	case (e.ErrorCode != "") != (e.Status == TurnFailed):
		return fmt.Errorf("%w: error code %q with status %s: expected one exactly with failed", ErrUnfit, e.ErrorCode, e.Status)
	}
	if e.Outcome != nil {
		if err := fitObject("outcome", e.Outcome, MaxPayload); err != nil {
			return err
		}
	}
	return errors.Join(fitNativeID(e.NativeID), fitUsage(e.Usage))
}

func (w *work) settle(t *keptTurn, end Settlement, describe Describe[Turn]) error {
	if !t.Status.Allows(end.Status) {
		return fmt.Errorf("%w: a Turn that is %s cannot become %s", ErrChanged, t.Status, end.Status)
	}
	held, err := w.sessionAt(t.session)
	if err != nil {
		return err
	}
	if err := w.advance(held, t, end.Applied); err != nil {
		return err
	}
	if end, err = w.judge(held, t, end); err != nil {
		return err
	}
	if end.Usage == nil {
		end.Usage = t.Usage
	}
	if _, err := w.exec(withdrawCalls, end.At.UnixMilli(), t.place); err != nil {
		return err
	}
	if _, err := w.exec(settleTurn, end.Status, end.Outcome, end.Usage, end.ErrorCode, end.At.UnixMilli(), t.place); err != nil {
		return err
	}
	if _, err := w.exec(settled, end.At.UnixMilli(), t.session); err != nil {
		return err
	}
	if err := w.noteProgress(t, Progress{NativeID: end.NativeID}); err != nil {
		return err
	}
	t.Status, t.Outcome, t.Usage, t.ErrorCode, t.Completed = end.Status, end.Outcome, end.Usage, end.ErrorCode, kept(end.At)
	return w.append(held, describe.of(t.Turn), nil)
}

// judge fails a completed Turn that has left messages (behaviour 8.2).
func (w *work) judge(held *heldSession, t *keptTurn, end Settlement) (Settlement, error) {
	if end.Status != TurnCompleted {
		return end, nil
	}
	left, err := oneOf(w.row(selectLeft, t.place, held.applied), scanOne[bool])
	if err != nil || !left {
		return end, err
	}
	end.Status, end.ErrorCode = TurnFailed, CodeInputNotApplied
	end.Outcome = withErrorCode(end.Outcome, CodeInputNotApplied)
	return end, nil
}

// withErrorCode gives an outcome Core's code. One that would become too large by it is left out.
func withErrorCode(outcome []byte, code string) []byte {
	bare := []byte(`{"error_code":"` + code + `"}`)
	members := map[string]jsontext.Value{}
	if outcome == nil || json.Unmarshal(outcome, &members, jsontext.AllowDuplicateNames(true)) != nil {
		return bare
	}
	members["error_code"] = jsontext.Value(`"` + code + `"`)
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil || len(text) > MaxPayload {
		return bare
	}
	return text
}

// isObject tells whether a text is one JSON object. A name may stand twice in what a Runtime has sent.
func isObject(text []byte) bool {
	value := jsontext.Value(text)
	return value.Kind() == '{' && value.IsValid(jsontext.AllowDuplicateNames(true))
}
