package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Added is what a batch came to.
type Added struct {
	Inputs   []Input // as they were taken
	Turns    []Turn  // created or changed by the batch, each once in the state it left them
	Created  []string
	Answered []Call // by tool results
	Replayed bool   // the same batch was taken before: only Inputs is given
}

const (
	selectBatch   = "SELECT digest, first, last FROM input_batch WHERE session = ? AND key = ?"
	insertBatch   = "INSERT INTO input_batch (session, key, digest, first, last) VALUES (?, ?, ?, ?, ?)"
	countInputs   = "UPDATE session SET inputs = ?, turns = ?, last_active_at_ms = ? WHERE place = ?"
	recordCancel  = "UPDATE turn SET cancel_at_ms = ? WHERE place = ?"
	cancelAtOnce  = "UPDATE turn SET status = 'cancelled', cancel_at_ms = ?1, completed_at_ms = ?1 WHERE place = ?2"
	setTurnStatus = "UPDATE turn SET status = ? WHERE place = ?"
)

// AddInputs takes a batch of inputs into a Session as behaviour 8.2 says: a message makes a Turn or joins the one that
// has not ended, a cancel ends a queued Turn and is recorded on a running one, a tool result answers an open call. The
// same key with the same digest gives the same inputs again and changes nothing. Errors: ErrNotFound; ErrUnfit;
// ErrConflict where a tool result has no open call; ErrIdempotency; ErrTooMany; ErrFull, ErrDamaged.
func (s *Store) AddInputs(ctx context.Context, session string, b Batch, describe Describe[Added]) (Added, error) {
	var added Added
	err := b.fitSizes()
	if err == nil && len(b.Inputs) == 0 {
		err = fmt.Errorf("%w: expected at least one input", ErrUnfit)
	}
	if err == nil {
		err = s.together(ctx, func(w *work) (err error) {
			added, err = w.addInputs(session, b, describe)
			return err
		})
	}
	if err != nil {
		return Added{}, fmt.Errorf("add inputs to session %q: %w", session, err)
	}
	return added, nil
}

func (w *work) addInputs(session string, b Batch, describe Describe[Added]) (Added, error) {
	held, err := w.session(session)
	if err != nil {
		return Added{}, err
	}
	if earlier, err := w.replayedBatch(held, b); err != nil || earlier.Replayed {
		return earlier, err
	}
	added, err := w.take(held, b)
	if err != nil {
		return Added{}, err
	}
	if b.Key != "" {
		first := held.inputs - int64(len(b.Inputs)) + 1
		if _, err := w.exec(insertBatch, held.place, b.Key, b.Digest[:], first, held.inputs); err != nil {
			return Added{}, err
		}
	}
	return added, w.append(held, describe.of(added), b.admit())
}

// admit bounds the journal of a batch, unless it holds a cancel: that one must always be possible.
func (b Batch) admit() func(journaled) error {
	if slices.ContainsFunc(b.Inputs, func(in Input) bool { return in.Kind == InputCancel }) {
		return nil
	}
	return journaled.withinBounds
}

func (w *work) replayedBatch(held *heldSession, b Batch) (Added, error) {
	if b.Key == "" {
		return Added{}, nil
	}
	var digest []byte
	var first, last int64
	err := w.row(selectBatch, held.place, b.Key).Scan(&digest, &first, &last)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Added{}, nil
	case err != nil:
		return Added{}, err
	case !bytes.Equal(digest, b.Digest[:]):
		return Added{}, fmt.Errorf("%w: %q brought inputs %d to %d", ErrIdempotency, b.Key, first, last)
	}
	list, err := allOf(w, scanInput, selectInputsBetween, held.place, first, last)
	return Added{Inputs: list, Replayed: true}, err
}

// intake takes one batch.
type intake struct {
	*work
	held    *heldSession
	at      time.Time
	active  *keptTurn   // nil: the Session is idle
	touched []*keptTurn // created or changed
	added   Added
}

