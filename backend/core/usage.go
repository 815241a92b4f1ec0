package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"parley/backend/store"
	"parley/daemon/proto"
)

const (
	usagePage = 100  // Turns that are read at once
	usageMost = 8192 // Sessions whose sum is remembered; beyond that all are forgotten and read again
)

// usages remembers what the ended Turns of Sessions used: they never change, so that a list of Sessions need not read
// all their Turns each time.
type usages struct {
	mu  sync.Mutex
	sum map[string]counted // by Session; under mu
}

// counted is the sum over the first Turns of a Session.
type counted struct {
	turns int64
	last  string // id of the last of them
	known bool   // one of them reported its usage
	used  proto.TokenUsage
}

func (u *usages) of(session string) counted {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sum[session]
}

func (u *usages) keep(session string, c counted) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.sum) >= usageMost {
		clear(u.sum)
	}
	u.sum[session] = c
}

// Usage sums what the Turns of a Session used, those that have ended and reported it; nil when none did. Of a Turn the last
// cumulative measurement counts (behaviour 6.2).
func (s *Service) Usage(ctx context.Context, session store.Session) (*proto.TokenUsage, error) {
	ended := session.Turns
	if ended > 0 && !session.LastTurn.Terminal() {
		ended--
	}
	c := s.usages.of(session.ID)
	for c.turns < ended {
		turns, _, err := s.store.Turns(ctx, session.ID, store.Page{Limit: usagePage, After: c.last, Oldest: true})
		if errors.Is(err, store.ErrNotFound) || err == nil && len(turns) == 0 {
			break // the Session was deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		for _, turn := range turns[:min(int64(len(turns)), ended-c.turns)] {
			if err := c.add(turn); err != nil {
				return nil, err
			}
		}
		s.usages.keep(session.ID, c)
	}
	if !c.known {
		return nil, nil
	}
	return &c.used, nil
}

func (c *counted) add(turn store.Turn) error {
	c.turns, c.last = c.turns+1, turn.ID
	if len(turn.Usage) == 0 {
		return nil
	}
	var u proto.TokenUsage
	if err := json.Unmarshal(turn.Usage, &u); err != nil {
		return fmt.Errorf("read usage of turn %q: %w", turn.ID, err)
	}
	c.known = true
	c.used.Input += u.Input
	c.used.CachedInput += u.CachedInput
	c.used.Output += u.Output
	c.used.ReasoningOutput += u.ReasoningOutput
	c.used.Total += u.Total
	return nil
}
