package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// CallState is how far a function call is (behaviour 6.6).
type CallState string

// The states of a call.
const (
	CallOpen      CallState = "open"      // asks for an answer
	CallAnswered  CallState = "answered"  // an answer is stored, not confirmed
	CallApplied   CallState = "applied"   // the Runtime confirmed it
	CallFailed    CallState = "failed"    // the Runtime refused it
	CallWithdrawn CallState = "withdrawn" // no answer will be used
)

// Call is one function call of a Turn. A Turn is waiting exactly while a call of it is open.
type Call struct {
	TurnID    string
	CallID    string // within the Turn
	SessionID string
	Name      string
	Arguments []byte
	NativeID  string // of a child, "" for the Run itself
	ChildTurn string
	State     CallState
	Result    []byte // the answer; nil while there is none
	Created   time.Time
	Settled   time.Time // zero: not
}

const callColumns = `t.id, c.call_id, s.id, c.name, c.arguments, c.native_id, c.child_turn, c.state, c.result, c.created_at_ms,
	c.settled_at_ms`

const callTables = "call c JOIN turn t ON t.place = c.turn JOIN session s ON s.place = c.session"

const (
	insertCall = `INSERT INTO call (session, turn, call_id, name, arguments, native_id, child_turn, state, created_at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?) ON CONFLICT (turn, call_id) DO NOTHING`
	selectCall        = "SELECT " + callColumns + " FROM " + callTables + " WHERE c.turn = ? AND c.call_id = ?"
	selectCallsOfTurn = "SELECT " + callColumns + " FROM " + callTables + " WHERE c.turn = ? ORDER BY c.place"
	selectHasOpen     = "SELECT EXISTS (SELECT 1 FROM call WHERE turn = ? AND state = 'open')"
	answerCall        = "UPDATE call SET state = 'answered', result = ? WHERE turn = ? AND call_id = ?"
	settleCall        = "UPDATE call SET state = ?, settled_at_ms = ? WHERE turn = ? AND call_id = ?"
	withdrawCalls     = "UPDATE call SET state = 'withdrawn', settled_at_ms = ? WHERE turn = ? AND state = 'open'"
)

// Calls lists all calls of a Turn, the oldest first. ErrNotFound if there is no such Turn.
func (s *Store) Calls(ctx context.Context, turn string) ([]Call, error) {
	t, err := s.keptTurn(ctx, turn)
	var list []Call
	if err == nil {
		list, err = listOf(ctx, s.read, scanCall, selectCallsOfTurn, t.place)
	}
	if err != nil {
		return nil, fmt.Errorf("list calls of turn %q: %w", turn, s.note(err))
	}
	return list, nil
}

// OpenCall stores a call that asks for an answer; its Turn waits from then on. Errors: ErrNotFound; ErrChanged where the
// Turn is not running; ErrConflict where it has a call of that id; ErrUnfit.
func (s *Store) OpenCall(ctx context.Context, c Call, describe Describe[Turn]) (Turn, error) {
	err := fitName("call id", c.CallID)
	if err == nil && len(c.Arguments) > MaxPayload {
		err = fmt.Errorf("%w: arguments: expected at most %d bytes, found %d", ErrUnfit, MaxPayload, len(c.Arguments))
	}
	if err != nil {
		return Turn{}, fmt.Errorf("open call %q of turn %q: %w", c.CallID, c.TurnID, err)
	}
	return s.changeCall(ctx, "open", c.TurnID, c.CallID, describe, func(w *work, t *keptTurn) error {
		opened, err := w.changed(insertCall, t.session, t.place, c.CallID, c.Name, present(c.Arguments), c.NativeID, c.ChildTurn,
			c.Created.UnixMilli())
		if err == nil && !opened {
			err = fmt.Errorf("%w: the Turn has a call of this id", ErrConflict)
		}
		return err
	})
}

