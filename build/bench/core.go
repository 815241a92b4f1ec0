package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon"
	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// core is the product's gateway on loopback, as the lab mounts it, with bare sockets for baselines beside it.
type core struct {
	gateway *gateway.Gateway
	web     *http.Server
	address string // host and port
	bare    chan peer
	same    chan *socket.Conn // the product's socket without anything behind it
	sockets socket.Establisher
}

// peer is a bare socket that a side opened, with the name it gave.
type peer struct {
	name string
	ws   *websocket.Conn
}

// secret is the credential of every device; nothing but this benchmark ever hears it.
const secret = "bench"

// devices grants every device that shows the secret.
type devices struct{}

func (devices) Device(_ context.Context, id string) (store.Device, error) {
	return store.Device{ID: id, RuntimeType: store.AgentDaemon, Digest: gateway.Digest(secret)}, nil
}
func (devices) TouchDevice(context.Context, string, time.Time) error    { return nil }
func (devices) Authority(context.Context, string, string) (bool, error) { return true, nil }
func (devices) Enroll(context.Context, string, string, time.Time) (store.Device, error) {
	return store.Device{}, store.ErrNotFound
}
func (devices) Enrolled(context.Context, string, string) (store.Device, error) {
	return store.Device{}, store.ErrNotFound
}

// newCore starts it with an interval of heartbeats.
func newCore(heartbeat time.Duration) (*core, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &core{address: listener.Addr().String(), bare: make(chan peer), same: make(chan *socket.Conn)}
	if c.gateway, err = gateway.New(gateway.Config{Authority: devices{}, Log: quiet()}); err != nil {
		return nil, err
	}
	machine, err := gateway.NewMachine(gateway.MachineConfig{Devices: devices{}, Accept: c.gateway.Accept,
		Online: c.gateway.Online, Log: quiet(), Heartbeat: heartbeat,
		PublicURL: func() string { return "ws://" + c.address }})
	if err != nil {
		return nil, err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("/api/v1/agent-daemon/bootstrap", machine.Bootstrap)
	routes.HandleFunc("/api/v1/agent-daemon/ws", machine.Connect)
	routes.HandleFunc(bareSocketPath, c.meet)
	routes.HandleFunc(samePath, func(w http.ResponseWriter, r *http.Request) {
		if conn, err := c.sockets.Upgrade(w, r); err == nil { // otherwise the side sees it and ends
			c.same <- conn
		}
	})
	c.web = &http.Server{Handler: routes, ReadHeaderTimeout: proto.HandshakeTimeout}
	go func() { _ = c.web.Serve(listener) }() // ends with close
	return c, nil
}

// meet upgrades a bare socket with the library's defaults, or with the product's buffers for a floor of its.
func (c *core) meet(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	var upgrader websocket.Upgrader
	if name != bareEcho {
		upgrader.ReadBufferSize, upgrader.WriteBufferSize = floorRead, floorWrite
	}
	if ws, err := upgrader.Upgrade(w, r, nil); err == nil { // otherwise the side sees it and ends
		c.bare <- peer{name, ws}
	}
}

func (c *core) close() {
	c.gateway.Close()
	_ = c.web.Close()
}

// newRuntime makes a daemon of this core's that is bound to folder, or to nothing.
func newRuntime(address, id, folder string, kinds *harness.Registry) (*daemon.Runtime, error) {
	profile := daemon.Profile{ServerURL: "http://" + address + "/api/v1", RuntimeID: id, RunnerCredential: secret}
	if folder != "" {
		profile.EnvironmentID, profile.SessionID = environment, session
		profile.WorkspaceDirectory = filepath.Join(folder, "workspace")
		if err := os.MkdirAll(profile.WorkspaceDirectory, 0o700); err != nil {
			return nil, err
		}
	}
	r, err := daemon.New(daemon.Config{Profile: profile, Folder: filepath.Join(folder, "own"), Registry: kinds, Build: "bench", Log: quiet()})
	if err != nil {
		return nil, fmt.Errorf("make runtime %s: %w", id, err)
	}
	return r, nil
}

// scriptedKinds is a registry with the harness that plays scripts.
func scriptedKinds() (*harness.Registry, error) {
	declared, factory := scripted.New()
	kinds := harness.NewRegistry()
	if err := kinds.Declare(declared); err != nil {
		return nil, err
	}
	return kinds, kinds.SetFactory(declared.Kind, factory)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Identities of the one Environment.
const (
	environment = "3f1c8a52-7d4b-4e06-9b1a-5c2d8e7f6a01"
	session     = "b8e4d7a1-26c3-4f59-8e02-000000000001"
)
