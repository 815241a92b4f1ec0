package gateway

import (
	"sync"

	"parley/daemon/proto"
)

// runs are the Run routes of one connection. The lock covers them and their subscriptions.
type runs struct {
	mu     sync.Mutex
	closed bool
	open   map[string]*Subscription
}

// Subscription observes one Run (behaviour 4.1). Its events end; then Err says how.
type Subscription struct {
	routes *runs
	run    string
	events chan proto.Frame // written and closed by whoever holds routes.mu
	held   backlog          // of events
	err    error
}

// SubscribeDurable observes a Run: call it before anything that may start the Run is sent. At most 256 frames
// and RunBytes wait; a second subscription ends the first with ErrSessionClosed. Frames are valid or of a type that this
// program does not know; receipts (interaction_decision_ack, prompt_steer_ack) go to their waiters and not here. Errors:
// ErrBlank, ErrSessionClosed.
func (c *Connection) SubscribeDurable(runID string) (*Subscription, error) {
	return c.runs.add(runID)
}

// Events are the Run's frames, closed after done or when the observation ends.
func (s *Subscription) Events() <-chan proto.Frame { return s.events }

// Err says why Events was closed: nil after done or Unsubscribe, else ErrSessionClosed, ErrOverflow or an
// *ObservationError. It is nil before.
func (s *Subscription) Err() error {
	s.routes.mu.Lock()
	defer s.routes.mu.Unlock()
	return s.err
}

// Unsubscribe ends the observation; it may be repeated.
func (s *Subscription) Unsubscribe() {
	s.routes.mu.Lock()
	defer s.routes.mu.Unlock()
	s.routes.end(s, nil)
}

func (r *runs) add(run string) (*Subscription, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case proto.Blank(run):
		return nil, ErrBlank
	case r.closed:
		return nil, ErrSessionClosed
	}
	if earlier := r.open[run]; earlier != nil {
		r.end(earlier, ErrSessionClosed)
	}
	if r.open == nil {
		r.open = make(map[string]*Subscription)
	}
	s := &Subscription{routes: r, run: run, events: make(chan proto.Frame, proto.RunBuffer)}
	r.open[run] = s
	return s, nil
}

// deliver hands a frame to the Run's observer; false when nobody observes it. A type that is not known is passed on as
// it is (wire 1.6).
func (r *runs) deliver(f proto.Frame, known bool) bool {
	s := r.find(f.ID)
	if s == nil {
		return false
	}
	var fault error
	if known {
		fault = valid(f) // not under the lock: a large frame takes its time
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[f.ID] != s {
		return false
	}
	if fault != nil {
		r.end(s, fault)
		return true
	}
	if !s.take(f) {
		r.end(s, ErrOverflow)
		return true
	}
	if f.Type == proto.TypeDone {
		r.end(s, nil)
	}
	return true
}

// take buffers a frame; false when there is no room. It needs the lock.
func (s *Subscription) take(f proto.Frame) bool {
	if len(s.events) == cap(s.events) || !s.held.admit(len(s.events), weight(f), RunBytes) {
		return false
	}
	s.events <- f
	return true
}

func (r *runs) find(run string) *Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[run]
}

// close ends every subscription; no error and no done is made up.
func (r *runs) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, s := range r.open {
		r.end(s, ErrSessionClosed)
	}
}

// end needs the lock; what is buffered can still be read.
func (r *runs) end(s *Subscription, err error) {
	if r.open[s.run] != s {
		return
	}
	delete(r.open, s.run)
	s.err = err
	close(s.events)
}
