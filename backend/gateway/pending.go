package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/daemon/proto"
)

// pending holds the exchanges of one family that wait for replies, by key. Its lock covers them too; nothing is sent
// while it is held.
type pending struct {
	limit    int  // how many at once; 0: any
	stepwise bool // an exchange stays after its reply, for the next step

	mu     sync.Mutex
	closed bool
	open   map[string]*exchange
	held   int // bytes of replies that were not taken yet, also of exchanges that have ended
}

// exchange is one operation's side of a question and its replies.
type exchange struct {
	family *pending
	key    string

	replies  chan proto.Frame // has room for every reply that is expected
	expected int              // replies that may still come; family.mu
	deserted bool             // nobody will take a reply; family.mu
	lease    *time.Timer      // ends the exchange when its time is over, observed or not; family.mu
	done     chan struct{}    // closed when no reply will be taken any more
	err      error            // why; set before done is closed
}

// add begins an exchange that may get so many replies. Errors: ErrBlank, ErrDuplicate, ErrBusy, ErrSessionClosed.
func (p *pending) add(key string, replies int) (*exchange, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrSessionClosed
	case proto.Blank(key):
		return nil, ErrBlank
	case p.open[key] != nil:
		return nil, fmt.Errorf("%w: %q", ErrDuplicate, key)
	case p.limit > 0 && len(p.open) >= p.limit:
		return nil, fmt.Errorf("%w: %d of %d", ErrBusy, len(p.open), p.limit)
	}
	if p.open == nil {
		p.open = make(map[string]*exchange)
	}
	x := &exchange{family: p, key: key, replies: make(chan proto.Frame, max(replies, 1)), expected: replies,
		done: make(chan struct{})}
	p.open[key] = x
	return x, nil
}

// delivery is what became of a frame.
type delivery int

const (
	delivered delivery = iota
	unclaimed          // nobody waits for it
	extra              // a reply to nothing that was asked
)

// Ends of an exchange that are no observation of their own.
var (
	errAnswered = errors.New("every reply was taken")
	errReleased = errors.New("observer gave up")
	errExtra    = errors.New("expected no reply, because nothing was asked")
)

// deliver hands a frame to its exchange. A reply that answers no question ends the exchange: what it means is not known.
// So does one for which there is no room.
func (p *pending) deliver(key string, f proto.Frame) delivery {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.open[key]
	switch {
	case x == nil:
		return unclaimed
	case x.expected == 0:
		p.end(x, &ObservationError{Type: f.Type, ID: f.ID, Fault: errExtra})
		return extra
	}
	x.expected--
	if !x.take(f) {
		p.end(x, ErrOverflow)
		return delivered
	}
	if x.expected == 0 && !p.stepwise {
		p.end(x, errAnswered)
	}
	return delivered
}

// take buffers a reply, or drops it when nobody will take it; false when there is no room. It needs the lock.
func (x *exchange) take(f proto.Frame) bool {
	size := weight(f)
	switch {
	case x.deserted:
	case x.family.held > 0 && x.family.held+size > ReplyBytes:
		return false
	default:
		x.family.held += size
		x.replies <- f
	}
	return true
}

// drop gives back what was not taken. It needs the lock.
func (x *exchange) drop() {
	for {
		select {
		case f := <-x.replies:
			x.family.held -= weight(f)
		default:
			return
		}
	}
}

// close ends every exchange and refuses new ones.
func (p *pending) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, x := range p.open {
		p.end(x, ErrSessionClosed)
	}
}

// end needs the lock; it may be repeated.
func (p *pending) end(x *exchange, err error) {
	if p.open[x.key] != x {
		return
	}
	delete(p.open, x.key)
	if x.lease != nil {
		x.lease.Stop()
	}
	x.err = err
	close(x.done)
}

// expect says that a question goes out now. An exchange that has ended gives its reason.
func (x *exchange) expect() error {
	x.family.mu.Lock()
	defer x.family.mu.Unlock()
	if x.family.open[x.key] == x {
		x.expected++
		return nil
	}
	return x.err
}

// wait takes the next reply.
func (x *exchange) wait(ctx context.Context) (proto.Frame, error) {
	f, err := x.next(ctx)
	if err == nil {
		x.family.mu.Lock()
		defer x.family.mu.Unlock()
		x.family.held -= weight(f)
	}
	return f, err
}

// next waits for a reply. One that is already there counts more than the end of ctx or of the connection
// (behaviour 4.1).
func (x *exchange) next(ctx context.Context) (proto.Frame, error) {
	select {
	case f := <-x.replies:
		return f, nil
	case <-x.done:
	case <-ctx.Done():
	}
	select {
	case f := <-x.replies:
		return f, nil
	default:
	}
	select {
	case <-x.done:
		return proto.Frame{}, x.err
	default:
		return proto.Frame{}, context.Cause(ctx)
	}
}

// release gives the place back; replies that come later are nobody's.
func (x *exchange) release() {
	x.family.mu.Lock()
	defer x.family.mu.Unlock()
	x.family.end(x, errReleased)
	x.drop()
}

// desert gives up the reply and leaves the place to it.
func (x *exchange) desert() {
	x.family.mu.Lock()
	defer x.family.mu.Unlock()
	x.deserted = true
	x.drop()
}

// keep holds the place for so long or until the reply, also when nobody observes it any more.
func (x *exchange) keep(limit time.Duration) {
	x.family.mu.Lock()
	defer x.family.mu.Unlock()
	if x.family.open[x.key] == x {
		x.lease = time.AfterFunc(limit, x.expire)
	}
}

func (x *exchange) expire() {
	x.family.mu.Lock()
	defer x.family.mu.Unlock()
	x.family.end(x, ErrNoAnswer)
}

// reply takes the next reply as the payload that answers the question. What is in it is checked by its Answers method.
func reply[P proto.Payload](ctx context.Context, x *exchange) (P, error) {
	f, err := x.wait(ctx)
	if err != nil {
		var none P
		return none, err
	}
	return payloadOf[P](f)
}
