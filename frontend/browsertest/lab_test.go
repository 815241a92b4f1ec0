package browsertest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"parley/app"
)

// lab is a running program behind a gate that can hold back or spoil single answers.
type lab struct {
	url  string // of the gate
	open string // link with the one-time token, through the gate
	data string // the data folder

	pass http.HandlerFunc // the program itself

	mu    sync.Mutex
	gates map[string]http.HandlerFunc // by path, under mu; asked before the program is
}

func startLab(t *testing.T) *lab {
	t.Helper()
	ready := serve(t)
	target, err := url.Parse(ready.URL)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{data: ready.Data, gates: map[string]http.HandlerFunc{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	l.pass = proxy.ServeHTTP
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		special := l.gates[r.URL.Path]
		l.mu.Unlock()
		if special != nil {
			special(w, r)
			return
		}
		l.pass(w, r)
	}))
	t.Cleanup(gate.Close)
	l.url = gate.URL
	l.open = gate.URL + strings.TrimPrefix(ready.OpenURL, ready.URL)
	return l
}

// serve runs the whole program in this process until the test ends.
func serve(t *testing.T) app.Ready {
	t.Helper()
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	config := app.Config{
		Addr: "127.0.0.1:0", Data: t.TempDir(), NoOpen: true, JSON: true,
		Getenv: func(string) string { return "" }, Stdin: strings.NewReader(""), Stdout: in, Stderr: io.Discard,
	}
	go func() {
		err := app.Serve(ctx, config)
		in.CloseWithError(io.EOF)
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("stop the lab: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("read the readiness line: %v", err)
	}
	var ready app.Ready
	if err := json.Unmarshal([]byte(line), &ready); err != nil {
		t.Fatalf("readiness line %q: %v", line, err)
	}
	return ready
}

// gateFor puts a handler in front of one path; the returned function takes it away.
func (l *lab) gateFor(path string, h http.HandlerFunc) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gates[path] = h
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.gates, path)
	}
}

// hold keeps the requests of one path from reaching the program. Each arrival is told on the first channel; closing the
// second lets all pass.
func (l *lab) hold(t *testing.T, path string) (arrived chan struct{}, release func()) {
	t.Helper()
	arrived = make(chan struct{}, 16)
	free := make(chan struct{})
	var once sync.Once
	release = func() { once.Do(func() { close(free) }) }
	t.Cleanup(release)
	l.gateFor(path, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-free
		l.pass(w, r)
	})
	return arrived, release
}
