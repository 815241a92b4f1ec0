package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Attempt is an execution that begins.
type Attempt struct {
	RunID       string
	DeviceID    string
	Declaration []byte // what the device declares for the kind now
	At          time.Time
}

const (
	claimTurn    = "UPDATE turn SET status = 'in_progress', run_id = ?, device_id = ?, started_at_ms = ? WHERE place = ?"
	claimSession = "UPDATE session SET native_started = 1, device_id = ?, declaration = ? WHERE place = ?"
)

// ClaimTurn takes a queued Turn into execution. Errors: ErrNotFound; ErrChanged where it is no longer queued (behaviour
// 8.1); ErrUnfit, ErrFull, ErrDamaged.
func (s *Store) ClaimTurn(ctx context.Context, id string, a Attempt, describe Describe[Turn]) (Turn, error) {
	var t *keptTurn
	err := fitName("run id", a.RunID)
	if err == nil {
		err = s.together(ctx, func(w *work) (err error) {
			t, err = w.claim(id, a, describe)
			return err
		})
	}
	if err != nil {
		return Turn{}, fmt.Errorf("claim turn %q: %w", id, err)
	}
	return t.Turn, nil
}

func (w *work) claim(id string, a Attempt, describe Describe[Turn]) (*keptTurn, error) {
	t, err := w.turn(id)
	if err != nil {
		return nil, err
	}
	if t.Status != TurnQueued || !t.Cancel.IsZero() {
		return nil, fmt.Errorf("%w: expected a queued Turn without a cancel, found %s", ErrChanged, t.Status)
	}
	if _, err := w.exec(claimTurn, a.RunID, a.DeviceID, a.At.UnixMilli(), t.place); err != nil {
		return nil, err
	}
	if _, err := w.exec(claimSession, a.DeviceID, a.Declaration, t.session); err != nil {
		return nil, err
	}
	t.Status, t.RunID, t.DeviceID, t.Started = TurnInProgress, a.RunID, a.DeviceID, kept(a.At)
	return t, w.describeTurn(t, describe)
}

// describeTurn files the journal of a change to a Turn.
func (w *work) describeTurn(t *keptTurn, describe Describe[Turn]) error {
	j := describe.of(t.Turn)
	if len(j.Events)+len(j.Items) == 0 {
		return nil
	}
	held, err := w.sessionAt(t.session)
	if err != nil {
		return err
	}
	return w.append(held, j, nil)
}

// Candidates says whose Turns may be executed now.
type Candidates struct {
	Devices []string // connected; a Session with an Environment needs the one bound to it
	Except  []string // ids of Sessions, such as those that are being prepared
	Limit   int      // at least 1 and at most MaxPage are given
}

const selectQueued = "SELECT " + turnColumns + ` FROM turn t JOIN session s ON s.place = t.session
	LEFT JOIN environment e ON e.session = t.session
	WHERE t.status = 'queued'
	AND (e.place IS NULL OR e.init = 'complete' AND e.device_id IN (SELECT value FROM json_each(?)))
	AND s.id NOT IN (SELECT value FROM json_each(?))
	ORDER BY t.place LIMIT ?`

// NextQueued lists queued Turns that may be executed, those that wait longest first: a Session has one at most. Those of
// a Session with an Environment are left out until it is initialized and its device is among the candidates.
func (s *Store) NextQueued(ctx context.Context, c Candidates) ([]Turn, error) {
	list, err := listOf(ctx, s.read, scanTurn, selectQueued, listed(c.Devices), listed(c.Except), min(max(c.Limit, 1), MaxPage))
	if err != nil {
		return nil, fmt.Errorf("list queued turns: %w", s.note(err))
	}
	return turnsIn(list), nil
}

// listed hands a list of names to a query as one argument.
func listed(names []string) string {
	if len(names) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(names) // strings cannot fail
	return string(text)
}
