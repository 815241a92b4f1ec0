package core

import (
	"context"
	"path/filepath"
	"time"

	"parley/backend/store"
)

// SelfHosted is the type of an Environment whose folder is on the machine of its Runtime.
const SelfHosted = "self_hosted"

// newEnvironment checks what is asked for; nil stays nil.
func (s *Service) newEnvironment(_ context.Context, n *NewEnvironment) (*store.Environment, error) {
	if n == nil {
		return nil, nil
	}
	if !filepath.IsAbs(n.Workspace) {
		return nil, invalid("environment.workspace_directory", "expected an absolute folder on the Runtime's machine")
	}
	steps := n.Steps
	if len(steps) == 0 {
		steps = []byte("[]")
	}
	return &store.Environment{Type: SelfHosted, DeviceID: n.DeviceID, Workspace: n.Workspace, Steps: steps}, nil
}

// Environment gives an Environment as it stands, or store.ErrNotFound.
func (s *Service) Environment(ctx context.Context, id string) (store.Environment, error) {
	return s.store.Environment(ctx, id)
}

// environmentEvent tells an Environment's state.
func environmentEvent(e store.Environment, at time.Time) store.Event {
	kinds := map[store.EnvironmentState]string{
		store.EnvironmentPending: EventEnvironmentPending, store.EnvironmentConnected: EventEnvironmentConnected,
		store.EnvironmentDisconnected: EventEnvironmentDisconnected, store.EnvironmentFailed: EventEnvironmentFailed,
		store.EnvironmentExpired: EventEnvironmentFailed,
	}
	return event(kinds[e.State], "", at, map[string]any{"session_id": e.SessionID, "environment": DocumentOfEnvironment(e)})
}

// EnvironmentDocument is an Environment as the API shows it.
type EnvironmentDocument struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Status    string `json:"status"`
	Workspace string `json:"workspace_directory"`
	DeviceID  string `json:"device_id,omitempty"`
	Init      string `json:"initialization"`
	ErrorCode string `json:"error_code,omitempty"`
	CreatedAt int64  `json:"created_at"`
}

// DocumentOfEnvironment writes an Environment for the API.
func DocumentOfEnvironment(e store.Environment) EnvironmentDocument {
	return EnvironmentDocument{ID: e.ID, Object: "agent.environment", Type: e.Type, SessionID: e.SessionID,
		Status: string(e.State), Workspace: e.Workspace, DeviceID: e.DeviceID, Init: string(e.Init), ErrorCode: e.ErrorCode,
		CreatedAt: e.Created.Unix()}
}