// SettleCall notes whether the Runtime took the stored answer: CallApplied or CallFailed. Errors: ErrNotFound; ErrChanged
// where no answer is on its way, or the Turn is not running.
func (s *Store) SettleCall(ctx context.Context, turn, call string, to CallState, at time.Time, describe Describe[Turn]) (Turn, error) {
	if to != CallApplied && to != CallFailed {
		return Turn{}, fmt.Errorf("settle call %q of turn %q: %w: state %q", call, turn, ErrUnfit, to)
	}
	return s.changeCall(ctx, "settle", turn, call, describe, func(w *work, t *keptTurn) error {
		return w.moveCall(t, call, to, at, CallAnswered)
	})
}

// WithdrawCall notes that no answer to a call will be used. Errors: ErrNotFound; ErrChanged where the call has ended, or
// the Turn is not running.
func (s *Store) WithdrawCall(ctx context.Context, turn, call string, at time.Time, describe Describe[Turn]) (Turn, error) {
	return s.changeCall(ctx, "withdraw", turn, call, describe, func(w *work, t *keptTurn) error {
		return w.moveCall(t, call, CallWithdrawn, at, CallOpen, CallAnswered)
	})
}

// changeCall changes a call of a running Turn and lets the Turn's status follow.
func (s *Store) changeCall(ctx context.Context, verb, turn, call string, describe Describe[Turn], do func(*work, *keptTurn) error) (Turn, error) {
	var t *keptTurn
	err := s.together(ctx, func(w *work) (err error) {
		if t, err = w.turn(turn); err != nil {
			return err
		}
		if t.Status != TurnInProgress && t.Status != TurnWaiting {
			return fmt.Errorf("%w: expected a running Turn, found %s", ErrChanged, t.Status)
		}
		if err := do(w, t); err != nil {
			return err
		}
		if _, err := w.followCalls(t); err != nil {
			return err
		}
		return w.describeTurn(t, describe)
	})
	if err != nil {
		return Turn{}, fmt.Errorf("%s call %q of turn %q: %w", verb, call, turn, err)
	}
	return t.Turn, nil
}

func (w *work) moveCall(t *keptTurn, id string, to CallState, at time.Time, from ...CallState) error {
	c, err := oneOf(w.row(selectCall, t.place, id), scanCall)
	if err != nil {
		return err
	}
	for _, state := range from {
		if c.State == state {
			_, err := w.exec(settleCall, to, at.UnixMilli(), t.place, id)
			return err
		}
	}
	return fmt.Errorf("%w: the call is %s", ErrChanged, c.State)
}

// answerCall stores the answer of a tool result. Only an open call takes one (behaviour 8.2).
func (w *work) answerCall(t *keptTurn, in Input) (Call, error) {
	c, err := oneOf(w.row(selectCall, t.place, in.CallID), scanCall)
	switch {
	case errors.Is(err, ErrNotFound):
		return Call{}, fmt.Errorf("%w: Turn %s has no call %q", ErrConflict, t.ID, in.CallID)
	case err != nil:
		return Call{}, err
	case c.State != CallOpen:
		return Call{}, fmt.Errorf("%w: call %q is %s", ErrConflict, in.CallID, c.State)
	}
	c.State, c.Result = CallAnswered, in.Result
	if c.Result == nil {
		c.Result = in.Payload
	}
	_, err = w.exec(answerCall, c.Result, t.place, in.CallID)
	return c, err
}

// followCalls gives a running Turn the status that its calls make, and tells whether it changed.
func (w *work) followCalls(t *keptTurn) (bool, error) {
	open, err := oneOf(w.row(selectHasOpen, t.place), scanOne[bool])
	if err != nil {
		return false, err
	}
	to := TurnInProgress
	if open {
		to = TurnWaiting
	}
	if t.Status == to {
		return false, nil
	}
	t.Status = to
	_, err = w.exec(setTurnStatus, to, t.place)
	return true, err
}

func scanCall(row scanner) (Call, error) {
	var c Call
	var created int64
	var settled sql.NullInt64
	err := row.Scan(&c.TurnID, &c.CallID, &c.SessionID, &c.Name, &c.Arguments, &c.NativeID, &c.ChildTurn, &c.State, &c.Result,
		&created, &settled)
	c.Created, c.Settled = time.UnixMilli(created).UTC(), moment(settled)
	return c, err
}
