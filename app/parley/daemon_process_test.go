package main_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/daemon"
	"parley/daemon/proto"
	"parley/daemon/wiretest"
)

const (
	testEnvironment = "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30"
	testSession     = "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8"
)

// remote is a lab, and a device of it that another process connects as.
type remote struct {
	t       *testing.T
	folder  string // of the lab
	lab     *serving
	file    string // of the profile
	profile daemon.Profile
	driver  wiretest.CoreDriver
}

// newRemote starts a lab without a Runtime of its own and makes a bound device.
func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{t: t, folder: t.TempDir(), file: filepath.Join(t.TempDir(), "profile.json")}
	r.lab = serve(t, r.folder, "--no-daemon")
	made := execute(t, "core", "device", "create", "remote", "--data", r.folder, "--out", r.file,
		"--environment", testEnvironment, "--session", testSession, "--workspace", t.TempDir())
	if made.code != 0 {
		t.Fatalf("create device: exit %d\n%s", made.code, made.stderr)
	}
	profile, err := daemon.ReadProfile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	r.profile = profile
	r.drive()
	return r
}

// drive starts a driver of the lab's Core.
func (r *remote) drive() {
	r.t.Helper()
	command := exec.Command(binary(r.t), "core", "drive", "--data", r.folder)
	in, err := command.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		in.Close()
		command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	r.driver = wiretest.DriveOver(in, out)
}

// connected is a `parley daemon connect` process.
type connected struct {
	command *exec.Cmd
	log     *syncBuffer
	ended   chan struct{}
}

// syncBuffer may be written and read at the same time.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// connect starts the Runtime and waits until Core knows what it offers.
func (r *remote) connect() *connected {
	r.t.Helper()
	c := &connected{command: exec.Command(binary(r.t), "daemon", "connect", "--profile", r.file, "--data", r.t.TempDir()),
		log: &syncBuffer{}, ended: make(chan struct{})}
	c.command.Stderr = c.log
	if err := c.command.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		_ = c.command.Wait() // the exit code is read from the process state
		close(c.ended)
	}()
	r.t.Cleanup(func() { c.command.Process.Kill(); <-c.ended })
	ctx, cancel := context.WithTimeout(r.t.Context(), 30*time.Second)
	defer cancel()
	if err := r.driver.Connected(ctx, r.profile.RuntimeID); err != nil {
		r.t.Fatalf("connect: %v\n%s", err, c.log)
	}
	return c
}

// kill ends the process as a crash would.
func (c *connected) kill() {
	c.command.Process.Kill()
	<-c.ended
}

// do makes Core act.
func (r *remote) do(act, id string, payload proto.Payload, body []byte) {
	r.t.Helper()
	data, err := proto.EncodePayload(payload)
	if err != nil {
		r.t.Fatal(err)
	}
	err = r.driver.Do(r.t.Context(), wiretest.Act{Do: act, Device: r.profile.RuntimeID, ID: id, Payload: data, Body: body})
	if err != nil {
		r.t.Fatalf("%s: %v", act, err)
	}
}

// observe waits for the next observation.
func (r *remote) observe(of, id string) wiretest.Observation {
	r.t.Helper()
	got, err := r.driver.Observe(r.t.Context(), wiretest.Watch{Of: of, ID: id}, 30*time.Second)
	if err != nil {
		r.t.Fatalf("observe %s %q: %v", of, id, err)
	}
	return got
}

// status waits for a preparation status of a state.
func (r *remote) status(request, state string) proto.PreparationStatus {
	r.t.Helper()
	seen := r.observe("preparation", request)
	var status proto.PreparationStatus
	if err := json.Unmarshal(seen.Payload, &status); err != nil || status.State != state {
		r.t.Fatalf("got %+v (%s), want state %s", seen, seen.Payload, state)
	}
	return status
}

// run prepares and starts a script.
func (r *remote) run(request, run, script string) {
	r.t.Helper()
	session := testSession
	r.do("prepare", request, &proto.ExecutionPrepare{SessionID: session, Configuration: proto.Configuration{
		AgentKind: "scripted", DisableExecutionEnvironment: true, AgentStateKey: proto.StateKeyPrefix + session,
		AgentOptions: &proto.AgentOptions{Model: "m", SystemPrompt: "s", HarnessConfig: []byte(`{"script":"` + script + `"}`)},
	}}, nil)
	r.status(request, proto.StatePreparing)
	ready := r.status(request, proto.StateReady)
	r.do("start", request, &proto.ExecutionStart{ExecutorID: ready.ExecutorID, Handle: ready.Handle, RunID: run,
		Input: proto.TextInput("hello")}, nil)
	r.status(request, proto.StateStarting)
	r.status(request, proto.StateStarted)
}

