package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"parley/app/data"
	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon"
	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/transport"
)

// embeddedName is the device name of the lab's own Runtime, and of its workspace.
const embeddedName = "lab"

// Harnesses are the kinds that a Runtime of this program offers.
func Harnesses() (*harness.Registry, error) {
	registry := harness.NewRegistry()
	declared, factory := scripted.New()
	if err := registry.Declare(declared); err != nil {
		return nil, err
	}
	return registry, registry.SetFactory(declared.Kind, factory)
}

// embedded is the lab's own Runtime. It reaches Core through the lab's port, as any other would.
type embedded struct {
	device  string
	runtime *daemon.Runtime
	stop    context.CancelFunc
	ended   chan error
}

// startEmbedded enrolls the lab's own Runtime if needed and keeps it connected until stopped.
func startEmbedded(ctx context.Context, folder data.Folder, records *store.Store, url string, log *slog.Logger) (*embedded, error) {
	profile, err := embeddedProfile(ctx, folder, records)
	if err != nil {
		return nil, fmt.Errorf("enroll the lab's own runtime: %w", err)
	}
	profile.ServerURL = url + "/api/v1"
	registry, err := Harnesses()
	if err != nil {
		return nil, err
	}
	place, err := folder.Runtime(profile.RuntimeID)
	if err != nil {
		return nil, err
	}
	log = log.With("runtime", embeddedName)
	runtime, err := daemon.New(daemon.Config{Profile: profile, Folder: place, Registry: registry, Build: Version(), Log: log,
		Notice: func(s transport.State) { log.Debug("connection", "state", s.Phase, "error", s.Err) }})
	if err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	e := &embedded{device: profile.RuntimeID, runtime: runtime, stop: stop, ended: make(chan error, 1)}
	go func() {
		err := runtime.Run(life)
		if err != nil {
			log.Error("the lab's own runtime ended", "error", err)
		}
		e.ended <- err
	}()
	return e, nil
}

// end stops the Runtime and waits until everything it started has confirmed its end, however long that takes. A nil
// embedded has nothing to end.
func (e *embedded) end() {
	if e == nil {
		return
	}
	e.stop()
	<-e.ended
}

// embeddedProfile reads the profile of the lab's own Runtime, or makes a device for it when there is none that Core
// still admits.
func embeddedProfile(ctx context.Context, folder data.Folder, records *store.Store) (daemon.Profile, error) {
	profile, err := keptProfile(ctx, folder, records)
	if err == nil || !errors.Is(err, errNoProfile) {
		return profile, err
	}
	workspace, err := folder.Workspace(embeddedName)
	if err != nil {
		return daemon.Profile{}, err
	}
	secret, digest := gateway.NewCredential()
	binding := store.Binding{EnvironmentID: uuid.NewString(), SessionID: uuid.NewString(), WorkspaceDirectory: workspace}
	device, err := records.CreateDevice(ctx, store.Device{Name: embeddedName, WorkspaceID: store.LocalWorkspace,
		RuntimeType: store.AgentDaemon, Digest: digest, Binding: binding, Created: time.Now()})
	if err != nil {
		return daemon.Profile{}, err
	}
	profile = daemon.Profile{RuntimeID: device.ID, RunnerCredential: secret, DeviceName: device.Name,
		EnvironmentID: binding.EnvironmentID, SessionID: binding.SessionID, WorkspaceDirectory: binding.WorkspaceDirectory}
	content, err := json.Marshal(profile)
	if err != nil {
		return daemon.Profile{}, fmt.Errorf("write profile: %w", err)
	}
	return profile, folder.KeepRuntimeProfile(content)
}

// errNoProfile says that a device is to be made for the lab's own Runtime.
var errNoProfile = errors.New("no profile that Core admits")

// keptProfile gives the kept profile if Core still admits it and its workspace is that of this folder; a folder may have
// been moved.
func keptProfile(ctx context.Context, folder data.Folder, records *store.Store) (daemon.Profile, error) {
	var profile daemon.Profile
	content, err := folder.RuntimeProfile()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return profile, errNoProfile
	case err != nil:
		return profile, err
	}
	workspace, err := folder.Workspace(embeddedName)
	if err != nil {
		return profile, err
	}
	if json.Unmarshal(content, &profile) != nil || profile.WorkspaceDirectory != workspace {
		return profile, errNoProfile
	}
	device, err := records.Device(ctx, profile.RuntimeID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return profile, errNoProfile
	case err != nil:
		return profile, err
	case !device.Admits(gateway.Digest(profile.RunnerCredential)):
		return profile, errNoProfile
	}
	return profile, nil
}
