package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"parley/backend/store"
)

func TestAgentIsKeptUpdatedAndDeleted(t *testing.T) {
	t.Parallel()
	s := opened(t)
	a, err := s.CreateAgent(t.Context(), []byte(`{"model":"m"}`), moment())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Agent(t.Context(), a.ID); err != nil || fmt.Sprint(got) != fmt.Sprint(a) || len(a.ID) < 20 {
		t.Errorf("got %+v (%v), want %+v", got, err, a)
	}
	later := moment().Add(1e9)
	if got, err := s.UpdateAgent(t.Context(), a.ID, []byte(`{"model":"n"}`), later); err != nil || string(got.Config) != `{"model":"n"}` || !got.Updated.Equal(later) || !got.Created.Equal(moment()) {
		t.Errorf("updated: got %+v (%v)", got, err)
	}
	if _, err := s.CreateAgent(t.Context(), []byte(`[]`), moment()); !errors.Is(err, store.ErrUnfit) {
		t.Errorf("no object: got %v, want ErrUnfit", err)
	}
	c := aCreation()
	c.Session.AgentID = a.ID
	made, err := s.CreateSession(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteAgent(t.Context(), a.ID); err != nil {
		t.Error(err)
	}
	if got, err := s.Session(t.Context(), made.Session.ID); err != nil || string(got.Agent) != `{"model":"m"}` {
		t.Errorf("session: got agent %s (%v), want its own copy", got.Agent, err)
	}
	for name, err := range map[string]error{
		"read": second(s.Agent(t.Context(), a.ID)), "update": second(s.UpdateAgent(t.Context(), a.ID, []byte(`{}`), later)), "delete": s.DeleteAgent(t.Context(), a.ID),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s after that: got %v, want ErrNotFound", name, err)
		}
	}
	if list, more, err := s.Agents(t.Context(), store.Page{Limit: 9}); err != nil || len(list) != 0 || more {
		t.Errorf("list: got %+v (%v), want none", list, err)
	}
}

