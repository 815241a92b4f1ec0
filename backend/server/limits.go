package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the listener (hostile-inputs H-4). A body has its own deadline, and a run may take a day: there is no write
// timeout.
const (
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	maxHeaderBytes = 64 << 10
	maxConnections = 1024
)

// Face is the http.Server around a handler, with the limits and a stop that is complete. Serve and Stop are called once
// each, from different goroutines.
type Face struct {
	server *http.Server
	end    context.CancelFunc // ends the context of every request

	mu      sync.Mutex
	pending map[net.Conn]http.ConnState // connections that are new or active; under mu
}

// NewFace makes it. Ending ctx ends the context of every request.
func NewFace(ctx context.Context, handler http.Handler, log *slog.Logger) *Face {
	ctx, end := context.WithCancel(ctx)
	f := &Face{end: end, pending: map[net.Conn]http.ConnState{}}
	f.server = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderBytes,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         f.track,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return f
}

// Serve answers until Stop. Connections beyond the bound wait in the kernel's queue while every place has a request
// under way.
func (f *Face) Serve(l net.Listener) error {
	err := f.server.Serve(newCrowd(l, maxConnections))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// UnfinishedError says that a stop did not wait for every request. What was acknowledged before is not touched by it.
type UnfinishedError struct {
	Requests int           // that were cut off
	Waited   time.Duration // for them
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("stop: cut off after %s, requests under way: %d; what was acknowledged is stored",
		e.Waited.Round(100*time.Millisecond), e.Requests)
}

// Stop takes no new request, cancels running units, waits for their cleanup and answers, and closes what is left when
// ctx ends, which is an *UnfinishedError (runner 7.2). The handlers of what was cut off may still be running then.
func (f *Face) Stop(ctx context.Context) error {
	started := time.Now()
	f.end()
	f.hurry()
	err := f.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = &UnfinishedError{Requests: f.underWay(), Waited: time.Since(started)}
	}
	if err != nil {
		return errors.Join(err, f.server.Close())
	}
	return nil
}

func (f *Face) underWay() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := 0
	for _, state := range f.pending {
		if state == http.StateActive {
			count++
		}
	}
	return count
}

func (f *Face) track(c net.Conn, state http.ConnState) {
	if g, ok := c.(*guest); ok && state == http.StateIdle {
		g.rest()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch state {
	case http.StateNew, http.StateActive:
		f.pending[c] = state
	default:
		delete(f.pending, c)
	}
}

// hurry ends the waiting for bytes: a stop would otherwise last as long as a slow sender or a browser's spare connection
// likes. Answers are still written.
func (f *Face) hurry() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c, state := range f.pending {
		if state == http.StateNew {
			c.Close() // nothing was asked yet
			continue
		}
		_ = c.SetReadDeadline(time.Now()) // a closed connection has no need of it
	}
}
