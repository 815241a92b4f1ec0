package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// TurnStatus is one of the six of behaviour 8.1.
type TurnStatus string

// The statuses of a Turn.
const (
	TurnQueued     TurnStatus = "queued"
	TurnInProgress TurnStatus = "in_progress"
	TurnWaiting    TurnStatus = "waiting" // a function call of it is open
	TurnCompleted  TurnStatus = "completed"
	TurnFailed     TurnStatus = "failed"
	TurnCancelled  TurnStatus = "cancelled"
)

// Terminal reports a status that nothing follows.
func (s TurnStatus) Terminal() bool {
	return s == TurnCompleted || s == TurnFailed || s == TurnCancelled
}

// Allows tells whether next may follow (behaviour 8.1).
func (s TurnStatus) Allows(next TurnStatus) bool {
	switch s {
	case TurnQueued:
		return slices.Contains([]TurnStatus{TurnInProgress, TurnFailed, TurnCancelled}, next)
	case TurnInProgress:
		return next == TurnWaiting || next.Terminal()
	case TurnWaiting:
		return next == TurnInProgress || next.Terminal()
	}
	return false
}

// Turn is one piece of work of a Session (behaviour 8.1). A Session has one at most that has not ended; what has ended
// never changes.
type Turn struct {
	ID        string // UUID; also the Run's id of its first attempt
	SessionID string
	Seq       int64 // order within the Session, from 1
	Status    TurnStatus
	RunID     string // of the attempt that claimed it, "" while queued
	DeviceID  string
	Cancel    time.Time // when a cancel was asked for; zero: not
	Outcome   []byte    // JSON object of at most MaxPayload bytes, only with a terminal status
	Usage     []byte    // last cumulative measurement, JSON object; nil: unknown
	ErrorCode string    // of Core, with failed (behaviour 8.5)
	Created   time.Time
	Started   time.Time // zero: not
	Completed time.Time // zero: not
}

// keptTurn is a Turn with its place and that of its Session.
type keptTurn struct {
	Turn
	place, session int64
}

const turnColumns = `t.place, t.session, t.id, s.id, t.seq, t.status, t.run_id, t.device_id, t.cancel_at_ms, t.outcome, t.usage,
	t.error_code, t.created_at_ms, t.started_at_ms, t.completed_at_ms`

const turnTables = "turn t JOIN session s ON s.place = t.session"

const (
	insertTurn       = "INSERT INTO turn (id, session, seq, status, created_at_ms) VALUES (?, ?, ?, ?, ?)"
	selectTurn       = "SELECT " + turnColumns + " FROM " + turnTables + " WHERE t.id = ?"
	selectLatestTurn = "SELECT " + turnColumns + " FROM " + turnTables + " WHERE t.session = ? ORDER BY t.seq DESC LIMIT 1"
	selectActiveTurn = "SELECT " + turnColumns + " FROM " + turnTables +
		" WHERE t.session = ? AND t.status IN ('queued', 'in_progress', 'waiting')"
)

func turnsOf() listing[keptTurn] {
	return listing[keptTurn]{columns: turnColumns, from: turnTables, where: "t.session = ?", order: "t.seq", id: "t.id", scan: scanTurn}
}

// Turn gives the Turn with an id, or ErrNotFound.
func (s *Store) Turn(ctx context.Context, id string) (Turn, error) {
	t, err := s.keptTurn(ctx, id)
	if err != nil {
		return Turn{}, fmt.Errorf("read turn %q: %w", id, s.note(err))
	}
	return t.Turn, nil
}

// Turns lists the Turns of a Session, and whether there are more.
func (s *Store) Turns(ctx context.Context, session string, p Page) ([]Turn, bool, error) {
	place, err := s.sessionPlace(ctx, session)
	if err != nil {
		return nil, false, fmt.Errorf("list turns of session %q: %w", session, s.note(err))
	}
	list, more, err := paged(ctx, s, turnsOf(), p, place)
	if err != nil {
		return nil, false, fmt.Errorf("list turns of session %q: %w", session, err)
	}
	return turnsIn(list), more, nil
}

// LatestTurn gives the newest Turn of a Session, or ErrNotFound.
func (s *Store) LatestTurn(ctx context.Context, session string) (Turn, error) {
	return s.oneTurnOf(ctx, "latest", selectLatestTurn, session)
}

// ActiveTurn gives the Turn of a Session that has not ended, or ErrNotFound.
func (s *Store) ActiveTurn(ctx context.Context, session string) (Turn, error) {
	return s.oneTurnOf(ctx, "active", selectActiveTurn, session)
}

func (s *Store) oneTurnOf(ctx context.Context, which, query, session string) (Turn, error) {
	place, err := s.sessionPlace(ctx, session)
	var t keptTurn
	if err == nil {
		t, err = oneOf(s.read.QueryRowContext(ctx, query, place), scanTurn)
	}
	if err != nil {
		return Turn{}, fmt.Errorf("read %s turn of session %q: %w", which, session, s.note(err))
	}
	return t.Turn, nil
}

func (s *Store) keptTurn(ctx context.Context, id string) (keptTurn, error) {
	return oneOf(s.read.QueryRowContext(ctx, selectTurn, id), scanTurn)
}

func (w *work) turn(id string) (*keptTurn, error) {
	t, err := oneOf(w.row(selectTurn, id), scanTurn)
	return &t, missing("turn", id, err)
}

// activeTurn gives the Turn of a Session that has not ended, nil for none.
func (w *work) activeTurn(session int64) (*keptTurn, error) {
	t, err := scanTurn(w.row(selectActiveTurn, session))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &t, err
}

func turnsIn(list []keptTurn) []Turn {
	turns := make([]Turn, len(list))
	for i, one := range list {
		turns[i] = one.Turn
	}
	return turns
}

func scanTurn(row scanner) (keptTurn, error) {
	var t keptTurn
	var created int64
	var cancel, started, completed sql.NullInt64
	err := row.Scan(&t.place, &t.session, &t.ID, &t.SessionID, &t.Seq, &t.Status, &t.RunID, &t.DeviceID, &cancel, &t.Outcome,
		&t.Usage, &t.ErrorCode, &created, &started, &completed)
	t.Created, t.Cancel, t.Started, t.Completed = time.UnixMilli(created).UTC(), moment(cancel), moment(started), moment(completed)
	return t, err
}
