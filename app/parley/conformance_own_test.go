package main_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/app/drive"
	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon"
	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/wiretest"
)

// oneDevice is a store with a single device.
type oneDevice struct {
	device  store.Device
	revoked atomic.Bool
}

func (o *oneDevice) Device(_ context.Context, id string) (store.Device, error) {
	if id != o.device.ID {
		return store.Device{}, store.ErrNotFound
	}
	return o.device, nil
}

func (o *oneDevice) TouchDevice(context.Context, string, time.Time) error { return nil }

func (o *oneDevice) Enroll(context.Context, string, string, time.Time) (store.Device, error) {
	return store.Device{}, store.ErrNoAuthority
}

func (o *oneDevice) Enrolled(context.Context, string, string) (store.Device, error) {
	return store.Device{}, store.ErrNoAuthority
}

// Authority is that of the gateway.
func (o *oneDevice) Authority(context.Context, string, string) (bool, error) {
	return !o.revoked.Load(), nil
}

// ownCore serves our gateway with one device and gives what a suite needs of it.
func ownCore(t *testing.T) (wiretest.Profile, wiretest.CoreDriver, *oneDevice) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secret, digest := gateway.NewCredential()
	devices := &oneDevice{device: store.Device{ID: "runtime", WorkspaceID: "local", RuntimeType: store.AgentDaemon, Digest: digest}}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	g, err := gateway.New(gateway.Config{Authority: devices, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := gateway.NewMachine(gateway.MachineConfig{Devices: devices, Accept: g.Accept, Online: g.Online, Log: log,
		PublicURL: func() string { return "ws://" + listener.Addr().String() }})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/agent-daemon/bootstrap", machine.Bootstrap)
	mux.HandleFunc("/api/v1/agent-daemon/ws", machine.Connect)
	mux.HandleFunc("/api/v1/agent-daemon/device-status", machine.Status)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	driver := drive.New(g, drive.Devices{})
	t.Cleanup(func() {
		g.Close()
		driver.Close()
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got serving ended by %v, want ErrServerClosed", err)
		}
	})
	profile := wiretest.Profile{ServerURL: "http://" + listener.Addr().String() + "/api/v1", RuntimeID: "runtime", RunnerCredential: secret}
	return profile, driver, devices
}

func textOf(result wiretest.Result) string {
	var b bytes.Buffer
	if err := result.Print(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// Our gateway against every scenario that tests a Core. // behaviour 9.5
func TestOurCoreConforms(t *testing.T) {
	t.Parallel()
	profile, driver, devices := ownCore(t)
	report, err := wiretest.RunCore(t.Context(), wiretest.CoreOptions{Profile: profile, Driver: driver,
		Revoke: func(context.Context) error { devices.revoked.Store(true); return nil },
		Seen: func(r wiretest.Result) {
			if r.Verdict == wiretest.Failed {
				t.Error(textOf(r))
			}
		}})
	if err != nil || report.Passed == 0 || report.NotRun != 1 { // the silent minute
		t.Errorf("got %d passed, %d not run (%v), want all but the slow one", report.Passed, report.NotRun, err)
	}
}

// Our Runtime with the scripted harness against every scenario that tests a Runtime, each on a Runtime of its own.
// // behaviour 9.5
func TestOurRuntimeConforms(t *testing.T) {
	t.Parallel()
	scenarios, err := wiretest.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	limit := make(chan struct{}, 12) // they wait most of the time
	for _, s := range scenarios {
		if !s.TestsSide(wiretest.Runtime) {
			continue
		}
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if result := replayOurs(t, s); result.Verdict != wiretest.Passed {
				t.Error(textOf(result))
			}
		})
	}
	group.Wait()
}

func replayOurs(t *testing.T, s wiretest.Scenario) wiretest.Result {
	t.Helper()
	folder := t.TempDir()
	workspace := filepath.Join(folder, "workspace")
	core, err := wiretest.Listen("127.0.0.1:0", wiretest.Profile{WorkspaceDirectory: workspace})
	if err = errors.Join(err, os.Mkdir(workspace, 0o700)); err != nil {
		t.Error(err)
		return wiretest.Result{}
	}
	defer core.Close()
	var started *daemon.Runtime
	return wiretest.ReplayRuntime(t.Context(), s, wiretest.RuntimeOptions{Core: core, Behaviours: wiretest.DefaultBehaviours(),
		Start: func(ctx context.Context, profile wiretest.Profile) (wiretest.Started, error) {
			r, err := ourRuntime(profile, folder)
			if err != nil {
				return wiretest.Started{}, err
			}
			started = r
			ctx, cancel := context.WithCancel(ctx)
			ended := make(chan error, 1)
			go func() { ended <- r.Run(ctx) }()
			return wiretest.Started{Stop: func() { cancel(); <-ended }}, nil
		},
		Wake: func(context.Context) error { started.Wake(); return nil }})
}

func ourRuntime(p wiretest.Profile, folder string) (*daemon.Runtime, error) {
	registry := harness.NewRegistry()
	declared, factory := scripted.New()
	if err := registry.Declare(declared); err != nil {
		return nil, err
	}
	if err := registry.SetFactory(declared.Kind, factory); err != nil {
		return nil, err
	}
	return daemon.New(daemon.Config{Folder: folder, Registry: registry, Build: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Profile: daemon.Profile{ServerURL: p.ServerURL, RuntimeID: p.RuntimeID, RunnerCredential: p.RunnerCredential, DeviceName: p.DeviceName,
			EnvironmentID: p.EnvironmentID, SessionID: p.SessionID, WorkspaceDirectory: p.WorkspaceDirectory}})
}
