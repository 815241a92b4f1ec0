package store_test

import (
	"errors"
	"testing"

	"parley/backend/store"
)

// behaviour 8.1: a Turn waits exactly while a call is open. behaviour 6.6: a withdrawn call takes no result.
func TestTurnWaitsWhileACallIsOpen(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnInProgress)
	status := func(step string, want store.TurnStatus) {
		t.Helper()
		if got, err := s.Turn(t.Context(), turn.ID); err != nil || got.Status != want {
			t.Errorf("%s: got %s (%v), want %s", step, got.Status, err, want)
		}
	}
	openCall(t, s, turn.ID, "a")
	openCall(t, s, turn.ID, "b")
	openCall(t, s, turn.ID, "c")
	status("three open", store.TurnWaiting)
	add(t, s, turn.SessionID, answer(turn.ID, "a"))
	status("one answered", store.TurnWaiting)
	if _, err := s.WithdrawCall(t.Context(), turn.ID, "b", moment(), nil); err != nil {
		t.Error(err)
	}
	status("one withdrawn", store.TurnWaiting)
	in := answer(turn.ID, "c")
	in.Result = []byte(`{"content":[]}`)
	added := add(t, s, turn.SessionID, in)
	status("all answered", store.TurnInProgress)
	if len(added.Turns) != 1 || added.Turns[0].Status != store.TurnInProgress || len(added.Answered) != 1 || string(added.Answered[0].Result) != `{"content":[]}` {
		t.Errorf("added: got %+v, want the Turn that goes on and the answered call", added)
	}
	for call, want := range map[string]error{"a": store.ErrConflict, "b": store.ErrConflict, "nobody": store.ErrConflict} {
		if _, err := s.AddInputs(t.Context(), turn.SessionID, batch(answer(turn.ID, call)), nil); !errors.Is(err, want) {
			t.Errorf("answer to %s: got %v, want %v", call, err, want)
		}
	}
}

// behaviour 6.6: how each step of a call ends from each of its states.
func TestCallStates(t *testing.T) {
	t.Parallel()
	s := opened(t)
	steps := map[string]func(turn store.Turn) error{
		"answer": func(turn store.Turn) error {
			_, err := s.AddInputs(t.Context(), turn.SessionID, batch(answer(turn.ID, "call")), nil)
			return err
		},
		"applied": func(turn store.Turn) error {
			_, err := s.SettleCall(t.Context(), turn.ID, "call", store.CallApplied, moment(), nil)
			return err
		},
		"failed": func(turn store.Turn) error {
			_, err := s.SettleCall(t.Context(), turn.ID, "call", store.CallFailed, moment(), nil)
			return err
		},
		"withdraw": func(turn store.Turn) error {
			_, err := s.WithdrawCall(t.Context(), turn.ID, "call", moment(), nil)
			return err
		},
		"end": func(turn store.Turn) error {
			_, err := s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: store.TurnCancelled, At: moment()}, nil)
			return err
		},
	}
	for _, tt := range []struct {
		steps []string
		state store.CallState
		err   error // of the last step
	}{
		{[]string{}, store.CallOpen, nil},
		{[]string{"answer"}, store.CallAnswered, nil},
		{[]string{"applied"}, store.CallOpen, store.ErrChanged},
		{[]string{"withdraw"}, store.CallWithdrawn, nil},
		{[]string{"end"}, store.CallWithdrawn, nil},
		{[]string{"answer", "applied"}, store.CallApplied, nil},
		{[]string{"answer", "failed"}, store.CallFailed, nil},
		{[]string{"answer", "withdraw"}, store.CallWithdrawn, nil},
		{[]string{"answer", "end"}, store.CallAnswered, nil},
		{[]string{"answer", "applied", "failed"}, store.CallApplied, store.ErrChanged},
		{[]string{"answer", "applied", "withdraw"}, store.CallApplied, store.ErrChanged},
		{[]string{"withdraw", "applied"}, store.CallWithdrawn, store.ErrChanged},
		{[]string{"withdraw", "answer"}, store.CallWithdrawn, store.ErrConflict},
		{[]string{"answer", "end", "applied"}, store.CallAnswered, store.ErrChanged},
	} {
		turn := made(t, s, store.TurnWaiting)
		var err error
		for _, step := range tt.steps {
			err = steps[step](turn)
		}
		if !errors.Is(err, tt.err) {
			t.Errorf("%q: got %v, want %v", tt.steps, err, tt.err)
		}
		calls, err := s.Calls(t.Context(), turn.ID)
		if err != nil || len(calls) != 1 || calls[0].State != tt.state {
			t.Errorf("%q: got %+v (%v), want %s", tt.steps, calls, err, tt.state)
		}
	}
}

func TestCallIsOpenedOnceOnARunningTurn(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for status, want := range map[store.TurnStatus]error{
		store.TurnQueued: store.ErrChanged, store.TurnCompleted: store.ErrChanged, store.TurnWaiting: store.ErrConflict, store.TurnInProgress: nil,
	} {
		turn := made(t, s, status)
		call := store.Call{TurnID: turn.ID, CallID: "call", Name: "add", Arguments: []byte("{"), NativeID: "child", ChildTurn: "1", Created: moment()}
		if _, err := s.OpenCall(t.Context(), call, nil); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", status, err, want)
		}
		if want != nil {
			continue
		}
		calls, err := s.Calls(t.Context(), turn.ID)
		if err != nil || len(calls) != 1 || string(calls[0].Arguments) != "{" || calls[0].NativeID != "child" || calls[0].Name != "add" || calls[0].Result != nil {
			t.Errorf("got %+v (%v), want the call as it was opened", calls, err)
		}
	}
}
