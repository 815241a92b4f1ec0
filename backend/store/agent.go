package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// Agent says how a Session's agent is made (behaviour 8.6). A Session keeps a copy of its own.
type Agent struct {
	ID      string // "agent_" and random text
	Config  []byte // JSON object: the document of the API without id and times
	Created time.Time
	Updated time.Time
}

const agentColumns = "id, config, created_at_ms, updated_at_ms"

const (
	insertAgent = "INSERT INTO agent (id, config, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?)"
	selectAgent = "SELECT " + agentColumns + " FROM agent WHERE id = ?"
	updateAgent = "UPDATE agent SET config = ?, updated_at_ms = ? WHERE id = ?"
	deleteAgent = "DELETE FROM agent WHERE id = ?"
)

func agents() listing[Agent] {
	return listing[Agent]{columns: agentColumns, from: "agent", order: "place", id: "id", scan: scanAgent}
}

// MaxConfig bounds an agent's document, in bytes: that of the largest request that makes one.
const MaxConfig = 16 << 20

// CreateAgent stores an agent under an id of its own and gives it back. Errors: ErrUnfit, ErrFull, ErrDamaged.
func (s *Store) CreateAgent(ctx context.Context, config []byte, at time.Time) (Agent, error) {
	a := Agent{ID: "agent_" + strings.ToLower(rand.Text()), Config: config, Created: kept(at), Updated: kept(at)}
	err := fitObject("config", config, MaxConfig)
	if err == nil {
		_, err = s.change(ctx, insertAgent, a.ID, a.Config, at.UnixMilli(), at.UnixMilli())
	}
	if err != nil {
		return Agent{}, fmt.Errorf("create agent: %w", err)
	}
	return a, nil
}

// Agent gives the agent with an id, or ErrNotFound.
func (s *Store) Agent(ctx context.Context, id string) (Agent, error) {
	a, err := oneOf(s.read.QueryRowContext(ctx, selectAgent, id), scanAgent)
	if err != nil {
		return Agent{}, fmt.Errorf("read agent %q: %w", id, s.note(err))
	}
	return a, nil
}

// Agents lists agents, and whether there are more.
func (s *Store) Agents(ctx context.Context, p Page) ([]Agent, bool, error) {
	list, more, err := paged(ctx, s, agents(), p)
	if err != nil {
		return nil, false, fmt.Errorf("list agents: %w", err)
	}
	return list, more, nil
}

// UpdateAgent replaces an agent's document. Sessions that were made before keep theirs. Errors: ErrNotFound, ErrUnfit.
func (s *Store) UpdateAgent(ctx context.Context, id string, config []byte, at time.Time) (Agent, error) {
	var a Agent
	err := fitObject("config", config, MaxConfig)
	if err == nil {
		err = s.together(ctx, func(w *work) (err error) {
			if err := w.changeOne(updateAgent, config, at.UnixMilli(), id); err != nil {
				return err
			}
			a, err = oneOf(w.row(selectAgent, id), scanAgent)
			return err
		})
	}
	if err != nil {
		return Agent{}, fmt.Errorf("update agent %q: %w", id, err)
	}
	return a, nil
}

// DeleteAgent removes an agent and its bytes; Sessions made of it keep their copy. ErrNotFound if there is none.
func (s *Store) DeleteAgent(ctx context.Context, id string) error {
	err := s.together(ctx, func(w *work) error { return w.changeOne(deleteAgent, id) })
	if err != nil {
		return fmt.Errorf("delete agent %q: %w", id, err)
	}
	s.scrub(ctx)
	return nil
}

func scanAgent(row scanner) (Agent, error) {
	var a Agent
	var created, updated int64
	err := row.Scan(&a.ID, &a.Config, &created, &updated)
	a.Created, a.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return a, err
}
