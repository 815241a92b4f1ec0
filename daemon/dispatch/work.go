package dispatch

import (
	"context"
	"sync"
)

// work counts goroutines that must end before the router may. Its zero value is ready.
type work struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n falls to zero; nil while nobody waits
}

// begin counts work of the caller's own goroutine until ended.
func (w *work) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
}

// run starts f as counted work.
func (w *work) run(f func()) {
	w.begin()
	go func() {
		defer w.ended()
		f()
	}()
}

func (w *work) ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n--
	if w.n == 0 && w.none != nil {
		close(w.none)
		w.none = nil
	}
}

// wait returns nil when there is no work, or the cause of ctx. The work goes on either way.
func (w *work) wait(ctx context.Context) error {
	w.mu.Lock()
	if w.n == 0 {
		w.mu.Unlock()
		return nil
	}
	if w.none == nil {
		w.none = make(chan struct{})
	}
	none := w.none
	w.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
