package dispatch_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/environment"
	"parley/daemon/harness"
	"parley/daemon/proto"
	"parley/daemon/workspace"
)

const (
	deskEnvironment = "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30"
	deskSession     = "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8"
	deskOther       = "c0a9f1de-5b34-47e8-a6d2-0f1e2d3c4b5a" // an id that means neither
	transferA       = "7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f"
	transferB       = "7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e50"
)

// desk is a peer of a Router that serves one real folder. What the Router sends and the test does not take is an error.
type desk struct {
	t      *testing.T
	router *dispatch.Router
	files  *workspace.Workspace
	sent   chan proto.Frame
	refuse chan struct{} // closed: the sender fails
}

func newDesk(t *testing.T, changes ...func(*dispatch.Config)) *desk {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bound")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, files: files, sent: make(chan proto.Frame, 64), refuse: make(chan struct{})}
	config := dispatch.Config{Registry: deskRegistry(t), Files: files, Send: d.send, Log: slog.New(slog.DiscardHandler),
		Binding: &dispatch.Binding{EnvironmentID: deskEnvironment, SessionID: deskSession, WorkspaceDirectory: "/workspace"}}
	for _, change := range changes {
		change(&config)
	}
	d.router = dispatch.New(config)
	t.Cleanup(func() {
		d.shutdown()
		d.nothingElse()
		if err := files.Close(); err != nil {
			t.Errorf("close workspace: %v", err)
		}
	})
	return d
}

// deskRegistry declares one kind that can do everything.
func deskRegistry(t *testing.T) *harness.Registry {
	t.Helper()
	registry := harness.NewRegistry()
	if err := registry.Declare(harness.Declaration{Kind: kindName, Available: true, Capabilities: declared()}); err != nil {
		t.Fatal(err)
	}
	return registry
}

func withSetup(setup dispatch.Environment) func(*dispatch.Config) {
	return func(config *dispatch.Config) { config.Setup = setup }
}

func withFiles(wrap func(dispatch.Files) dispatch.Files) func(*dispatch.Config) {
	return func(config *dispatch.Config) { config.Files = wrap(config.Files) }
}

// withRealSetup initializes a real Environment over the desk's folder.
func withRealSetup(t *testing.T) func(*dispatch.Config) {
	return func(config *dispatch.Config) {
		e, err := environment.New(environment.Config{Dir: filepath.Join(t.TempDir(), "environment"),
			Workspace: config.Files.(*workspace.Workspace)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		config.Setup = e
	}
}

func (d *desk) send(ctx context.Context, frame proto.Frame) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-d.refuse:
		return errors.New("connection is broken")
	default:
	}
	select {
	case d.sent <- frame:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// shutdown ends the Router and everything it does; a second time changes nothing.
func (d *desk) shutdown() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := d.router.Shutdown(ctx); err != nil {
		d.t.Errorf("got %v, want a confirmed shutdown", err)
	}
}

func (d *desk) nothingElse() {
	d.t.Helper()
	for len(d.sent) > 0 {
		frame := <-d.sent
		d.t.Errorf("got %s %q %+v, want no further frame", frame.Type, frame.ID, frame.Payload)
	}
}

// hears hands a frame over as it comes from a connection, and gives the error of the handler.
func (d *desk) hears(frame proto.Frame) error {
	d.t.Helper()
	data, err := proto.Encode(frame)
	if err != nil {
		d.t.Fatalf("encode: %v", err)
	}
	return d.hearsBytes(data)
}

func (d *desk) hearsBytes(data []byte) error {
	d.t.Helper()
	frame, err := proto.Decode(data)
	if err != nil {
		d.t.Fatalf("decode: %v", err)
	}
	return d.router.Handle(frame)
}

// accepts hands over a frame that gets an answer, or needs none.
func (d *desk) accepts(id string, payload proto.Payload) {
	d.t.Helper()
	if err := d.hears(proto.New(id, payload)); err != nil {
		d.t.Fatalf("got %v, want the frame to be handled", err)
	}
}

// dropped hands over a frame that gets no answer.
func (d *desk) dropped(id string, payload proto.Payload) {
	d.t.Helper()
	if err := d.hears(proto.New(id, payload)); !errors.Is(err, dispatch.ErrUnanswerable) {
		d.t.Fatalf("got error %v, want ErrUnanswerable", err)
	}
}

// takes waits for the next frame, which must be valid, of that type and id.
func takes[P proto.Payload](d *desk, id string) P {
	d.t.Helper()
	var payload P
	frame := d.takeFrame()
	if err := frame.Validate(); err != nil {
		d.t.Fatalf("got a frame that is not valid: %v", err)
	}
	payload, ok := frame.Payload.(P)
	if !ok || frame.ID != id {
		d.t.Fatalf("got %s %q %+v, want %T %q", frame.Type, frame.ID, frame.Payload, payload, id)
	}
	return payload
}

func (d *desk) takeFrame() proto.Frame {
	d.t.Helper()
	select {
	case frame := <-d.sent:
		return frame
	case <-time.After(5 * time.Minute): // of the bubble, in most tests; more than every limit but a budget
		d.t.Fatal("got no frame within five minutes")
		return proto.Frame{}
	}
}

// readable prepares a read-only handle.
func (d *desk) readable(request string) string {
	d.t.Helper()
	d.accepts(request, readOnlyRequest())
	if got := takes[*proto.PreparationStatus](d, request); got.State != proto.StatePreparing {
		d.t.Fatalf("got status %+v, want preparing", got)
	}
	got := takes[*proto.PreparationStatus](d, request)
	if got.State != proto.StateReady {
		d.t.Fatalf("got status %+v, want ready", got)
	}
	return got.Handle
}

func readOnlyRequest() *proto.ExecutionPrepare {
	return &proto.ExecutionPrepare{SessionID: deskSession, Configuration: proto.Configuration{
		AgentKind: kindName, WorkspaceReadOnly: true, AgentStateKey: proto.StateKeyPrefix + deskSession,
		LocalEnvironment: &proto.LocalEnvironment{ID: deskEnvironment, WorkspaceDirectory: "/workspace"}}}
}

// release gives a read-only handle up.
func (d *desk) release(request, handle string) {
	d.t.Helper()
	d.accepts(request, &proto.ExecutionRelease{Handle: handle})
	if got := takes[*proto.PreparationStatus](d, request); got.State != proto.StateReleased {
		d.t.Fatalf("got status %+v, want released", got)
	}
}

func (d *desk) put(name, content string) {
	d.t.Helper()
	path := filepath.Join(d.files.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// holds reports what a file of the workspace holds.
func (d *desk) holds(name, want string) {
	d.t.Helper()
	got, err := os.ReadFile(filepath.Join(d.files.Dir(), filepath.FromSlash(name)))
	if err != nil || string(got) != want {
		d.t.Errorf("got %d bytes and error %v in %q, want the %d bytes sent", len(got), err, name, len(want))
	}
}

func (d *desk) empty() {
	d.t.Helper()
	entries, err := os.ReadDir(d.files.Dir())
	if err != nil || len(entries) > 0 {
		d.t.Errorf("got entries %v and error %v, want an empty workspace", entries, err)
	}
}

func digestOf(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}
