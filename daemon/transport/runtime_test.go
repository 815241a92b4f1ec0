package transport_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

// router is a Router under the test's control.
type router struct {
	mu       sync.Mutex
	send     transport.Send
	post     transport.Post
	attached int
	downs    []time.Time
	ended    bool

	refuses  error                              // of every frame
	handle   func(r *router, frame proto.Frame) // nil: keeps nothing
	shutdown func(ctx context.Context, call int) error
}

func (r *router) Handle(frame proto.Frame) error {
	if r.handle != nil {
		r.handle(r, frame)
	}
	return r.refuses
}

func (r *router) Attach(send transport.Send, post transport.Post) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.send, r.post = send, post
	r.attached++
}

func (r *router) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	r.downs = append(r.downs, time.Now())
	call := len(r.downs)
	r.mu.Unlock()
	if r.shutdown != nil {
		if err := r.shutdown(ctx, call); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	return nil
}

func (r *router) ActiveRuns() int { return 3 }

func (r *router) sender() transport.Send {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.send
}

// quiesces answers every quiesce with its acceptance and hands resumes on.
func quiesces(r *router, frame proto.Frame) {
	switch payload := frame.Payload.(type) {
	case *proto.EnvironmentQuiesce:
		go func() {
			_ = r.sender()(context.Background(), proto.New(frame.ID, &proto.EnvironmentQuiesced{SuspensionReply: accepted(payload.Suspension)}))
		}()
	case *proto.EnvironmentResume:
		go func() {
			_ = r.sender()(context.Background(), proto.New(frame.ID, &proto.EnvironmentResumed{SuspensionReply: accepted(payload.Suspension)}))
		}()
	}
}

func accepted(s proto.Suspension) proto.SuspensionReply {
	return proto.SuspensionReply{EnvironmentID: s.EnvironmentID, SuspendID: s.SuspendID, Accepted: true}
}

// runtime is a Link with what the test sees of it.
type runtime struct {
	*transport.Link
	routers func() []*router
	states  func() []transport.State
	log     *journal
	wake    chan struct{}
}

// journal keeps everything that was logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newRuntime(t *testing.T, serverURL string, client *http.Client, sockets *socket.Establisher, make func(n int) *router) *runtime {
	t.Helper()
	var mu sync.Mutex
	var routers []*router
	var states []transport.State
	r := &runtime{log: &journal{}, wake: newWake()}
	link, err := transport.New(transport.Config{
		ServerURL: serverURL, DeviceID: device, Credential: credential, Build: "1.2.3",
		Kinds: kinds,
		NewRouter: func(send transport.Send, post transport.Post) transport.Router {
			mu.Lock()
			defer mu.Unlock()
			made := make(len(routers) + 1)
			made.send, made.post = send, post
			routers = append(routers, made)
			return made
		},
		Wake: r.wake, Client: client, Establisher: sockets,
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Notice: func(s transport.State) {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, s)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Link = link
	r.routers = func() []*router {
		mu.Lock()
		defer mu.Unlock()
		return append([]*router(nil), routers...)
	}
	r.states = func() []transport.State {
		mu.Lock()
		defer mu.Unlock()
		return append([]transport.State(nil), states...)
	}
	return r
}

func newWake() chan struct{} { return make(chan struct{}, 1) }

// inBubble makes a core in memory and a Runtime that uses it.
func inBubble(t *testing.T, c *core, make func(n int) *router) *runtime {
	t.Helper()
	client, sockets, _ := inMemory(t, c)
	return newRuntime(t, "http://core.test/api/v1", client, sockets, make)
}

func plain(int) *router { return &router{} }

func kinds() []proto.AgentKind {
	var all proto.Capabilities
	for i := range all {
		all[i] = proto.Supported
	}
	return []proto.AgentKind{{Kind: "contract", Available: true, Capabilities: all}}
}

// run starts Run and gives a function that stops it and one that waits for its result.
func run(t *testing.T, r *runtime) (stop func(), result func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	t.Cleanup(cancel)
	return cancel, func() error {
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Minute):
			t.Fatal("Run has not returned")
			return nil
		}
	}
}

var errHeld = errors.New("native work is held")
