package transport

import (
	"context"
	"math/rand/v2"
	"time"
)

// The redial schedule (behaviour 3.3).
const (
	firstDelay = 1 * time.Second
	lastDelay  = 30 * time.Second
	afterEnd   = 1 * time.Second // further pause after a connection that was established and ended
	spread     = 0.2
	patience   = 3 // replacements in a row that are followed by that pause alone
)

// delay is how long to wait after so many consecutive failures; chance is in [0, 1).
func delay(failures int, chance float64) time.Duration {
	if failures == 0 {
		return 0
	}
	doubled := lastDelay
	if failures <= 5 { // 1, 2, 4, 8, 16 s
		doubled = firstDelay << (failures - 1)
	}
	jittered := time.Duration(float64(doubled) * (1 - spread + 2*spread*chance))
	return min(jittered, lastDelay)
}

func nextDelay(failures int) time.Duration { return delay(failures, rand.Float64()) }

// rest is the pause after so many replacements in a row. The first are clean ends as any other; from then on each counts
// as a failed attempt too, as what takes the connection away will do so again.
func rest(replaced int) time.Duration { return afterEnd + nextDelay(max(replaced-patience, 0)) }

// pause waits; the error is that of a context which ended first.
func pause(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil || d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
