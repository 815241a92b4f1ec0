package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Creation is what a Session is made of.
type Creation struct {
	Session     Session      // AgentID, Agent and Metadata; the rest is set here
	Environment *Environment // Type, DeviceID, Workspace, Steps; nil for none
	First       Batch        // its first inputs, or none; At is when the Session was made; Key identifies the creation
}

// Created is what a creation came to.
type Created struct {
	Session     Session
	Environment *Environment
	Added       Added // empty when Replayed
	Replayed    bool  // an earlier request with the same key and digest made it
}

const (
	insertSession = `INSERT INTO session (id, agent_id, agent, metadata, request_key, request_digest, created_at_ms,
		last_active_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	selectByRequest = "SELECT id, request_digest FROM session WHERE request_key = ?"
)

// CreateSession stores a Session with its Environment and first inputs in one write. A key belongs to one creation as
// long as its Session is there. Errors: ErrUnfit; ErrConflict for inputs that a new Session cannot take; ErrIdempotency;
// ErrFull, ErrDamaged.
func (s *Store) CreateSession(ctx context.Context, c Creation, describe Describe[Created]) (Created, error) {
	var made Created
	err := c.fit()
	if err == nil {
		err = s.together(ctx, func(w *work) (err error) {
			made, err = w.createSession(c, describe)
			return err
		})
	}
	if err != nil {
		return Created{}, fmt.Errorf("create session: %w", err)
	}
	return made, nil
}

func (c *Creation) fit() error {
	if c.Session.Metadata == nil {
		c.Session.Metadata = []byte("{}")
	}
	err := errors.Join(fitName("agent id", c.Session.AgentID), fitObject("agent", c.Session.Agent, MaxConfig),
		fitObject("metadata", c.Session.Metadata, MaxMetadata), c.First.fitSizes())
	if c.Environment != nil {
		err = errors.Join(err, c.Environment.fit())
	}
	return err
}

func (w *work) createSession(c Creation, describe Describe[Created]) (Created, error) {
	if earlier, err := w.replayedSession(c.First); err != nil || earlier.Replayed {
		return earlier, err
	}
	id, at := uuid.NewString(), c.First.At.UnixMilli()
	var digest any
	if c.First.Key != "" {
		digest = c.First.Digest[:]
	}
	place, err := w.insert(insertSession, id, c.Session.AgentID, c.Session.Agent, c.Session.Metadata,
		unknownWhenZero(c.First.Key), digest, at, at)
	if err != nil {
		return Created{}, err
	}
	held := &heldSession{place: place, id: id}
	var made Created
	if c.Environment != nil {
		if made.Environment, err = w.createEnvironment(held, *c.Environment, c.First.At); err != nil {
			return Created{}, err
		}
	}
	if made.Added, err = w.take(held, c.First); err != nil {
		return Created{}, err
	}
	if made.Session, err = oneOf(w.row(selectSession, id), scanSession); err != nil {
		return Created{}, err
	}
	err = w.append(held, describe.of(made), nil)
	made.Session.Events = held.events
	return made, err
}

// replayedSession finds the Session that the same request has made before.
func (w *work) replayedSession(first Batch) (Created, error) {
	if first.Key == "" {
		return Created{}, nil
	}
	var id string
	var digest []byte
	err := w.row(selectByRequest, first.Key).Scan(&id, &digest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Created{}, nil
	case err != nil:
		return Created{}, err
	case !bytes.Equal(digest, first.Digest[:]):
		return Created{}, fmt.Errorf("%w: %q made session %s", ErrIdempotency, first.Key, id)
	}
	made := Created{Replayed: true}
	if made.Session, err = oneOf(w.row(selectSession, id), scanSession); err != nil || made.Session.EnvironmentID == "" {
		return made, err
	}
	found, err := oneOf(w.row(selectEnvironment, made.Session.EnvironmentID), scanEnvironment)
	made.Environment = &found.Environment
	return made, err
}
