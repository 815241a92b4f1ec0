package store

import (
	"context"
	"fmt"
)

// Item is one part of a Turn's history, in its last state.
type Item struct {
	ID        string // within the Session
	TurnID    string
	SessionID string
	Index     int64  // output_index within the Turn
	Kind      string // such as user_message, message, reasoning, command, mcp, function_call, subagent
	Payload   []byte // JSON object of at most MaxPayload bytes, as the API shows it
}

const itemColumns = "i.id, t.id, s.id, i.idx, i.kind, i.payload"

const upsertItem = `INSERT INTO item (id, session, turn, idx, kind, payload) VALUES (?, ?, ?, ?, ?, ?)
	ON CONFLICT (session, id) DO UPDATE SET idx = excluded.idx, kind = excluded.kind, payload = excluded.payload
	WHERE turn = excluded.turn`

// itemsOf is a list of items in the order in which they first appeared.
func itemsOf(where string) listing[Item] {
	return listing[Item]{columns: itemColumns, from: "item i JOIN session s ON s.place = i.session JOIN turn t ON t.place = i.turn",
		where: where, order: "i.place", id: "i.id", scan: scanItem}
}

// Items lists the items of a Session, and whether there are more.
func (s *Store) Items(ctx context.Context, session string, p Page) ([]Item, bool, error) {
	place, err := s.sessionPlace(ctx, session)
	if err != nil {
		return nil, false, fmt.Errorf("list items of session %q: %w", session, s.note(err))
	}
	list, more, err := paged(ctx, s, itemsOf("i.session = ?"), p, place)
	if err != nil {
		return nil, false, fmt.Errorf("list items of session %q: %w", session, err)
	}
	return list, more, nil
}

// ItemsOfTurn lists the items of a Turn, and whether there are more.
func (s *Store) ItemsOfTurn(ctx context.Context, turn string, p Page) ([]Item, bool, error) {
	t, err := s.keptTurn(ctx, turn)
	if err != nil {
		return nil, false, fmt.Errorf("list items of turn %q: %w", turn, s.note(err))
	}
	list, more, err := paged(ctx, s, itemsOf("i.turn = ?"), p, t.place)
	if err != nil {
		return nil, false, fmt.Errorf("list items of turn %q: %w", turn, err)
	}
	return list, more, nil
}

// Item gives an item of a Session, or ErrNotFound.
func (s *Store) Item(ctx context.Context, session, id string) (Item, error) {
	query := "SELECT " + itemColumns + " FROM " + itemsOf("").from + " WHERE s.id = ? AND i.id = ?"
	item, err := oneOf(s.read.QueryRowContext(ctx, query, session, id), scanItem)
	if err != nil {
		return Item{}, fmt.Errorf("read item %q: %w", id, s.note(err))
	}
	return item, nil
}

func (w *work) saveItem(held *heldSession, turn int64, item Item) error {
	if err := fitObject("item "+item.ID, item.Payload, MaxPayload); err != nil {
		return err
	}
	saved, err := w.changed(upsertItem, item.ID, held.place, turn, item.Index, item.Kind, item.Payload)
	if err == nil && !saved {
		err = fmt.Errorf("%w: item %q belongs to another Turn", ErrConflict, item.ID)
	}
	return err
}

func scanItem(row scanner) (Item, error) {
	var item Item
	err := row.Scan(&item.ID, &item.TurnID, &item.SessionID, &item.Index, &item.Kind, &item.Payload)
	return item, err
}
