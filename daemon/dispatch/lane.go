package dispatch

// lane orders sends that were decided under the router's lock and happen outside it.
type lane struct{ last <-chan struct{} }

// ticket is one place in a lane.
type ticket struct {
	before <-chan struct{} // nil for the first
	leave  chan struct{}
}

// enter takes the next place; the caller holds the router's lock.
func (l *lane) enter() ticket {
	t := ticket{before: l.last, leave: make(chan struct{})}
	l.last = t.leave
	return t
}

// send runs f when everybody before has left.
func (t ticket) send(f func() error) error {
	defer close(t.leave)
	if t.before != nil {
		<-t.before
	}
	return f()
}
