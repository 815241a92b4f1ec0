package core

import (
	"encoding/json"
	"strconv"
	"time"

	"parley/backend/store"
)

// Each describe function tells the public events of one change, in the order of behaviour 8.6. They run inside the write
// of the change, so that nothing is acknowledged without its event.

func describeCreated(c store.Created) store.Journal {
	if c.Replayed {
		return store.Journal{}
	}
	j := store.Journal{Events: []store.Event{sessionEvent(EventSessionCreated, c.Session.ID, c.Session.Created)}}
	if c.Environment != nil {
		j.Events = append(j.Events, environmentEvent(*c.Environment, c.Session.Created))
	}
	return join(j, describeAdded(c.Added))
}

func join(a, b store.Journal) store.Journal {
	return store.Journal{Events: append(a.Events, b.Events...), Items: append(a.Items, b.Items...)}
}

// describeAdded: a new Turn is created, gets its user items, and the Session is in progress; a message to a running Turn
// adds its item; a cancel of a queued Turn ends it.
func describeAdded(added store.Added) store.Journal {
	var j store.Journal
	if added.Replayed {
		return j
	}
	for _, turn := range added.Turns {
		if created(added, turn.ID) {
			j.Events = append(j.Events, turnEvent(EventTurnCreated, turn, turn.Created))
		}
	}
	for _, input := range added.Inputs {
		if input.Kind == store.InputMessage {
			j = join(j, userItem(input))
		}
	}
	for _, turn := range added.Turns {
		switch {
		case turn.Status == store.TurnCancelled:
			j = join(j, endOfTurn(turn))
		case created(added, turn.ID):
			j.Events = append(j.Events, sessionEvent(EventSessionInProgress, turn.SessionID, turn.Created))
		case turn.Status == store.TurnInProgress && len(added.Answered) > 0:
			j.Events = append(j.Events, sessionEvent(EventSessionInProgress, turn.SessionID, added.Inputs[0].Created))
		}
	}
	return j
}

func created(added store.Added, turn string) bool {
	for _, id := range added.Created {
		if id == turn {
			return true
		}
	}
	return false
}

// userItem is a message of the user as an item of its Turn. Its index comes from the input, so that it is before or
// between the agent's items as it was taken.
func userItem(input store.Input) store.Journal {
	id := "input_" + strconv.FormatInt(input.Seq, 10)
	payload, err := json.Marshal(map[string]any{"id": id, "type": "message", "role": "user", "status": "completed",
		"content": json.RawMessage(contentOf(input.Payload)), "input_seq": input.Seq, "created_at_ms": input.Created.UnixMilli()})
	if err != nil {
		return store.Journal{}
	}
	return store.Journal{
		Items: []store.Item{{ID: id, TurnID: input.TurnID, Index: -1, Kind: "user_message", Payload: payload}},
		Events: []store.Event{event(EventItemAdded, input.TurnID, input.Created, map[string]any{
			"session_id": input.SessionID, "turn_id": input.TurnID, "item": json.RawMessage(payload)})},
	}
}

func contentOf(message []byte) []byte {
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(message, &m) != nil || len(m.Content) == 0 {
		return []byte("[]")
	}
	return m.Content
}

// describeClaimed: the Turn is in progress.
func describeClaimed(t store.Turn) store.Journal {
	return store.Journal{Events: []store.Event{turnEvent(EventTurnInProgress, t, t.Started)}}
}

// endOfTurn: the Turn's end, then the Session's.
func endOfTurn(t store.Turn) store.Journal {
	kind, session := EventTurnCompleted, EventSessionIdle
	switch t.Status {
	case store.TurnFailed:
		kind, session = EventTurnFailed, EventSessionFailed
	case store.TurnCancelled:
		kind = EventTurnCancelled
	}
	return store.Journal{Events: []store.Event{turnEvent(kind, t, t.Completed), sessionEvent(session, t.SessionID, t.Completed)}}
}

// describeInterrupted is the end of a Turn that an earlier process left behind.
func describeInterrupted(t store.Turn) store.Journal { return endOfTurn(t) }

// describeWaitingAt: a call was opened, answered or withdrawn; the Session asks for something or goes on.
func describeWaitingAt(at time.Time) store.Describe[store.Turn] {
	return func(t store.Turn) store.Journal {
		kind := EventSessionInProgress
		if t.Status == store.TurnWaiting {
			kind = EventSessionRequires
		}
		return store.Journal{Events: []store.Event{sessionEvent(kind, t.SessionID, at)}}
	}
}

func describeEnvironment(e store.Environment) store.Journal {
	return store.Journal{Events: []store.Event{environmentEvent(e, e.Created)}}
}
