package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/environment"
	"parley/daemon/harness"
	"parley/daemon/proto"
	"parley/daemon/transport"
	"parley/daemon/workspace"
)

// Config is what a Runtime is made of.
type Config struct {
	Profile  Profile // with the binding that applies: overrides are the caller's work
	Folder   string  // where the Environment keeps what is its own; needed with a binding only
	Registry *harness.Registry
	Build    string // version of this program, for heartbeats
	Log      *slog.Logger
	Notice   func(transport.State) // told of every change of the connection; may be nil

	// IdleLife and AdmissionLife may only shorten the limits of behaviour 5.1; 0 leaves them.
	IdleLife, AdmissionLife time.Duration
}

// Runtime is one daemon. Run it once; Wake and State may be called from any goroutine.
type Runtime struct {
	config    Config
	link      *transport.Link
	wake      chan struct{}
	workspace *workspace.Workspace     // nil without a binding
	setup     *environment.Environment // nil without a binding
}

// New opens the bound folder, if there is one, and checks the rest. The caller runs or closes the Runtime.
func New(config Config) (*Runtime, error) {
	if err := config.Profile.check(); err != nil {
		return nil, fmt.Errorf("make runtime: %w", err)
	}
	r := &Runtime{config: config, wake: make(chan struct{}, 1)}
	if err := r.bind(); err != nil {
		return nil, fmt.Errorf("make runtime: %w", err)
	}
	link, err := transport.New(transport.Config{
		ServerURL: config.Profile.ServerURL, DeviceID: config.Profile.RuntimeID, Credential: config.Profile.RunnerCredential,
		Build: config.Build, Kinds: config.Registry.Kinds, NewRouter: r.newRouter, Wake: r.wake,
		Log: config.Log, Notice: config.Notice,
	})
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.link = link
	return r, nil
}

// bind opens workspace and Environment of a bound profile.
func (r *Runtime) bind() error {
	p := r.config.Profile
	given := 0
	for _, part := range []string{p.EnvironmentID, p.SessionID, p.WorkspaceDirectory} {
		if part != "" {
			given++
		}
	}
	switch given {
	case 0:
		return nil
	case 3:
	default:
		return errors.New("a binding needs Environment, Session and workspace together: give --environment, --session and --workspace, or none")
	}
	if err := bindable(p); err != nil {
		return err
	}
	var err error
	if r.workspace, err = workspace.Open(p.WorkspaceDirectory); err != nil {
		return unopened(err)
	}
	r.setup, err = environment.New(environment.Config{
		Dir: filepath.Join(r.config.Folder, "environments", p.EnvironmentID), Workspace: r.workspace,
	})
	if err != nil {
		return errors.Join(err, r.workspace.Close())
	}
	return nil
}

// bindable checks the ids of a binding (wire 0.2): no frame could name another.
func bindable(p Profile) error {
	for _, part := range []struct{ what, flag, id string }{
		{"Environment", "--environment", p.EnvironmentID}, {"Session", "--session", p.SessionID},
	} {
		if !proto.CanonicalUUID(part.id) {
			return fmt.Errorf("%s of the binding: expected a UUID in lower case, found %s; make a device with one, or give %s",
				part.what, strconv.QuoteToASCII(part.id[:min(len(part.id), shownID)]), part.flag)
		}
	}
	return nil
}

// shownID bounds what a message repeats of an id, in bytes.
const shownID = 64

func unopened(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; create it or choose another with --workspace", err)
	}
	return fmt.Errorf("%w; choose another with --workspace", err)
}

// newRouter makes the router of one ordinary connection.
func (r *Runtime) newRouter(send transport.Send, post transport.Post) transport.Router {
	config := dispatch.Config{Registry: r.config.Registry, Send: send, Post: post, Log: r.config.Log,
		IdleLife: r.config.IdleLife, AdmissionLife: r.config.AdmissionLife}
	if r.workspace != nil {
		p := r.config.Profile
		config.Binding = &dispatch.Binding{EnvironmentID: p.EnvironmentID, SessionID: p.SessionID,
			WorkspaceDirectory: p.WorkspaceDirectory}
		config.Files, config.Setup = r.workspace, r.setup
	}
	return dispatch.New(config)
}

// Run keeps the Runtime connected until ctx ends, which gives nil, or until it is refused for good
// (*transport.PermanentError). It returns when everything has confirmed its end.
func (r *Runtime) Run(ctx context.Context) error {
	return errors.Join(r.link.Run(ctx), r.Close())
}

// Close releases the bound folder of a Runtime that does not run.
func (r *Runtime) Close() error {
	if r.workspace == nil {
		return nil
	}
	return errors.Join(r.setup.Close(), r.workspace.Close())
}

// State is what the connection is doing now.
func (r *Runtime) State() transport.State { return r.link.State() }

// Wake brings a suspended Runtime back. Without a suspension it does nothing: the next one ends by a later Wake.
func (r *Runtime) Wake() {
	select {
	case r.wake <- struct{}{}:
	default: // a wake is already waiting
	}
}
