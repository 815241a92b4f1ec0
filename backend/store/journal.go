package store

import (
	"context"
	"fmt"
)

// Bounds of the journal (behaviour 8.5).
const (
	MaxPayload     = 512 << 10 // bytes of an event, an item, an outcome, or the inputs of a batch
	MaxBatchEvents = 64        // events that are appended at once
	MaxBatchBytes  = 768 << 10 // of their payloads
	MaxTurnEvents  = 65_536
	MaxTurnBytes   = 32 << 20
)

// Journal is what tells of a change: events for those who listen and for later, items for the history. It is kept in
// the same write as the change, so that nothing acknowledged lacks it.
type Journal struct {
	Events []Event // SessionID and Seq are set when they are appended
	Items  []Item  // SessionID is set when they are saved
}

// Describe makes the journal of a change from what the change came to; nil makes none. It runs inside the write: it is
// quick, calls nothing of the Store, and may be called again for the same change when the first attempt was undone.
type Describe[T any] func(T) Journal

func (d Describe[T]) of(change T) Journal {
	if d == nil {
		return Journal{}
	}
	return d(change)
}

// AppendJournal appends events to a Session's journal in their order, and saves items. Errors: ErrNotFound; ErrUnfit for
// what is not an object or too much at once; ErrTooMany where a Turn's journal is full; ErrChanged where a Turn has ended:
// what tells of its end was kept with the end; ErrFull, ErrDamaged.
func (s *Store) AppendJournal(ctx context.Context, session string, j Journal) error {
	err := j.fitBatch()
	if err == nil {
		err = s.together(ctx, func(w *work) error {
			held, err := w.session(session)
			if err != nil {
				return err
			}
			return w.append(held, j, func(t journaled) error {
				if t.status.Terminal() {
					return fmt.Errorf("%w: Turn %s is %s", ErrChanged, t.id, t.status)
				}
				return t.withinBounds()
			})
		})
	}
	if err != nil {
		return fmt.Errorf("append to the journal of session %q: %w", session, err)
	}
	return nil
}

// Follow has tell called with the events of every write of this Store once they are on the disk and before the write
// returns: those of a Session in the order of their Seq, without a gap. It is called from the writing goroutine, one call
// at a time: it must be quick, wait for nothing, and call no method that writes. The events are not to be changed.
func (s *Store) Follow(tell func([]Event)) { s.follow.Store(&tell) }

func (s *Store) tell(events []Event) {
	if follow := s.follow.Load(); follow != nil && *follow != nil && len(events) > 0 {
		(*follow)(events)
	}
}

func (j Journal) fitBatch() error {
	size := 0
	for _, e := range j.Events {
		size += len(e.Payload)
	}
	if len(j.Events) > MaxBatchEvents || size > MaxBatchBytes {
		return fmt.Errorf("%w: expected at most %d events of %d bytes in all, found %d of %d", ErrUnfit,
			MaxBatchEvents, MaxBatchBytes, len(j.Events), size)
	}
	return nil
}

// journaled is a Turn as its journal sees it.
type journaled struct {
	place         int64
	id            string
	status        TurnStatus
	events, bytes int64
}

func (t journaled) withinBounds() error {
	if t.events > MaxTurnEvents || t.bytes > MaxTurnBytes {
		return fmt.Errorf("%w: Turn %s: expected at most %d events of %d bytes in all, found %d of %d", ErrTooMany, t.id,
			MaxTurnEvents, MaxTurnBytes, t.events, t.bytes)
	}
	return nil
}

const (
	selectJournaled = "SELECT place, id, status, events, event_bytes FROM turn WHERE id = ? AND session = ?"
	countJournaled  = "UPDATE turn SET events = ?, event_bytes = ? WHERE place = ?"
	countEvents     = "UPDATE session SET events = ? WHERE place = ?"
	insertEvent     = "INSERT INTO event (session, seq, turn, type, payload, at_ms) VALUES (?, ?, ?, ?, ?, ?)"
)

func scanJournaled(row scanner) (t journaled, err error) {
	err = row.Scan(&t.place, &t.id, &t.status, &t.events, &t.bytes)
	return t, err
}

// append files a journal under a Session; admit judges each Turn that it speaks of, with the new events counted.
func (w *work) append(held *heldSession, j Journal, admit func(journaled) error) error {
	turns := map[string]*journaled{}
	turnOf := func(id string) (*journaled, error) {
		if turns[id] == nil {
			t, err := oneOf(w.row(selectJournaled, id, held.place), scanJournaled)
			if err != nil {
				return nil, missing("turn", id, err)
			}
			turns[id] = &t
		}
		return turns[id], nil
	}
	for _, e := range j.Events {
		if err := w.appendEvent(held, e, turnOf); err != nil {
			return err
		}
	}
	for _, item := range j.Items {
		t, err := turnOf(item.TurnID)
		if err == nil {
			err = w.saveItem(held, t.place, item)
		}
		if err != nil {
			return err
		}
	}
	for _, t := range turns {
		if admit != nil {
			if err := admit(*t); err != nil {
				return err
			}
		}
		if _, err := w.exec(countJournaled, t.events, t.bytes, t.place); err != nil {
			return err
		}
	}
	if len(j.Events) == 0 {
		return nil
	}
	_, err := w.exec(countEvents, held.events, held.place)
	return err
}

func (w *work) appendEvent(held *heldSession, e Event, turnOf func(string) (*journaled, error)) error {
	if err := fitObject("event "+e.Type, e.Payload, MaxPayload); err != nil {
		return err
	}
	var place any // NULL: of the Session
	if e.TurnID != "" {
		t, err := turnOf(e.TurnID)
		if err != nil {
			return err
		}
		t.events++
		t.bytes += int64(len(e.Payload))
		place = t.place
	}
	held.events++
	e.Seq, e.SessionID, e.At = held.events, held.id, kept(e.At)
	if _, err := w.exec(insertEvent, held.place, e.Seq, place, e.Type, e.Payload, e.At.UnixMilli()); err != nil {
		return err
	}
	w.events = append(w.events, e)
	return nil
}
