package core

import (
	"context"
	"encoding/json"

	"parley/backend/store"
)

// CreateAgent checks and keeps an agent. Errors: *InvalidError and those of the store.
func (s *Service) CreateAgent(ctx context.Context, data []byte) (store.Agent, error) {
	config, err := canonicalAgent(data)
	if err != nil {
		return store.Agent{}, err
	}
	return s.store.CreateAgent(ctx, config, s.now())
}

// UpdateAgent replaces an agent's configuration; Sessions keep the one they were made with.
func (s *Service) UpdateAgent(ctx context.Context, id string, data []byte) (store.Agent, error) {
	config, err := canonicalAgent(data)
	if err != nil {
		return store.Agent{}, err
	}
	return s.store.UpdateAgent(ctx, id, config, s.now())
}

// Agent gives an agent, or store.ErrNotFound.
func (s *Service) Agent(ctx context.Context, id string) (store.Agent, error) {
	return s.store.Agent(ctx, id)
}

// Agents gives one page, and whether there is more.
func (s *Service) Agents(ctx context.Context, p store.Page) ([]store.Agent, bool, error) {
	return s.store.Agents(ctx, p)
}

// DeleteAgent forgets an agent; its Sessions go on.
func (s *Service) DeleteAgent(ctx context.Context, id string) error {
	return s.store.DeleteAgent(ctx, id)
}

// canonicalAgent gives an agent's document as it is kept.
func canonicalAgent(data []byte) ([]byte, error) {
	config, err := ParseAgent(data)
	if err != nil {
		return nil, err
	}
	return json.Marshal(config)
}