// A Session, its Environment and its first inputs are one write.
func TestSessionIsMadeWhole(t *testing.T) {
	t.Parallel()
	s := opened(t)
	c := aCreation(message("hello"))
	c.Environment = &store.Environment{Type: "self_hosted", DeviceID: "device", Workspace: "/workspace"}
	made, err := s.CreateSession(t.Context(), c, func(m store.Created) store.Journal {
		return store.Journal{Events: []store.Event{event("", "session.created"), event(m.Added.Created[0], "turn.created")}}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Session(t.Context(), made.Session.ID)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(made.Session) || got.LastTurn != store.TurnQueued || got.Events != 2 || got.Turns != 1 ||
		got.EnvironmentID != made.Environment.ID || string(got.Metadata) != "{}" || got.NativeStarted {
		t.Errorf("got %+v (%v), want what was returned: %+v", got, err, made.Session)
	}
	if e, err := s.EnvironmentOf(t.Context(), got.ID); err != nil || fmt.Sprint(e) != fmt.Sprint(*made.Environment) || string(e.Steps) != "[]" || e.State != store.EnvironmentPending {
		t.Errorf("environment: got %+v (%v), want %+v", e, err, made.Environment)
	}
	for name, spoil := range map[string]func(*store.Creation){
		"no agent id":   func(c *store.Creation) { c.Session.AgentID = "" },
		"no agent":      func(c *store.Creation) { c.Session.Agent = nil },
		"metadata":      func(c *store.Creation) { c.Session.Metadata = []byte("3") },
		"no workspace":  func(c *store.Creation) { c.Environment.Workspace = "" },
		"a first input": func(c *store.Creation) { c.First.Inputs[0].Payload = nil },
		"a tool result": func(c *store.Creation) { c.First.Inputs = []store.Input{answer("x", "y")} },
	} {
		c := aCreation(message("hello"))
		c.Environment = &store.Environment{Type: "self_hosted", Workspace: "/workspace"}
		spoil(&c)
		if _, err := s.CreateSession(t.Context(), c, nil); !errors.Is(err, store.ErrUnfit) && !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if list, _, err := s.Sessions(t.Context(), "", store.Page{Limit: 9}); err != nil || len(list) != 1 {
		t.Errorf("after the refusals: got %d sessions (%v), want the one", len(list), err)
	}
}

// behaviour 8.2: the key of a creation gives the Session that it made.
func TestCreationIsRepeatedByItsKey(t *testing.T) {
	t.Parallel()
	s := opened(t)
	c := aCreation(message("hello"))
	c.Environment = &store.Environment{Type: "self_hosted", Workspace: "/workspace"}
	c.First.Key, c.First.Digest = "key", [32]byte{7}
	first, err := s.CreateSession(t.Context(), c, nil)
	if err != nil || first.Replayed {
		t.Fatalf("got %+v (%v), want a new one", first, err)
	}
	again, err := s.CreateSession(t.Context(), c, nil)
	if err != nil || !again.Replayed || again.Session.ID != first.Session.ID || again.Environment == nil || again.Environment.ID != first.Environment.ID {
		t.Errorf("again: got %+v (%v), want %+v", again, err, first)
	}
	c.First.Digest[0] = 8
	if _, err := s.CreateSession(t.Context(), c, nil); !errors.Is(err, store.ErrIdempotency) {
		t.Errorf("another request: got %v, want ErrIdempotency", err)
	}
	add(t, s, first.Session.ID, cancel())
	if err := s.DeleteSession(t.Context(), first.Session.ID); err != nil {
		t.Fatal(err)
	}
	if third, err := s.CreateSession(t.Context(), c, nil); err != nil || third.Replayed {
		t.Errorf("once it is deleted: got %+v (%v), want a new one", third, err)
	}
}

func TestSessionsArePagedByAgent(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var mine []string
	for i := range 6 {
		c := aCreation()
		if i%2 == 0 {
			c.Session.AgentID = "agent_b"
		}
		made, err := s.CreateSession(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			mine = append(mine, made.Session.ID)
		}
	}
	list, more, err := s.Sessions(t.Context(), "agent_b", store.Page{Limit: 2})
	if err != nil || !more || len(list) != 2 || list[0].ID != mine[2] || list[1].ID != mine[1] {
		t.Fatalf("got %+v, more %t (%v), want the two newest", list, more, err)
	}
	list, more, err = s.Sessions(t.Context(), "agent_b", store.Page{Limit: 2, After: list[1].ID})
	if err != nil || more || len(list) != 1 || list[0].ID != mine[0] {
		t.Errorf("got %+v, more %t (%v), want the oldest", list, more, err)
	}
	if list, _, err := s.Sessions(t.Context(), "", store.Page{Limit: 99}); err != nil || len(list) != 6 {
		t.Errorf("all: got %d (%v), want 6", len(list), err)
	}
	if err := s.UpdateSession(t.Context(), mine[0], []byte(`{"a":1}`)); err != nil {
		t.Error(err)
	}
	if got, err := s.Session(t.Context(), mine[0]); err != nil || string(got.Metadata) != `{"a":1}` {
		t.Errorf("updated: got %s (%v)", got.Metadata, err)
	}
}

// A Session goes with all that belongs to it, and not while it works. hostile-inputs U-2: its bytes are in no file.
func TestDeletedSessionLeavesNothing(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for status, want := range map[store.TurnStatus]error{
		store.TurnQueued: store.ErrConflict, store.TurnInProgress: store.ErrConflict, store.TurnWaiting: store.ErrConflict,
		store.TurnCompleted: nil, store.TurnFailed: nil, store.TurnCancelled: nil,
	} {
		if err := s.DeleteSession(t.Context(), made(t, s, status).SessionID); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", status, err, want)
		}
	}
	const canary = "canary-51c9"
	e := anEnvironment(t, s, "device", message(canary))
	turn := claim(t, s, latest(t, s, e.SessionID).ID)
	openCall(t, s, turn.ID, "call")
	keyed := batch(answer(turn.ID, "call"))
	keyed.Key = "key"
	for _, err := range []error{
		second(s.AddInputs(t.Context(), e.SessionID, keyed, nil)),
		second(s.ReserveWrite(t.Context(), aWrite(e.ID))),
		s.AppendJournal(t.Context(), e.SessionID, store.Journal{
			Events: []store.Event{{TurnID: turn.ID, Type: "delta", Payload: []byte(`{"a":"` + canary + `"}`), At: moment()}},
			Items:  []store.Item{{ID: "i", TurnID: turn.ID, Payload: []byte(`{"a":"` + canary + `"}`)}}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	settle(t, s, turn.ID, store.Settlement{Status: store.TurnCancelled, Outcome: []byte(`{"a":"` + canary + `"}`)})
	if err := s.DeleteSession(t.Context(), e.SessionID); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"session": second(s.Session(t.Context(), e.SessionID)), "turn": second(s.Turn(t.Context(), turn.ID)), "events": second(s.Events(t.Context(), e.SessionID, 0, 9)),
		"environment": second(s.Environment(t.Context(), e.ID)), "calls": second(s.Calls(t.Context(), turn.ID)), "again": s.DeleteSession(t.Context(), e.SessionID),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
	for file, content := range contents(t, s.Path()) {
		if bytes.Contains(content, []byte(canary)) {
			t.Errorf("%s still holds the text", file)
		}
	}
	queued, err := s.NextQueued(t.Context(), store.Candidates{Limit: 9})
	if err != nil || slices.ContainsFunc(queued, func(turn store.Turn) bool { return turn.SessionID == e.SessionID }) {
		t.Errorf("got queued %+v (%v), want none of it", queued, err)
	}
}
