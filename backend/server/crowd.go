package server

import (
	"container/list"
	"net"
	"sync"
)

// requestStart is how many bytes of a further request net/http waits for, as long as a connection may be idle, before it
// bounds the rest of the headers. A connection that sent less asks for nothing.
const requestStart = 4

// crowd is a listener that bounds the open connections and keeps room for the next one: when all places are taken it
// closes the connection that has been idle the longest, never one with a request under way (hostile-inputs H-4). Those,
// and new ones that have not asked yet, end by the deadlines of their headers and bodies.
type crowd struct {
	net.Listener
	places chan struct{} // one element an open connection
	closed chan struct{}
	close  func()

	mu      sync.Mutex
	resting *list.List // of *guest, longest first; under mu
	hungry  bool       // an Accept waits for a place and nobody rests; under mu
}

func newCrowd(l net.Listener, places int) *crowd {
	c := &crowd{Listener: l, places: make(chan struct{}, places), closed: make(chan struct{}), resting: list.New()}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	return c
}

// Accept waits for a place first, and then for a connection.
func (c *crowd) Accept() (net.Conn, error) {
	if !c.takePlace() {
		return nil, net.ErrClosed
	}
	conn, err := c.Listener.Accept()
	if err != nil {
		<-c.places
		return nil, err
	}
	return &guest{Conn: conn, crowd: c, read: requestStart}, nil
}

// Close ends a waiting Accept too.
func (c *crowd) Close() error {
	c.close()
	return c.Listener.Close()
}

func (c *crowd) takePlace() bool {
	select {
	case c.places <- struct{}{}:
		return true
	default:
		c.makeRoom()
	}
	defer c.setHungry(false)
	select {
	case c.places <- struct{}{}:
		return true
	case <-c.closed:
		return false
	}
}

// makeRoom closes the guest that rests the longest or, where nobody does, has the next one that rests go.
func (c *crowd) makeRoom() {
	c.mu.Lock()
	front := c.resting.Front()
	c.hungry = front == nil
	c.mu.Unlock()
	if front != nil {
		front.Value.(*guest).Close() // whatever it says, the place is free
	}
}

func (c *crowd) setHungry(hungry bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hungry = hungry
}

// guest is one connection. Its reads belong to one goroutine at a time, as net/http promises.
type guest struct {
	net.Conn
	crowd *crowd
	read  int // bytes since it rests; requestStart for a new one

	seat *list.Element // among those who rest; under the crowd's mu, as is left
	left bool
}

// rest says that the connection asks for nothing. Where an Accept waits for a place it is closed at once.
func (g *guest) rest() {
	c := g.crowd
	g.read = 0
	c.mu.Lock()
	wanted := c.hungry
	c.hungry = false
	if !wanted && !g.left && g.seat == nil {
		g.seat = c.resting.PushBack(g)
	}
	c.mu.Unlock()
	if wanted {
		g.Close() // whatever it says, the place is free
	}
}

// rise says that the connection asks for something. It is too late for that when the crowd has just closed it: what was
// read is then not acted upon, as its answer could not arrive.
func (g *guest) rise() error {
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	g.unseat()
	if g.left {
		return net.ErrClosed
	}
	return nil
}

// unseat needs the crowd's mu.
func (g *guest) unseat() {
	if g.seat != nil {
		g.crowd.resting.Remove(g.seat)
		g.seat = nil
	}
}

func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if g.read >= requestStart {
		return n, err
	}
	if g.read += n; g.read >= requestStart {
		if late := g.rise(); late != nil {
			return 0, late
		}
	}
	return n, err
}

// Close gives the place free, once.
func (g *guest) Close() error {
	c := g.crowd
	c.mu.Lock()
	first := !g.left
	g.left = true
	g.unseat()
	c.mu.Unlock()
	err := g.Conn.Close()
	if first {
		<-c.places
	}
	return err
}
