package transport

import (
	"context"
	"slices"
	"sync"

	"parley/daemon/proto"
)

// received is a frame with what it holds, in bytes: its message, and as much again that was decoded from it.
type received struct {
	frame proto.Frame
	size  int
}

// inbox holds frames that were read and not yet handled, bounded in number (wire 1.7) and in bytes; a single frame
// always fits. One goroutine puts, one takes. Empty it takes next to nothing, as every idle connection has one.
type inbox struct {
	mu     sync.Mutex
	frames []received
	bytes  int
	filled chan struct{} // holds one token after a frame came
	freed  chan struct{} // holds one token after a frame was taken
}

func newInbox() *inbox {
	return &inbox{filled: make(chan struct{}, 1), freed: make(chan struct{}, 1)}
}

// put waits for room; false when ctx ended first.
func (q *inbox) put(ctx context.Context, r received) bool {
	for !q.offer(r) {
		select {
		case <-q.freed:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (q *inbox) offer(r received) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.frames) > 0 && (len(q.frames) >= proto.ReceiveQueue || q.bytes+r.size > proto.QueueBytes) {
		return false
	}
	q.frames = append(q.frames, r)
	q.bytes += r.size
	signal(q.filled)
	return true
}

// take waits for a frame; false when ctx has ended, whatever is left.
func (q *inbox) take(ctx context.Context) (proto.Frame, bool) {
	for ctx.Err() == nil {
		if frame, ok := q.pop(); ok {
			return frame, true
		}
		select {
		case <-q.filled:
		case <-ctx.Done():
		}
	}
	return proto.Frame{}, false
}

func (q *inbox) pop() (proto.Frame, bool) {
	const keptRoom = 4 // frames; the array of a burst is not kept
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.frames) == 0 {
		return proto.Frame{}, false
	}
	first := q.frames[0]
	q.frames = slices.Delete(q.frames, 0, 1)
	if len(q.frames) == 0 && cap(q.frames) > keptRoom {
		q.frames = nil
	}
	q.bytes -= first.size
	signal(q.freed)
	return first.frame, true
}

// signal leaves a token unless there is one.
func signal(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}
