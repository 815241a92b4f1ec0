package server_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/core"
	"parley/backend/server"
	"parley/backend/store"
	"parley/frontend"
	"parley/runner/attempt"
	"parley/runner/schema/schematest"
)

// Tests that wait for deadlines of five and ten seconds wait together, on a machine with few cores too.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const (
	sessionKey = "0123456789abcdef0123456789abcdef"
	startID    = "start-of-the-test"
	apiKey     = "parley_key-of-the-test"
	canaryPath = "/data/of/the/test"
)

// house is a whole server on a real socket, with a real store and the real runner service.
type house struct {
	t      *testing.T
	addr   string // host:port
	url    string
	store  *store.Store
	core   *core.Service
	face   *server.Face
	log    *record
	socket *socketStub
	client *http.Client // keeps no connection
	stop   func()
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// change adapts the options before the server is made.
type change func(*server.Options)

func openHouse(t *testing.T, changes ...change) *house {
	t.Helper()
	h := &house{t: t, log: &record{}, client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       30 * time.Second,
	}}
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if h.store, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "parley.db")); err != nil {
		t.Fatal(err)
	}
	service, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	api := h.api(log)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = listener.Addr().String()
	h.url = "http://" + h.addr
	_, port, _ := net.SplitHostPort(h.addr)
	options := server.Options{Runner: service, Store: h.store, SessionKey: []byte(sessionKey), Start: startID, APIKey: apiKey, Port: port,
		Lab: frontend.Lab{Version: "1.2.3", Platform: "linux/amd64", Address: h.addr}, Data: canaryPath, Now: time.Now, Log: log,
		Machine: h.machine(log), Core: &fakeCore{}, API: api, Sessions: h.core}
	for _, one := range changes {
		one(&options)
	}
	handler, err := server.New(options)
	if err != nil {
		t.Fatal(err)
	}
	h.face = server.NewFace(context.Background(), handler, log)
	served := make(chan error, 1)
	go func() { served <- h.face.Serve(listener) }()
	h.stop = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.face.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		h.client.CloseIdleConnections()
		h.core.Close()
		if err := h.store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	t.Cleanup(h.stop)
	return h
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
	closes bool // the server said that it ends the connection
}

// call sends a request with the API key. Headers are pairs; an empty value removes the header.
func (h *house) call(method, path, body string, headers ...string) answer {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return h.do(r)
}

func (h *house) do(r *http.Request) answer {
	h.t.Helper()
	response, err := h.client.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	return readAnswer(h.t, response)
}

func readAnswer(t *testing.T, response *http.Response) answer {
	t.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	schematest.CheckKind(t, body)
	return answer{response.StatusCode, response.Header, string(body), response.Close}
}

// raw sends exact bytes on a connection of its own and reads one answer.
func (h *house) raw(text string) answer {
	h.t.Helper()
	c := h.dial()
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		h.t.Fatal(err)
	}
	return h.answerOn(c)
}

func (h *house) dial() net.Conn {
	h.t.Helper()
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *house) answerOn(c net.Conn) answer {
	h.t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		h.t.Fatalf("read answer: %v", err)
	}
	return readAnswer(h.t, response)
}

// sample is a request document of testdata.
func sample(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
