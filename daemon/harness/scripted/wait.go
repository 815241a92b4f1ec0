package scripted

import (
	"context"
	"time"
)

// pause waits for d, or less when ctx ends; then it gives the reason.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
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

// both gives a context that ends with ctx or with other. The caller calls release.
func both(ctx, other context.Context) (joined context.Context, release func()) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return joined, func() { stop(); cancel(nil) }
}
