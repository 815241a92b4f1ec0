package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// InputKind is what an input is (behaviour 8.2).
type InputKind string

// The kinds of inputs.
const (
	InputMessage    InputKind = "message"
	InputCancel     InputKind = "cancel"
	InputToolResult InputKind = "tool_result"
)

// Input is one accepted input of a Session. It never changes.
type Input struct {
	Seq       int64 // within the Session, from 1; the cursor counts these
	SessionID string
	TurnID    string // that it created or joined; "" for a cancel of an idle Session. A tool result names its own
	CallID    string // of a tool result
	Kind      InputKind
	Payload   []byte // JSON object, as the API took it
	Result    []byte // of a tool result: the answer as the Runtime takes it, kept with the call; nil: the Payload
	Created   time.Time
}

// Bounds of a batch (behaviour 8.2).
const (
	MaxBatchInputs = 64
	MaxKey         = 128 // bytes of an idempotency key
)

// Batch is what one request brings. It is taken whole or not at all.
type Batch struct {
	Key    string   // idempotency key, "" for none
	Digest [32]byte // of the request, compared where the key was used before
	Inputs []Input  // Kind and Payload, of a tool result also TurnID, CallID and Result; MaxPayload bytes in all
	At     time.Time
}

func (b Batch) fitSizes() error {
	if len(b.Key) > MaxKey {
		return fmt.Errorf("%w: idempotency key: expected at most %d bytes, found %d", ErrUnfit, MaxKey, len(b.Key))
	}
	if len(b.Inputs) > MaxBatchInputs {
		return fmt.Errorf("%w: expected at most %d inputs, found %d", ErrUnfit, MaxBatchInputs, len(b.Inputs))
	}
	size := 0
	for _, in := range b.Inputs {
		if err := fitObject(string(in.Kind), in.Payload, MaxPayload); err != nil {
			return err
		}
		size += len(in.Payload)
	}
	if size > MaxPayload {
		return fmt.Errorf("%w: expected inputs of at most %d bytes in all, found %d", ErrUnfit, MaxPayload, size)
	}
	return nil
}

const inputColumns = "i.seq, s.id, t.id, i.call_id, i.kind, i.payload, i.created_at_ms"

const inputTables = "input i JOIN session s ON s.place = i.session LEFT JOIN turn t ON t.place = i.turn"

const (
	insertInput        = "INSERT INTO input (session, seq, turn, kind, call_id, payload, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)"
	selectInputsOfTurn = "SELECT " + inputColumns + " FROM " + inputTables +
		" WHERE i.turn = ? AND i.kind = 'message' AND i.seq > s.applied ORDER BY i.seq LIMIT ?"
	selectInputsBetween = "SELECT " + inputColumns + " FROM " + inputTables +
		" WHERE i.session = ? AND i.seq BETWEEN ? AND ? ORDER BY i.seq"
)

// PendingInputs gives the messages of a Turn that are not consumed, in their order, at most limit and at most MaxPage.
// ErrNotFound if there is no such Turn.
func (s *Store) PendingInputs(ctx context.Context, turn string, limit int) ([]Input, error) {
	t, err := s.keptTurn(ctx, turn)
	var list []Input
	if err == nil {
		list, err = listOf(ctx, s.read, scanInput, selectInputsOfTurn, t.place, min(max(limit, 1), MaxPage))
	}
	if err != nil {
		return nil, fmt.Errorf("list pending inputs of turn %q: %w", turn, s.note(err))
	}
	return list, nil
}

func scanInput(row scanner) (Input, error) {
	var in Input
	var turn sql.NullString
	var created int64
	err := row.Scan(&in.Seq, &in.SessionID, &turn, &in.CallID, &in.Kind, &in.Payload, &created)
	in.TurnID, in.Created = turn.String, time.UnixMilli(created).UTC()
	return in, err
}
