package gateway

import (
	"fmt"
	"sync"

	"parley/daemon/proto"
)

// preparations are the observers of admissions on one connection. The lock covers them too.
type preparations struct {
	mu     sync.Mutex
	closed bool
	open   map[string]*PreparationSubscription
}

// PreparationSubscription observes one admission (behaviour 4.1). It is no Run. Its statuses end; then Err says how.
type PreparationSubscription struct {
	all      *preparations
	request  string
	handle   string // the first that was seen
	revision uint64 // the last that was delivered
	statuses chan *proto.PreparationStatus
	held     backlog // of statuses
	err      error
}

// SubscribePreparation observes the statuses of a preparation request: call it before execution_prepare is sent. At most
// 64 subscriptions exist, each with room for 16 statuses and PreparationBytes. Errors: ErrBlank, ErrDuplicate, ErrBusy, ErrSessionClosed.
func (c *Connection) SubscribePreparation(requestID string) (*PreparationSubscription, error) {
	return c.preparations.add(requestID)
}

// Statuses are those of the first handle in rising revisions, and rejections. It is closed after a terminal status or
// when the observation ends.
func (s *PreparationSubscription) Statuses() <-chan *proto.PreparationStatus { return s.statuses }

// Err says why Statuses was closed: nil after a terminal status or Unsubscribe, else ErrSessionClosed, ErrOverflow or an
// *ObservationError. It is nil before.
func (s *PreparationSubscription) Err() error {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return s.err
}

// Unsubscribe ends the observation; it may be repeated.
func (s *PreparationSubscription) Unsubscribe() {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	s.all.end(s, nil)
}

func (p *preparations) add(request string) (*PreparationSubscription, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case proto.Blank(request):
		return nil, ErrBlank
	case p.closed:
		return nil, ErrSessionClosed
	case p.open[request] != nil:
		return nil, fmt.Errorf("%w: %q", ErrDuplicate, request)
	case len(p.open) >= proto.MaxPreparations:
		return nil, fmt.Errorf("%w: %d of %d", ErrBusy, len(p.open), proto.MaxPreparations)
	}
	if p.open == nil {
		p.open = make(map[string]*PreparationSubscription)
	}
	s := &PreparationSubscription{all: p, request: request, statuses: make(chan *proto.PreparationStatus, proto.PreparationBuffer)}
	p.open[request] = s
	return s, nil
}

// deliver hands a status to its observer; false when nobody observes the request.
func (p *preparations) deliver(f proto.Frame) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.open[f.ID]
	if s == nil {
		return false
	}
	status, decoded := f.Payload.(*proto.PreparationStatus)
	if decoded && !s.concerns(status) {
		return true
	}
	if err := valid(f); err != nil {
		p.end(s, err)
		return true
	}
	if !s.take(status, weight(f)) {
		p.end(s, ErrOverflow)
		return true
	}
	if status.State == proto.StateRejected {
		return true
	}
	s.handle, s.revision = status.Handle, status.Revision
	if proto.Terminal(status.State) {
		p.end(s, nil)
	}
	return true
}

// take buffers a status; false when there is no room. It needs the lock.
func (s *PreparationSubscription) take(status *proto.PreparationStatus, size int) bool {
	if len(s.statuses) == cap(s.statuses) || !s.held.admit(len(s.statuses), size, PreparationBytes) {
		return false
	}
	s.statuses <- status
	return true
}

// concerns tells what is dropped silently: another handle or none, and a revision that is not new (wire 3.7). A
// rejection has no revision.
func (s *PreparationSubscription) concerns(status *proto.PreparationStatus) bool {
	if status.State == proto.StateRejected {
		return true
	}
	return status.Handle != "" && (s.handle == "" || status.Handle == s.handle) && status.Revision > s.revision
}

func (p *preparations) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, s := range p.open {
		p.end(s, ErrSessionClosed)
	}
}

// end needs the lock; what is buffered can still be read.
func (p *preparations) end(s *PreparationSubscription, err error) {
	if p.open[s.request] != s {
		return
	}
	delete(p.open, s.request)
	s.err = err
	close(s.statuses)
}
