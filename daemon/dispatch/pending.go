package dispatch

import "parley/daemon/proto"

// Bounds of what was given to Turns and has no end yet. The numbers are ours.
const (
	mostPending      = 64
	mostPendingBytes = 2 * proto.MaxFrame
)

// pending counts what was given to Turns and not answered, bounded in number and in bytes; one always fits. The
// Router's lock guards it.
type pending struct{ number, bytes int }

func (p *pending) begin(size int) bool {
	if p.number > 0 && (p.number >= mostPending || p.bytes+size > mostPendingBytes) {
		return false
	}
	p.number++
	p.bytes += size
	return true
}

func (p *pending) end(size int) {
	p.number--
	p.bytes -= size
}
