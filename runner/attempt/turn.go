package attempt

import "context"

// Reading a request may cost a hundred times its bytes: captured texts may be trees of millions of nodes. So only a few
// requests are read at a time, and the large ones one by one; the rest wait their turn (hostile-inputs 2: work is
// bounded). A running engine holds no place.
const (
	largeBytes = 256 << 10 // a request of more bytes is large
	smallTurns = 16        // small requests at a time, of largeBytes together as much as one document may have
)

// turns hands out the places. It is made by newTurns.
type turns struct {
	large, small chan struct{}
}

func newTurns() turns {
	return turns{large: make(chan struct{}, 1), small: make(chan struct{}, smallTurns)}
}

// take waits for a place for a request of the given size. It gives false when ctx ends first; otherwise the caller
// calls leave when the request is read.
func (t turns) take(ctx context.Context, size int) (leave func(), ok bool) {
	places := t.small
	if size > largeBytes {
		places = t.large
	}
	free := func() { <-places }
	select {
	case places <- struct{}{}:
		return free, true // also when ctx has ended: what can be read at once is answered by what it says
	default:
	}
	select {
	case places <- struct{}{}:
		return free, true
	case <-ctx.Done():
		return nil, false
	}
}
