package transport_test

import (
	"context"
	"net"
	"sync"
)

// stalling is a relay whose first line stops forwarding, both ways and without closing, when stall is closed.
type stalling struct {
	through func(ctx context.Context, network, address string) (net.Conn, error)
	stall   chan struct{}

	mu    sync.Mutex
	lines int
	conns []net.Conn
}

func (s *stalling) dial(ctx context.Context, network, address string) (net.Conn, error) {
	far, err := s.through(ctx, network, address)
	if err != nil {
		return nil, err
	}
	near, relay := net.Pipe()
	s.mu.Lock()
	s.lines++
	stall := s.stall
	if s.lines > 1 {
		stall = nil
	}
	s.conns = append(s.conns, relay, far)
	s.mu.Unlock()
	go forward(far, relay, stall)
	go forward(relay, far, stall)
	return near, nil
}

// forward copies until one end is closed; after stall it takes nothing and keeps the line open.
func forward(to, from net.Conn, stall <-chan struct{}) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		select {
		case <-stall:
			return
		default:
		}
		if err != nil {
			_ = to.Close()
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			_ = from.Close()
			return
		}
	}
}

func (s *stalling) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
}
