package transport

import (
	"context"
	"time"

	"parley/daemon/proto"
)

// How long one wait for a router's end lasts, and the pause before the next (behaviour 3.3).
const (
	shutdownWait  = 5 * time.Second
	shutdownPause = 1 * time.Second
)

// tenant is a router and, while a suspension keeps it across sockets, what has to resume it. Run's goroutine owns it.
type tenant struct {
	router Router
	resume *proto.Suspension // nil: not suspended
	woken  bool              // the wake for this suspension came
}

// clear shuts a router down to a confirmed end, without limit: a wait that ran out or a cleanup that failed never
// permits another connection, nor the end of the process (behaviour 3.3). Nil has nothing to clear.
func (l *Link) clear(t *tenant) {
	if t == nil {
		return
	}
	var last error
	for attempt := 1; ; attempt++ {
		l.board.show(State{Phase: Clearing, Err: last})
		ctx, cancel := context.WithTimeout(context.Background(), shutdownWait)
		last = t.router.Shutdown(ctx)
		cancel()
		if last == nil {
			return
		}
		l.config.Log.Warn("work of the last connection has not ended; waiting for it", "attempt", attempt, "reason", last)
		time.Sleep(shutdownPause)
	}
}

// forgetWake drops a wake that came before a suspension began: it was for an earlier one, or for none.
func (l *Link) forgetWake() {
	select {
	case <-l.config.Wake:
	default:
	}
}

// awaitWake holds a suspended Runtime back until it is woken (behaviour 7.5).
func (l *Link) awaitWake(ctx context.Context, t *tenant) error {
	if t == nil || t.woken {
		return nil
	}
	l.board.show(State{Phase: Suspended})
	select {
	case <-l.config.Wake:
		t.woken = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
