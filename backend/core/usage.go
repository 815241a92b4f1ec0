package core

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/backend/store"
	"parley/daemon/proto"
)

// usagePage is how many Turns are read at once.
const usagePage = 100

// Usage sums what the Turns of a Session used, those that reported it; nil when none did. Of a Turn the last cumulative
// measurement counts (behaviour 6.2).
func (s *Service) Usage(ctx context.Context, session store.Session) (*proto.TokenUsage, error) {
	if session.Turns == 0 || session.Turns == 1 && !session.LastTurn.Terminal() {
		return nil, nil
	}
	var sum *proto.TokenUsage
	page := store.Page{Limit: usagePage, Oldest: true}
	for {
		turns, more, err := s.store.Turns(ctx, session.ID, page)
		if err != nil {
			return nil, err
		}
		for _, turn := range turns {
			if sum, err = plus(sum, turn); err != nil {
				return nil, err
			}
			page.After = turn.ID
		}
		if !more {
			return sum, nil
		}
	}
}

func plus(sum *proto.TokenUsage, turn store.Turn) (*proto.TokenUsage, error) {
	if len(turn.Usage) == 0 {
		return sum, nil
	}
	var u proto.TokenUsage
	if err := json.Unmarshal(turn.Usage, &u); err != nil {
		return nil, fmt.Errorf("read usage of turn %q: %w", turn.ID, err)
	}
	if sum == nil {
		sum = &proto.TokenUsage{}
	}
	sum.Input += u.Input
	sum.CachedInput += u.CachedInput
	sum.Output += u.Output
	sum.ReasoningOutput += u.ReasoningOutput
	sum.Total += u.Total
	return sum, nil
}
