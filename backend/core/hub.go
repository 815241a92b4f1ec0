package core

import (
	"context"
	"errors"
	"sync"

	"parley/backend/store"
)

// Bounds of one subscriber (behaviour 8.6).
const (
	feedEvents = 256
	feedBytes  = 64 << 20
)

// Ends of a feed.
var (
	// ErrInterrupted: its reader was too slow, or the lab stops. What it missed is in the journal.
	ErrInterrupted = errors.New("event stream was interrupted")
	// ErrDeleted: the Session is gone.
	ErrDeleted = errors.New("the session was deleted")
)

// hub hands events that are on the disk to those who follow a Session. It never waits for a reader.
type hub struct {
	mu     sync.Mutex
	feeds  map[string]map[*Feed]struct{} // by Session
	closed bool
}

func newHub() *hub { return &hub{feeds: map[string]map[*Feed]struct{}{}} }

// Feed is the live events of one Session from the moment of Follow on. One goroutine reads it.
type Feed struct {
	hub     *hub
	session string
	ready   chan struct{} // holds a token while Next may find something

	events []store.Event // the hub's lock guards these
	bytes  int
	err    error
}

// Follow begins a feed. The caller closes it. A Session that does not exist has an empty feed.
func (s *Service) Follow(session string) *Feed {
	f := &Feed{hub: s.hub, session: session, ready: make(chan struct{}, 1)}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.closed {
		f.err = ErrInterrupted
		f.signal()
		return f
	}
	if s.hub.feeds[session] == nil {
		s.hub.feeds[session] = map[*Feed]struct{}{}
	}
	s.hub.feeds[session][f] = struct{}{}
	return f
}

// tell is called by the store with events of one write, in their order.
func (h *hub) tell(events []store.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, event := range events {
		for feed := range h.feeds[event.SessionID] {
			feed.take(event)
		}
	}
}

// take keeps one event, or ends a feed that is full. The caller holds the lock.
func (f *Feed) take(event store.Event) {
	if f.err != nil {
		return
	}
	if len(f.events) >= feedEvents || f.bytes+len(event.Payload) > feedBytes {
		f.err = ErrInterrupted
	} else {
		f.events = append(f.events, event)
		f.bytes += len(event.Payload)
	}
	f.signal()
}

func (f *Feed) signal() {
	select {
	case f.ready <- struct{}{}:
	default: // it has its token
	}
}

// Next waits for events. After those that were kept, a feed that has ended gives ErrInterrupted or ErrDeleted.
func (f *Feed) Next(ctx context.Context) ([]store.Event, error) {
	for {
		f.hub.mu.Lock()
		events, err := f.events, f.err
		f.events, f.bytes = nil, 0
		f.hub.mu.Unlock()
		if len(events) > 0 {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the feed.
func (f *Feed) Close() {
	f.hub.mu.Lock()
	defer f.hub.mu.Unlock()
	delete(f.hub.feeds[f.session], f)
	if len(f.hub.feeds[f.session]) == 0 {
		delete(f.hub.feeds, f.session)
	}
}

// end ends the feeds of a Session that is gone.
func (h *hub) end(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for feed := range h.feeds[session] {
		feed.err = ErrDeleted
		feed.signal()
	}
}

// close interrupts everybody.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, feeds := range h.feeds {
		for feed := range feeds {
			feed.err = ErrInterrupted
			feed.signal()
		}
	}
}
