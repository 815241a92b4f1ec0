package store_test

import (
	"testing"
	"time"

	"parley/backend/store"
)

// moment is the time at which the tests' changes happen.
func moment() time.Time { return time.UnixMilli(1_700_000_000_123).UTC() }

func message(text string) store.Input {
	return store.Input{Kind: store.InputMessage, Payload: []byte(`{"text":"` + text + `"}`)}
}

func cancel() store.Input { return store.Input{Kind: store.InputCancel, Payload: []byte(`{}`)} }

func answer(turn, call string) store.Input {
	return store.Input{Kind: store.InputToolResult, TurnID: turn, CallID: call, Payload: []byte(`{"output":"42"}`)}
}

func batch(inputs ...store.Input) store.Batch { return store.Batch{Inputs: inputs, At: moment()} }

// session makes a Session with first inputs.
func session(t testing.TB, s *store.Store, inputs ...store.Input) store.Session {
	t.Helper()
	made, err := s.CreateSession(t.Context(), aCreation(inputs...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return made.Session
}

func aCreation(inputs ...store.Input) store.Creation {
	return store.Creation{Session: store.Session{AgentID: "agent_a", Agent: []byte(`{"model":"m"}`)}, First: batch(inputs...)}
}

// anEnvironment makes a Session with an Environment on a device.
func anEnvironment(t testing.TB, s *store.Store, device string, inputs ...store.Input) store.Environment {
	t.Helper()
	c := aCreation(inputs...)
	c.Environment = &store.Environment{Type: "self_hosted", DeviceID: device, Workspace: "/workspace"}
	made, err := s.CreateSession(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return *made.Environment
}

func add(t testing.TB, s *store.Store, session string, inputs ...store.Input) store.Added {
	t.Helper()
	added, err := s.AddInputs(t.Context(), session, batch(inputs...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func latest(t testing.TB, s *store.Store, session string) store.Turn {
	t.Helper()
	turn, err := s.LatestTurn(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func claim(t testing.TB, s *store.Store, turn string) store.Turn {
	t.Helper()
	claimed, err := s.ClaimTurn(t.Context(), turn, store.Attempt{RunID: turn, DeviceID: "device", Declaration: []byte(`{}`), At: moment()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return claimed
}

func settle(t testing.TB, s *store.Store, turn string, end store.Settlement) store.Turn {
	t.Helper()
	end.At = moment()
	ended, err := s.SettleTurn(t.Context(), turn, end, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

func openCall(t testing.TB, s *store.Store, turn, call string) store.Turn {
	t.Helper()
	waiting, err := s.OpenCall(t.Context(), store.Call{TurnID: turn, CallID: call, Name: "add", Arguments: []byte(`{}`), Created: moment()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return waiting
}

// made brings a new Session's Turn into a status, through the methods that lead there.
func made(t testing.TB, s *store.Store, status store.TurnStatus) store.Turn {
	t.Helper()
	turn := latest(t, s, session(t, s, message("hello")).ID)
	switch status {
	case store.TurnQueued:
		return turn
	case store.TurnCancelled:
		add(t, s, turn.SessionID, cancel())
		return latest(t, s, turn.SessionID)
	}
	turn = claim(t, s, turn.ID)
	switch status {
	case store.TurnWaiting:
		return openCall(t, s, turn.ID, "call")
	case store.TurnCompleted:
		return settle(t, s, turn.ID, store.Settlement{Status: status, Applied: 1})
	case store.TurnFailed:
		return settle(t, s, turn.ID, store.Settlement{Status: status, ErrorCode: "engine_failed"})
	}
	return turn
}
