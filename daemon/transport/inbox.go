package transport

import (
	"context"
	"sync/atomic"

	"parley/daemon/proto"
)

// received is a frame with the size of its message in bytes.
type received struct {
	frame proto.Frame
	size  int
}

// inbox holds frames that were read and not yet handled, bounded in number (wire 1.7) and in bytes; a single frame
// always fits. One goroutine puts, one takes.
type inbox struct {
	frames chan *received // pointers, as an idle connection keeps the whole channel
	bytes  atomic.Int64
	freed  chan struct{} // holds one token after bytes were freed
}

func newInbox() *inbox {
	return &inbox{frames: make(chan *received, proto.ReceiveQueue), freed: make(chan struct{}, 1)}
}

// put waits for room; false when ctx ended first.
func (q *inbox) put(ctx context.Context, r *received) bool {
	for {
		waiting := q.bytes.Load()
		if waiting == 0 || waiting+int64(r.size) <= proto.QueueBytes {
			break
		}
		select {
		case <-q.freed:
		case <-ctx.Done():
			return false
		}
	}
	q.bytes.Add(int64(r.size))
	select {
	case q.frames <- r:
		return true
	case <-ctx.Done():
		return false
	}
}

// take waits for a frame; false when ctx has ended, whatever is left.
func (q *inbox) take(ctx context.Context) (proto.Frame, bool) {
	select {
	case r := <-q.frames:
		q.bytes.Add(-int64(r.size))
		select {
		case q.freed <- struct{}{}:
		default: // the token is there already
		}
		return r.frame, ctx.Err() == nil
	case <-ctx.Done():
		return proto.Frame{}, false
	}
}