// take files the inputs of a batch in their order and moves the Session's counters on.
func (w *work) take(held *heldSession, b Batch) (Added, error) {
	if len(b.Inputs) == 0 {
		return Added{}, nil
	}
	active, err := w.activeTurn(held.place)
	if err != nil {
		return Added{}, err
	}
	k := &intake{work: w, held: held, at: kept(b.At), active: active}
	for i, in := range b.Inputs {
		if err := k.one(in); err != nil {
			return Added{}, fmt.Errorf("input %d of %d: %w", i+1, len(b.Inputs), err)
		}
	}
	for _, t := range k.touched {
		k.added.Turns = append(k.added.Turns, t.Turn)
	}
	_, err = w.exec(countInputs, held.inputs, held.turns, b.At.UnixMilli(), held.place)
	return k.added, err
}

func (k *intake) one(in Input) error {
	var t *keptTurn // that the input joins
	var err error
	switch in.Kind {
	case InputMessage:
		t, err = k.message()
	case InputCancel:
		t, err = k.cancel()
	case InputToolResult:
		t, err = k.toolResult(in)
	default:
		err = fmt.Errorf("%w: kind: expected message, cancel or tool_result, found %q", ErrUnfit, in.Kind)
	}
	if err != nil {
		return err
	}
	return k.file(in, t)
}

func (k *intake) file(in Input, t *keptTurn) error {
	var place any // NULL: joins no Turn
	in.TurnID = ""
	if t != nil {
		place, in.TurnID = t.place, t.ID
	}
	if in.Kind != InputToolResult {
		in.CallID = ""
	}
	k.held.inputs++
	in.Seq, in.SessionID, in.Created = k.held.inputs, k.held.id, k.at
	if _, err := k.exec(insertInput, k.held.place, in.Seq, place, in.Kind, in.CallID, in.Payload, k.at.UnixMilli()); err != nil {
		return err
	}
	in.Result = nil
	k.added.Inputs = append(k.added.Inputs, in)
	return nil
}

// message joins the Turn that has not ended, or makes one.
func (k *intake) message() (*keptTurn, error) {
	if k.active != nil {
		return k.active, nil
	}
	k.held.turns++
	t := &keptTurn{session: k.held.place, Turn: Turn{ID: uuid.NewString(), SessionID: k.held.id, Seq: k.held.turns,
		Status: TurnQueued, Created: k.at}}
	var err error
	if t.place, err = k.insert(insertTurn, t.ID, t.session, t.Seq, t.Status, k.at.UnixMilli()); err != nil {
		return nil, err
	}
	k.active = t
	k.added.Created = append(k.added.Created, t.ID)
	k.touch(t)
	return t, nil
}

// cancel ends a queued Turn at once. On a running one it is recorded, and what the Runtime answers decides.
func (k *intake) cancel() (*keptTurn, error) {
	t := k.active
	if t == nil || !t.Cancel.IsZero() {
		return t, nil // its identity is kept
	}
	t.Cancel = k.at
	k.touch(t)
	if t.Status != TurnQueued {
		_, err := k.exec(recordCancel, k.at.UnixMilli(), t.place)
		return t, err
	}
	t.Status, t.Completed = TurnCancelled, k.at
	k.active = nil
	_, err := k.exec(cancelAtOnce, k.at.UnixMilli(), t.place)
	return t, err
}

// toolResult answers an open call of the Turn that has not ended.
func (k *intake) toolResult(in Input) (*keptTurn, error) {
	t := k.active
	if t == nil {
		return nil, fmt.Errorf("%w: the Session has no Turn that waits for a tool result", ErrConflict)
	}
	if t.ID != in.TurnID {
		return nil, fmt.Errorf("%w: Turn %q is not the one that waits", ErrConflict, in.TurnID)
	}
	call, err := k.answerCall(t, in)
	if err != nil {
		return nil, err
	}
	k.added.Answered = append(k.added.Answered, call)
	changed, err := k.followCalls(t)
	if changed {
		k.touch(t)
	}
	return t, err
}

func (k *intake) touch(t *keptTurn) {
	if !slices.Contains(k.touched, t) {
		k.touched = append(k.touched, t)
	}
}
