package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Event is one entry of the journal: a public event as it is sent to those who listen, and kept. It never changes.
type Event struct {
	Seq       int64 // within the Session, from 1, without a gap
	SessionID string
	TurnID    string // "" for events of the Session
	Type      string
	Payload   []byte    // JSON object of at most MaxPayload bytes
	At        time.Time // UTC, milliseconds
}

const selectEvents = `SELECT e.seq, s.id, t.id, e.type, e.payload, e.at_ms FROM event e JOIN session s ON s.place = e.session
	LEFT JOIN turn t ON t.place = e.turn WHERE e.session = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`

// maxEventsRead bounds the payloads of one reading, in bytes; one event is given always.
const maxEventsRead = 4 << 20

// Events gives a Session's events after a Seq, the oldest first, at most limit and at most MaxPage, and fewer where they
// are large. ErrNotFound if there is no such Session.
func (s *Store) Events(ctx context.Context, session string, after int64, limit int) ([]Event, error) {
	list, err := s.events(ctx, session, after, min(max(limit, 1), MaxPage))
	if err != nil {
		return nil, fmt.Errorf("list events of session %q: %w", session, s.note(err))
	}
	return list, nil
}

func (s *Store) events(ctx context.Context, session string, after int64, limit int) ([]Event, error) {
	place, err := s.sessionPlace(ctx, session)
	if err != nil {
		return nil, err
	}
	rows, err := s.read.QueryContext(ctx, selectEvents, place, after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // rows.Err tells what went wrong
	list := []Event{}
	for size := 0; size < maxEventsRead && rows.Next(); {
		e, err := scanEvent(rows)
		if err != nil {
			return nil, err
		}
		size += len(e.Payload)
		list = append(list, e)
	}
	return list, rows.Err()
}

func scanEvent(row scanner) (Event, error) {
	var e Event
	var turn sql.NullString
	var at int64
	err := row.Scan(&e.Seq, &e.SessionID, &turn, &e.Type, &e.Payload, &at)
	e.TurnID, e.At = turn.String, time.UnixMilli(at).UTC()
	return e, err
}