// behaviour 3.3, 4.1: a Runtime that is killed during a Run leaves an observation error and no invented end; the next
// process starts with nothing and serves anew.
func TestKilledRuntimeLeavesNoInventedEnd(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	first := r.connect()
	r.run("p1", "r1", "long")
	first.kill()
	for {
		seen := r.observe("run", "r1")
		if seen.Frame == string(proto.TypeDone) || seen.Frame == string(proto.TypeError) {
			t.Fatalf("a terminal frame of a killed runtime: %+v", seen)
		}
		if seen.End != "" {
			if seen.End != wiretest.EndedLost {
				t.Errorf("the run ended as %q, want lost", seen.End)
			}
			break
		}
	}
	r.connect()
	r.run("p2", "r2", "hello")
}

// behaviour 2.2, 3.3: revocation reaches an open connection at its next heartbeat; the Runtime stops for good.
func TestRevokedRuntimeStops(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := r.connect()
	if revoked := execute(t, "core", "device", "revoke", r.profile.RuntimeID, "--data", r.folder); revoked.code != 0 {
		t.Fatalf("revoke: exit %d\n%s", revoked.code, revoked.stderr)
	}
	select {
	case <-c.ended:
	case <-time.After(40 * time.Second): // heartbeats are 15 seconds apart
		t.Fatalf("the runtime goes on\n%s", c.log)
	}
	if code := c.command.ProcessState.ExitCode(); code != 1 || !strings.Contains(c.log.String(), "4001") {
		t.Errorf("exit %d with %q, want 1 and the closing code", code, c.log)
	}
	if strings.Contains(c.log.String(), r.profile.RunnerCredential) {
		t.Error("the credential is in the log")
	}
	again := execute(t, "daemon", "connect", "--profile", r.file, "--data", t.TempDir())
	if again.code != 1 || !strings.Contains(again.stderr, "bad_credential") {
		t.Errorf("connect again: exit %d with %q, want 1 and bad_credential", again.code, again.stderr)
	}
}

// behaviour 3.3: SIGTERM ends a Runtime in order, also during a Run.
func TestRuntimeStopsInOrder(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := r.connect()
	r.run("p1", "r1", "long")
	if err := c.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.ended:
	case <-time.After(15 * time.Second):
		t.Fatalf("the runtime goes on\n%s", c.log)
	}
	if code := c.command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d, want 0\n%s", code, c.log)
	}
}

// behaviour 7.2: kill -9 of either side in the middle of a write leaves the file whole or not at all, and nothing else;
// Core learns nothing definite that did not happen.
func TestKilledInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16)
	for round := range 6 {
		for _, victim := range []string{"runtime", "core"} {
			t.Run(fmt.Sprintf("%s after %d ms", victim, 8*round), func(t *testing.T) {
				t.Parallel()
				killDuringWrite(t, victim, time.Duration(8*round)*time.Millisecond, body)
			})
		}
	}
}

func killDuringWrite(t *testing.T, victim string, after time.Duration, body []byte) {
	r := newRemote(t)
	c := r.connect()
	id := "7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f"
	r.do("write", id, &proto.WorkspaceWrite{Step: proto.StepBegin, EnvironmentID: testEnvironment, SessionID: testSession,
		Path: "docs/big.bin"}, body)
	<-time.After(after) // the moment of the kill is the point of the test
	var seen wiretest.Observation
	if victim == "runtime" {
		c.kill()
		seen = r.observe("write", id)
	} else {
		r.lab.command.Process.Kill()
		<-r.lab.ended
	}
	whole := landed(t, r.profile.WorkspaceDirectory, body)
	switch {
	case victim == "core":
		waitIdle(t, r, c, body)
	case len(seen.Result) > 0 && !whole:
		t.Errorf("Core was told %s, and the file is not there", seen.Result)
	case seen.Refused != "":
		t.Errorf("Core was told a refusal %q of a transfer that was cut", seen.Refused)
	}
}

// waitIdle waits until the Runtime that lost its Core has ended its work, and looks again: an answer that was under way
// may still have been applied, but nothing half.
func waitIdle(t *testing.T, r *remote, c *connected, body []byte) {
	t.Helper()
	if err := c.command.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	select {
	case <-c.ended:
	case <-time.After(15 * time.Second):
		t.Fatalf("the runtime goes on\n%s", c.log)
	}
	landed(t, r.profile.WorkspaceDirectory, body)
}

// landed reports whether the file is there, and fails when it is there in part or something else is.
func landed(t *testing.T, folder string, body []byte) bool {
	t.Helper()
	whole := false
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if entry.Name() != "big.bin" {
			t.Errorf("%q was left behind", path)
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close() // opened for reading
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return err
		}
		want := sha256.Sum256(body)
		if whole = bytes.Equal(sum.Sum(nil), want[:]); !whole {
			t.Errorf("%q is there in part", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return whole
}
