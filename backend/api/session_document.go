package api

import (
	"context"
	"encoding/json"

	"parley/backend/core"
	"parley/backend/store"
	"parley/daemon/proto"
)

// sessionDocument is a Session as the API shows it (behaviour 8.6). Times are Unix seconds.
type sessionDocument struct {
	ID              string            `json:"id"`
	Object          string            `json:"object"`
	Status          string            `json:"status"`
	Agent           json.RawMessage   `json:"agent"` // as it was when the Session was made
	Environment     environmentOf     `json:"environment"`
	Metadata        json.RawMessage   `json:"metadata"`
	RequiredActions []requiredAction  `json:"required_actions"`
	Usage           *proto.TokenUsage `json:"usage"` // sum over the Turns that reported theirs; null: none did
	Error           *core.TurnError   `json:"error"` // with failed
	VaultIDs        []string          `json:"vault_ids"`
	CreatedAt       int64             `json:"created_at"`
	LastActiveAt    int64             `json:"last_active_at"`
	Core            sessionCore       `json:"x_agents_core"`
}

// sessionCore is what this program adds.
type sessionCore struct {
	LastEventID int64 `json:"last_event_id"` // where a stream may go on; 0: there is no event
}

// environmentOf names a Session's Environment.
type environmentOf struct {
	Type string `json:"type"`
	ID   string `json:"id,omitempty"`
}

// requiredAction is a function call that waits for its result.
type requiredAction struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	TurnID    string          `json:"turn_id"`
	Arguments json.RawMessage `json:"arguments"`
}

func (a *API) documentOfSession(ctx context.Context, v core.SessionView) (sessionDocument, error) {
	d := sessionDocument{ID: v.ID, Object: "agent.session", Status: string(v.Status), Environment: environmentOf{Type: "none"},
		Metadata: v.Metadata, RequiredActions: []requiredAction{}, VaultIDs: []string{}, CreatedAt: v.Created.Unix(),
		LastActiveAt: v.LastActive.Unix(), Core: sessionCore{LastEventID: v.Events}}
	var err error
	if d.Agent, err = spliced(agentHead{ID: v.AgentID, Object: "agent"}, v.Agent); err != nil {
		return d, err
	}
	if d.Usage, err = a.core.Usage(ctx, v.Session); err != nil {
		return d, err
	}
	if v.EnvironmentID != "" {
		d.Environment = environmentOf{Type: core.SelfHosted, ID: v.EnvironmentID}
	}
	if v.Status == core.SessionFailed {
		d.Error = core.FailedTurn()
	}
	for _, call := range v.Required {
		d.RequiredActions = append(d.RequiredActions, documentOfCall(call))
	}
	return d, nil
}

func documentOfCall(call store.Call) requiredAction {
	return requiredAction{Type: "function_call", CallID: call.CallID, Name: call.Name, TurnID: call.TurnID, Arguments: call.Arguments}
}
