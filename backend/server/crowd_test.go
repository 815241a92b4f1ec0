package server

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// crowded serves with room for two and gives its address. A request for /wait lasts until finish is called.
func crowded(t *testing.T) (addr string, finish func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/wait", func(http.ResponseWriter, *http.Request) { <-waiting })
	mux.HandleFunc("/hijack", func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\n\r\n") // a failure shows when the answer is read
		io.Copy(io.Discard, c)
	})
	face := &Face{pending: map[net.Conn]http.ConnState{}}
	server := &http.Server{Handler: mux, ConnState: face.track}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(newCrowd(l, 2)) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String(), func() { close(waiting) }
}

func dial(t *testing.T, addr string) *bufio.ReadWriter {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return bufio.NewReadWriter(bufio.NewReader(c), bufio.NewWriter(c))
}

func ask(c *bufio.ReadWriter, path string) {
	io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	c.Flush() // a failure shows when the answer is read
}

func answered(c *bufio.ReadWriter) error {
	response, err := http.ReadResponse(c.Reader, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// hostile-inputs H-4: the longest at rest goes, never one with a request under way.
func TestCrowdClosesTheLongestAtRest(t *testing.T) {
	t.Parallel()
	addr, finish := crowded(t)
	busy, rests := dial(t, addr), dial(t, addr)
	ask(busy, "/wait")
	ask(rests, "/")
	if err := answered(rests); err != nil {
		t.Fatal(err)
	}
	next := dial(t, addr)
	ask(next, "/")
	if err := answered(next); err != nil {
		t.Errorf("next: got %v, want an answer", err)
	}
	if _, err := rests.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("at rest: got %v, want its end", err)
	}
	finish()
	if err := answered(busy); err != nil {
		t.Errorf("busy: got %v, want an answer", err)
	}
}

// While every place has a request under way the next waits, and comes in with the first that ends.
func TestCrowdWaitsForAnAnswerUnderWay(t *testing.T) {
	t.Parallel()
	addr, finish := crowded(t)
	first, second, next := dial(t, addr), dial(t, addr), dial(t, addr)
	ask(first, "/wait")
	ask(second, "/wait")
	ask(next, "/")
	finish()
	for name, c := range map[string]*bufio.ReadWriter{"first": first, "second": second, "next": next} {
		if err := answered(c); err != nil {
			t.Errorf("%s: got %v, want an answer", name, err)
		}
	}
}

// A hijacked connection keeps its place until it is closed, and never goes for another.
func TestCrowdCountsHijackedConnections(t *testing.T) {
	t.Parallel()
	addr, finish := crowded(t)
	defer finish()
	var sockets []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, "GET /hijack HTTP/1.1\r\nHost: x\r\n\r\n") // a failure shows when the answer is read
		if response, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || response.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("got %v (%v), want 101", response, err)
		}
		sockets = append(sockets, c)
	}
	next, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	io.WriteString(next, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") // a failure shows when the answer is read
	next.SetDeadline(time.Now().Add(200 * time.Millisecond))
	if n, err := next.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("with every place taken: got %d bytes (%v), want none", n, err)
	}
	sockets[0].Close()
	next.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := http.ReadResponse(bufio.NewReader(next), nil); err != nil {
		t.Errorf("with a place free: got %v, want an answer", err)
	}
	sockets[1].SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := sockets[1].Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the other socket: got %d bytes (%v), want it open", n, err)
	}
}

// A byte or two do not make a request: nobody can hold a place with less than net/http bounds.
func TestCrowdTakesAFewBytesForRest(t *testing.T) {
	t.Parallel()
	addr, finish := crowded(t)
	defer finish()
	for range 2 {
		c := dial(t, addr)
		ask(c, "/")
		if err := answered(c); err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "GET")
		c.Flush()
	}
	next := dial(t, addr)
	ask(next, "/")
	if err := answered(next); err != nil {
		t.Errorf("next: got %v, want an answer", err)
	}
}
