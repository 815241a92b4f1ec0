package drive

import (
	"context"
	"slices"
	"sync"

	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

// Bounds of what is kept until it is asked for. Perhaps nobody asks, and then the Runtime decides how much there is.
const (
	mostWatches = 256      // the oldest is given up for a new one
	mostBytes   = 16 << 20 // observations of all watches together
	overhead    = 256      // bytes of an observation beside what it tells
)

// watches are the observations of one driver by what they are about. The lock covers the watches too.
//
// There is never a wait for room: what waited here would wait in the gateway. A watch that has as many frames as a Run's
// buffer ends with an overflow, and where the bytes are over their bound that happens to the watch with most of them. So
// a Runtime that floods one watch hurts no other that has less.
type watches struct {
	mu     sync.Mutex
	byName map[wiretest.Watch]*watch
	order  []*watch // oldest first
	bytes  int
}

// watch is what one act makes Core observe.
type watch struct {
	name  wiretest.Watch
	seen  []wiretest.Observation // oldest first
	bytes int
	over  bool          // nothing more is taken
	news  chan struct{} // holds a token while something may be there
	stop  context.CancelFunc
}

// weight is what an observation counts, in bytes.
func weight(o wiretest.Observation) int {
	return overhead + len(o.Frame) + len(o.Payload) + len(o.Result) + len(o.Refused)
}

// add begins a watch; an older one of the same name ends.
func (all *watches) add(name wiretest.Watch, stop context.CancelFunc) *watch {
	all.mu.Lock()
	defer all.mu.Unlock()
	if earlier := all.byName[name]; earlier != nil {
		all.remove(earlier)
	}
	if len(all.order) == mostWatches {
		all.remove(all.order[0])
	}
	w := &watch{name: name, news: make(chan struct{}, 1), stop: stop}
	if all.byName == nil {
		all.byName = make(map[wiretest.Watch]*watch)
	}
	all.byName[name] = w
	all.order = append(all.order, w)
	return w
}

// remove needs the lock.
func (all *watches) remove(w *watch) {
	delete(all.byName, w.name)
	all.order = slices.DeleteFunc(all.order, func(other *watch) bool { return other == w })
	all.bytes -= w.bytes
	w.seen, w.bytes, w.over = nil, 0, true
	w.stop()
}

func (all *watches) find(name wiretest.Watch) *watch {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.byName[name]
}

// latest are the ids of the newest watches of a sort, the oldest of them first.
func (all *watches) latest(of string) []string {
	const most = 5
	all.mu.Lock()
	defer all.mu.Unlock()
	ids := []string{}
	for _, w := range all.order {
		if w.name.Of == of {
			ids = append(ids, w.name.ID)
		}
	}
	return ids[max(0, len(ids)-most):]
}

// tell keeps an observation.
func (all *watches) tell(w *watch, o wiretest.Observation) {
	all.mu.Lock()
	defer all.mu.Unlock()
	switch {
	case w.over:
		return
	case o.Frame != "" && len(w.seen) >= proto.RunBuffer:
		all.overflow(w)
	default:
		all.push(w, o)
	}
	for all.bytes > mostBytes {
		all.shrink(all.largest())
	}
}

// take gives the oldest observation of a watch; false when there is none.
func (all *watches) take(w *watch) (wiretest.Observation, bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(w.seen) == 0 {
		return wiretest.Observation{}, false
	}
	o := w.seen[0]
	w.seen[0] = wiretest.Observation{} // not held by the array
	w.seen = w.seen[1:]
	all.count(w, -weight(o))
	if len(w.seen) > 0 {
		w.wake() // somebody else may wait for the next one
	}
	return o, true
}

// push, count, overflow, shrink and largest need the lock.
func (all *watches) push(w *watch, o wiretest.Observation) {
	w.seen = append(w.seen, o)
	all.count(w, weight(o))
	w.wake()
}

func (all *watches) count(w *watch, bytes int) {
	w.bytes += bytes
	all.bytes += bytes
}

// overflow says that there was more.
func (all *watches) overflow(w *watch) {
	all.push(w, wiretest.Observation{End: wiretest.EndedOverflow})
	w.over = true
	w.stop()
}

// shrink gives up the newest observations of a watch, until there is room to say so.
func (all *watches) shrink(w *watch) {
	for len(w.seen) > 0 && all.bytes+overhead > mostBytes {
		last := len(w.seen) - 1
		all.count(w, -weight(w.seen[last]))
		w.seen[last] = wiretest.Observation{}
		w.seen = w.seen[:last]
	}
	all.overflow(w)
}

func (all *watches) largest() *watch {
	most := all.order[0]
	for _, w := range all.order {
		if w.bytes > most.bytes {
			most = w
		}
	}
	return most
}

func (w *watch) wake() {
	select {
	case w.news <- struct{}{}:
	default: // the token is there
	}
}
