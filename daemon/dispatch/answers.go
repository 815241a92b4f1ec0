package dispatch

import (
	"context"
	"sync"

	"parley/daemon/proto"
)

// Bounds of the answers that the peer has still to read, beside the queue of the connection. The numbers are ours: some
// answers may be slow without keeping a cancel waiting, and none of them may pile up.
const (
	mostAnswers     = 8
	mostAnswerBytes = 2 << 20
)

// answers counts what was decided and is being sent to a peer that may not read. Its zero value is ready.
type answers struct {
	mu     sync.Mutex
	number int
	bytes  int
	fell   chan struct{} // closed when the count falls; nil while nobody waits
}

// count counts an answer until sent is called.
func (a *answers) count(answer proto.Frame) (sent func()) {
	size := weight(answer)
	a.add(1, size)
	return func() { a.add(-1, -size) }
}

func (a *answers) add(number, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.number += number
	a.bytes += bytes
	if number < 0 && a.fell != nil {
		close(a.fell)
		a.fell = nil
	}
}

// room waits until the answers are few, or gives the cause of ctx.
func (a *answers) room(ctx context.Context) error {
	for {
		fell := a.full()
		if fell == nil {
			return nil
		}
		select {
		case <-fell:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// full gives what is closed when the count falls, nil while there is room.
func (a *answers) full() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.number < mostAnswers && a.bytes < mostAnswerBytes {
		return nil
	}
	if a.fell == nil {
		a.fell = make(chan struct{})
	}
	return a.fell
}

// weight is about what an answer holds, in bytes: what it repeats of the peer's, which may be as large as a frame, and
// what was read.
func weight(frame proto.Frame) int {
	size := len(frame.ID)
	switch payload := frame.Payload.(type) {
	case *proto.PreparationStatus:
		size += len(payload.RunID)
	case *proto.DecisionAck:
		size += len(payload.DeliveryID)
	case *proto.WorkspaceReadResult:
		size += len(payload.Data)
		if payload.Directory != nil {
			size += len(payload.Directory.Entries) * proto.MaxName
		}
	}
	return size
}
