package store

import (
	"context"
	"fmt"
	"time"
)

// Session is one durable conversation (behaviour 8.2). It keeps the agent as it was when the Session was made.
type Session struct {
	ID            string // UUID: the wire names it
	AgentID       string
	Agent         []byte // JSON object: the agent's Config at creation
	EnvironmentID string // "" for none
	Metadata      []byte // JSON object
	NativeID      string // native Session as last told, "" while there is none
	NativeStarted bool   // a Turn of it was claimed: it may have a native Session that never told its id
	DeviceID      string // that ran its last Turn, "" before
	Declaration   []byte // what that device declared for the kind when it was admitted; nil before
	Applied       int64  // the cursor applied_through: inputs up to here are consumed (behaviour 8.2)
	Turns         int64  // how many there are
	Events        int64  // Seq of the last one, 0 for none
	LastTurn      TurnStatus
	Created       time.Time
	LastActive    time.Time
}

const sessionColumns = `s.id, s.agent_id, s.agent, coalesce(e.id, ''), s.metadata, s.native_id, s.native_started, s.device_id,
	s.declaration, s.applied, s.turns, s.events,
	coalesce((SELECT status FROM turn WHERE session = s.place ORDER BY seq DESC LIMIT 1), ''), s.created_at_ms, s.last_active_at_ms`

const sessionTables = "session s LEFT JOIN environment e ON e.session = s.place"

const (
	selectSession      = "SELECT " + sessionColumns + " FROM " + sessionTables + " WHERE s.id = ?"
	selectSessionPlace = "SELECT place FROM session WHERE id = ?"
	updateMetadata     = "UPDATE session SET metadata = ? WHERE id = ?"
	deleteSession      = "DELETE FROM session WHERE place = ?"
)

// sessionsWhere is a list of Sessions in the order of their creation.
func sessionsWhere(where string) listing[Session] {
	return listing[Session]{columns: sessionColumns, from: sessionTables, where: where, order: "s.place", id: "s.id", scan: scanSession}
}

// MaxMetadata bounds a Session's metadata, in bytes.
const MaxMetadata = 64 << 10

// Session gives the Session with an id, or ErrNotFound.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	found, err := oneOf(s.read.QueryRowContext(ctx, selectSession, id), scanSession)
	if err != nil {
		return Session{}, fmt.Errorf("read session %q: %w", id, s.note(err))
	}
	return found, nil
}

// Sessions lists the Sessions of an agent, or all when it is empty, and whether there are more.
func (s *Store) Sessions(ctx context.Context, agent string, p Page) ([]Session, bool, error) {
	list, args := sessionsWhere(""), []any{}
	if agent != "" {
		list, args = sessionsWhere("s.agent_id = ?"), []any{agent}
	}
	page, more, err := paged(ctx, s, list, p, args...)
	if err != nil {
		return nil, false, fmt.Errorf("list sessions: %w", err)
	}
	return page, more, nil
}

// UpdateSession replaces a Session's metadata. Errors: ErrNotFound, ErrUnfit.
func (s *Store) UpdateSession(ctx context.Context, id string, metadata []byte) error {
	err := fitObject("metadata", metadata, MaxMetadata)
	if err == nil {
		err = s.together(ctx, func(w *work) error { return w.changeOne(updateMetadata, metadata, id) })
	}
	if err != nil {
		return fmt.Errorf("update session %q: %w", id, err)
	}
	return nil
}

// DeleteSession removes a Session with everything that belongs to it, and their bytes. Errors: ErrNotFound; ErrConflict
// while a Turn of it has not ended.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	err := s.together(ctx, func(w *work) error {
		held, err := w.session(id)
		if err != nil {
			return err
		}
		if active, err := w.activeTurn(held.place); err != nil || active != nil {
			return conflictOf(active, err)
		}
		_, err = w.exec(deleteSession, held.place)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete session %q: %w", id, err)
	}
	s.scrub(ctx)
	return nil
}

func conflictOf(active *keptTurn, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: Turn %s is %s; cancel it first", ErrConflict, active.ID, active.Status)
}

func (s *Store) sessionPlace(ctx context.Context, id string) (int64, error) {
	return oneOf(s.read.QueryRowContext(ctx, selectSessionPlace, id), scanOne[int64])
}

// heldSession is a Session inside a write: its place and the counters that the write moves on.
type heldSession struct {
	place   int64
	id      string
	applied int64
	inputs  int64
	turns   int64
	events  int64
}

const (
	heldColumns   = "place, id, applied, inputs, turns, events"
	selectHeld    = "SELECT " + heldColumns + " FROM session WHERE id = ?"
	selectHeldAt  = "SELECT " + heldColumns + " FROM session WHERE place = ?"
	advanceCursor = "UPDATE session SET applied = ? WHERE place = ?"
)

func (w *work) session(id string) (*heldSession, error) {
	held, err := oneOf(w.row(selectHeld, id), scanHeld)
	return &held, missing("session", id, err)
}

func (w *work) sessionAt(place int64) (*heldSession, error) {
	held, err := oneOf(w.row(selectHeldAt, place), scanHeld)
	return &held, err
}

func scanHeld(row scanner) (h heldSession, err error) {
	err = row.Scan(&h.place, &h.id, &h.applied, &h.inputs, &h.turns, &h.events)
	return h, err
}

func scanSession(row scanner) (Session, error) {
	var s Session
	var created, active int64
	err := row.Scan(&s.ID, &s.AgentID, &s.Agent, &s.EnvironmentID, &s.Metadata, &s.NativeID, &s.NativeStarted, &s.DeviceID,
		&s.Declaration, &s.Applied, &s.Turns, &s.Events, &s.LastTurn, &created, &active)
	s.Created, s.LastActive = time.UnixMilli(created).UTC(), time.UnixMilli(active).UTC()
	return s, err
}
