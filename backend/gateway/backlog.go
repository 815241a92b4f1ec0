package gateway

import (
	"bytes"
	"slices"

	"parley/daemon/proto"
)

// Bounds, in bytes as received, of what Core holds for observers that have not read it yet. They stand beside the counts
// of wire 1.7, because a frame may have 4 MiB. What does not fit ends its observation as a full buffer does. A single
// frame is always taken.
const (
	RunBytes         = 16 << 20 // of one Run subscription
	PreparationBytes = 1 << 20  // of one preparation subscription
	ReplyBytes       = 16 << 20 // of the replies to one kind of operation on a connection, together
)

// backlog knows the sizes of what waits in a channel: they are the last ones that were put in. So nobody has to say that
// something was taken out.
type backlog struct {
	sizes []int // oldest first; may begin with some that were taken out
	bytes int   // sum of sizes
}

// admit counts one more in, unless the bytes of the waiting ones leave no room for it.
func (b *backlog) admit(waiting, size, limit int) bool {
	taken := len(b.sizes) - waiting
	for _, size := range b.sizes[:taken] {
		b.bytes -= size
	}
	b.sizes = slices.Delete(b.sizes, 0, taken)
	if waiting > 0 && b.bytes+size > limit {
		return false
	}
	b.sizes = append(b.sizes, size)
	b.bytes += size
	return true
}

// weight is what a frame holds of the message that it came in, in bytes.
func weight(f proto.Frame) int {
	return len(f.Type) + len(f.ID) + len(f.Trace) + len(f.Raw)
}

// detached gives a frame a body of its own where the message around it is much larger: a body of two bytes must not hold
// a message of 4 MiB.
func detached(f proto.Frame, message []byte) proto.Frame {
	const spare = 4 << 10 // bytes of envelope that are not worth a copy
	if f.Raw != nil && cap(message) > len(f.Raw)+len(f.Raw)/4+spare {
		f.Raw = bytes.Clone(f.Raw)
	}
	return f
}
