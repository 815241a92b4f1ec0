package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/backend/store"
)

// faulty is a store that cannot be asked about some ids.
type faulty struct{ *store.Store }

const storageFails = "storage-fails"

var errStorage = errors.New("the disk went away")

func (f faulty) Device(ctx context.Context, id string) (store.Device, error) {
	if id == storageFails {
		return store.Device{}, errStorage
	}
	return f.Store.Device(ctx, id)
}

func (f faulty) Enroll(ctx context.Context, digest, environment string, at time.Time) (store.Device, error) {
	if environment == storageFails {
		return store.Device{}, errStorage
	}
	return f.Store.Enroll(ctx, digest, environment, at)
}

func (f faulty) Enrolled(ctx context.Context, digest, environment string) (store.Device, error) {
	if environment == storageFails {
		return store.Device{}, errStorage
	}
	return f.Store.Enrolled(ctx, digest, environment)
}

// socketStub accepts devices: it upgrades, says every message back and tells the test what came.
type socketStub struct {
	accepted chan gateway.Device
	ended    chan error // of each socket
	contexts chan context.Context

	mu     sync.Mutex
	online map[string]bool // under mu
}

func newSocketStub() *socketStub {
	return &socketStub{accepted: make(chan gateway.Device, 8), ended: make(chan error, 8), contexts: make(chan context.Context, 8), online: map[string]bool{}}
}

func (s *socketStub) setOnline(id string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.online[id] = is
}

func (s *socketStub) isOnline(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.online[id]
}

func (s *socketStub) accept(w http.ResponseWriter, r *http.Request, device gateway.Device) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }, ReadBufferSize: 4096, WriteBufferSize: 4096}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // answered by the library
	}
	defer socket.Close()
	s.setOnline(device.ID, true)
	defer s.setOnline(device.ID, false)
	s.accepted <- device
	s.contexts <- r.Context()
	for {
		kind, message, err := socket.ReadMessage()
		if err == nil {
			err = socket.WriteMessage(kind, message)
		}
		if err != nil {
			s.ended <- err
			return
		}
	}
}

const publicURL = "wss://lab.example:8443"

func (h *house) machine(log *slog.Logger) *gateway.Machine {
	h.t.Helper()
	h.socket = newSocketStub()
	m, err := gateway.NewMachine(machineConfig(h.store, h.socket, log))
	if err != nil {
		h.t.Fatal(err)
	}
	return m
}

func machineConfig(devices *store.Store, socket *socketStub, log *slog.Logger) gateway.MachineConfig {
	return gateway.MachineConfig{Devices: faulty{devices}, PublicURL: func() string { return publicURL },
		Accept: socket.accept, Online: socket.isOnline, Log: log}
}

// device creates one and gives its id and credential.
func (h *house) device(changes ...func(*store.Device)) (id, secret string) {
	h.t.Helper()
	secret, digest := gateway.NewCredential()
	d := store.Device{Name: "bench", RuntimeType: store.AgentDaemon, Digest: digest, Created: time.Now()}
	for _, change := range changes {
		change(&d)
	}
	d, err := h.store.CreateDevice(h.t.Context(), d)
	if err != nil {
		h.t.Fatal(err)
	}
	return d.ID, secret
}

// executor creates an executor credential and gives its key id and token.
func (h *house) executor(environment string) (key, token string) {
	h.t.Helper()
	token, digest := gateway.NewCredential()
	c, err := h.store.CreateExecutorCredential(h.t.Context(), store.ExecutorCredential{Digest: digest, Created: time.Now(),
		Binding: store.Binding{EnvironmentID: environment, SessionID: "session-1", WorkspaceDirectory: "/workspace"}})
	if err != nil {
		h.t.Fatal(err)
	}
	return c.KeyID, token
}

// asks sends a request with a credential of its own; "" sends none.
func (h *house) asks(method, path, body, credential string) answer {
	h.t.Helper()
	header := ""
	if credential != "" {
		header = "Bearer " + credential
	}
	return h.call(method, path, body, "Authorization", header, "Content-Type", "")
}

// checkCode looks at a refusal of the machine connection.
func checkCode(t *testing.T, name string, got answer, status int, code string) {
	t.Helper()
	if refusal := refusalOf(t, got); got.status != status || refusal.Error != code || refusal.Detail == "" {
		t.Errorf("%s: got %d %s, want %d with error %q and a detail", name, got.status, got.body, status, code)
	}
}
