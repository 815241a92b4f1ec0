package core

import (
	"context"
	"encoding/json"
	"errors"

	"parley/backend/store"
)

// NewSession asks for a Session.
type NewSession struct {
	AgentID     string
	Metadata    map[string]string
	Environment *NewEnvironment // nil: none
	Inputs      []InputEvent    // first messages; an Environment none needs at least one
	Key         string          // idempotency key, "" for none
	Digest      [32]byte        // of the whole request
}

// NewEnvironment asks for an Environment of type self_hosted on a device that is bound to it, or that this Core binds.
type NewEnvironment struct {
	DeviceID  string
	Workspace string // folder on the Runtime's machine; "" takes the device's own
	Steps     []byte // JSON array of initialization steps; nil for none
}

// SessionView is a Session with what is derived from its Turns (behaviour 8.6).
type SessionView struct {
	store.Session
	Status   SessionStatus
	Required []store.Call // open function calls of the Turn that waits
	Active   *store.Turn  // that has not ended
	Last     *store.Turn  // the latest one
}

// SessionStatus is how a Session stands.
type SessionStatus string

const (
	SessionIdle       SessionStatus = "idle"
	SessionInProgress SessionStatus = "in_progress"
	SessionRequires   SessionStatus = "requires_action"
	SessionFailed     SessionStatus = "failed"
)

// CreateSession makes a Session and takes its first inputs in one write. Errors: *InvalidError and those of the store.
func (s *Service) CreateSession(ctx context.Context, n NewSession) (SessionView, error) {
	agent, err := s.store.Agent(ctx, n.AgentID)
	if err != nil {
		return SessionView{}, err
	}
	if err := checkMetadata(n.Metadata); err != nil {
		return SessionView{}, err
	}
	if n.Environment == nil && len(n.Inputs) == 0 {
		return SessionView{}, invalid("input", "a Session without an Environment begins with a message")
	}
	inputs, err := storeInputs("input", n.Inputs, true)
	if err != nil {
		return SessionView{}, err
	}
	environment, err := s.newEnvironment(ctx, n.Environment)
	if err != nil {
		return SessionView{}, err
	}
	metadata, err := json.Marshal(orEmpty(n.Metadata))
	if err != nil {
		return SessionView{}, err
	}
	created, err := s.store.CreateSession(ctx, store.Creation{
		Session:     store.Session{AgentID: agent.ID, Agent: agent.Config, Metadata: metadata},
		Environment: environment,
		First:       store.Batch{Key: n.Key, Digest: n.Digest, Inputs: inputs, At: s.now()},
	}, describeCreated)
	if err != nil {
		return SessionView{}, err
	}
	s.Wake()
	return s.Session(ctx, created.Session.ID)
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// Session gives a Session as it stands, or store.ErrNotFound.
func (s *Service) Session(ctx context.Context, id string) (SessionView, error) {
	session, err := s.store.Session(ctx, id)
	if err != nil {
		return SessionView{}, err
	}
	return s.view(ctx, session)
}

// Sessions gives one page, newest first, of one agent or ("") of all, and whether there is more.
func (s *Service) Sessions(ctx context.Context, agent string, p store.Page) ([]SessionView, bool, error) {
	sessions, more, err := s.store.Sessions(ctx, agent, p)
	if err != nil {
		return nil, false, err
	}
	views := make([]SessionView, 0, len(sessions))
	for _, session := range sessions {
		view, err := s.listed(ctx, session)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was deleted meanwhile
		}
		if err != nil {
			return nil, false, err
		}
		views = append(views, view)
	}
	return views, more, nil
}

// UpdateSession replaces a Session's metadata.
func (s *Service) UpdateSession(ctx context.Context, id string, metadata map[string]string) (SessionView, error) {
	if err := checkMetadata(metadata); err != nil {
		return SessionView{}, err
	}
	data, err := json.Marshal(orEmpty(metadata))
	if err != nil {
		return SessionView{}, err
	}
	if err := s.store.UpdateSession(ctx, id, data); err != nil {
		return SessionView{}, err
	}
	return s.Session(ctx, id)
}

// DeleteSession forgets a Session without unfinished work, and ends the feeds of those who follow it; store.ErrConflict
// otherwise.
func (s *Service) DeleteSession(ctx context.Context, id string) error {
	if err := s.store.DeleteSession(ctx, id); err != nil {
		return err
	}
	s.hub.end(id)
	return nil
}

// listed is a Session in a list: only one that waits needs more than its own record.
func (s *Service) listed(ctx context.Context, session store.Session) (SessionView, error) {
	if session.LastTurn == store.TurnWaiting {
		return s.view(ctx, session)
	}
	return SessionView{Session: session, Status: statusOf(session.LastTurn)}, nil
}

// view adds what a single Session shows beyond a list.
func (s *Service) view(ctx context.Context, session store.Session) (SessionView, error) {
	v := SessionView{Session: session, Status: statusOf(session.LastTurn)}
	if session.Turns == 0 {
		return v, nil
	}
	last, err := s.store.LatestTurn(ctx, session.ID)
	if err != nil {
		return v, err
	}
	v.Last, v.Status = &last, statusOf(last.Status)
	if last.Status.Terminal() {
		return v, nil
	}
	v.Active = &last
	calls, err := s.store.Calls(ctx, last.ID)
	if err != nil {
		return v, err
	}
	for _, call := range calls {
		if call.State == store.CallOpen {
			v.Required = append(v.Required, call)
		}
	}
	return v, nil
}

// statusOf derives a Session's status from its latest Turn.
func statusOf(turn store.TurnStatus) SessionStatus {
	switch turn {
	case store.TurnQueued, store.TurnInProgress:
		return SessionInProgress
	case store.TurnWaiting:
		return SessionRequires
	case store.TurnFailed:
		return SessionFailed
	}
	return SessionIdle
}

// Turns, Turn, Items and Events are a Session's history.
func (s *Service) Turns(ctx context.Context, session string, p store.Page) ([]store.Turn, bool, error) {
	return s.store.Turns(ctx, session, p)
}

// Turn gives one Turn, or store.ErrNotFound.
func (s *Service) Turn(ctx context.Context, id string) (store.Turn, error) {
	return s.store.Turn(ctx, id)
}

// Items gives one page of a Session's items.
func (s *Service) Items(ctx context.Context, session string, p store.Page) ([]store.Item, bool, error) {
	return s.store.Items(ctx, session, p)
}

// ItemsOfTurn gives one page of a Turn's items in their order.
func (s *Service) ItemsOfTurn(ctx context.Context, turn string, p store.Page) ([]store.Item, bool, error) {
	return s.store.ItemsOfTurn(ctx, turn, p)
}

// Calls gives the function calls of a Turn.
func (s *Service) Calls(ctx context.Context, turn string) ([]store.Call, error) {
	return s.store.Calls(ctx, turn)
}

// Events gives the journal after a sequence number.
func (s *Service) Events(ctx context.Context, session string, after int64, limit int) ([]store.Event, error) {
	return s.store.Events(ctx, session, after, limit)
}
