package socket

import (
	"context"
	"slices"
	"sync"

	"parley/daemon/proto"
)

// item is one message waiting to be written; written is nil when nobody waits for it.
type item struct {
	data    []byte
	written chan<- error // buffered
}

func (i item) finish(err error) {
	if i.written != nil {
		i.written <- err
	}
}

// queue holds messages for the writer, bounded in number (wire 1.7) and in bytes. A single message is always taken
// when the queue is empty.
type queue struct {
	mu     sync.Mutex
	items  []item
	bytes  int
	closed error         // set once; nothing is taken or given after that
	room   chan struct{} // made by the first that waits, closed and dropped when room may have appeared
	filled chan struct{} // holds one token while the writer may find something
}

func newQueue() *queue {
	return &queue{filled: make(chan struct{}, 1)}
}

// put waits for room until ctx ends or the queue closes.
func (q *queue) put(ctx context.Context, i item) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for {
		taken, room, err := q.offer(i)
		if taken || err != nil {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (q *queue) offer(i item) (taken bool, room <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return false, nil, q.closed
	}
	if len(q.items) > 0 && (len(q.items) >= proto.SendQueue || q.bytes+len(i.data) > proto.QueueBytes) {
		if q.room == nil {
			q.room = make(chan struct{})
		}
		return false, q.room, nil
	}
	q.items = append(q.items, i)
	q.bytes += len(i.data)
	select {
	case q.filled <- struct{}{}:
	default: // the writer already has its token
	}
	return true, nil, nil
}

// take gives the writer its next message; false when the queue was closed.
func (q *queue) take() (item, bool) {
	for {
		if next, ok, open := q.pop(); ok || !open {
			return next, ok
		}
		<-q.filled // close leaves a token too
	}
}

func (q *queue) pop() (next item, ok, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return item{}, false, false
	}
	if len(q.items) == 0 {
		return item{}, false, true
	}
	next = q.items[0]
	q.items = slices.Delete(q.items, 0, 1) // in place: an allocation a message costs more than moving 64 of them
	q.bytes -= len(next.data)
	q.wake()
	return next, true, true
}

// wake makes those who wait for room look again; the lock is held.
func (q *queue) wake() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// close refuses everything from now on and tells those who wait that their message was not written.
func (q *queue) close(reason error) {
	q.mu.Lock()
	if q.closed != nil {
		q.mu.Unlock()
		return
	}
	q.closed = reason
	left := q.items
	q.items, q.bytes = nil, 0
	q.wake()
	q.mu.Unlock()
	for _, i := range left {
		i.finish(reason)
	}
	select {
	case q.filled <- struct{}{}:
	default:
	}
}
