//go:build unix

package environment_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"parley/daemon/environment"
	"parley/daemon/workspace"
)

// childMode makes this binary play the part of a daemon that will be killed, on the folder that it names; childPart is
// what the daemon does.
const (
	childMode = "PARLEY_ENVIRONMENT_CHILD"
	childPart = "PARLEY_ENVIRONMENT_PART"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childMode); dir != "" {
		if err := play(dir, os.Getenv(childPart)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// bench is one Environment with the folders that it may and may not touch.
type bench struct {
	*environment.Environment
	workspace *workspace.Workspace
	outer     string // holds the workspace, the Environment's folder and programs
	dir       string // the Environment's folder
}

func newBench(t *testing.T, path string) *bench {
	t.Helper()
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(outer, "bound"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(filepath.Join(outer, "bound"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &bench{workspace: w, outer: outer, dir: filepath.Join(outer, "environment")}
	b.reopen(t, path)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// reopen is the restart of the daemon.
func (b *bench) reopen(t *testing.T, path string) {
	t.Helper()
	if b.Environment != nil {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := environment.New(environment.Config{Dir: b.dir, Workspace: b.workspace, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	b.Environment = e
}

const systemPath = "/usr/local/bin:/usr/bin:/bin"

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// appender is the part of a body that is filled.
type appender interface {
	Append(offset int64, data []byte) error
	Complete() error
}

func fill(body appender, data []byte) error {
	for offset := 0; offset < len(data); offset += 64 << 10 {
		if err := body.Append(int64(offset), data[offset:min(len(data), offset+64<<10)]); err != nil {
			return err
		}
	}
	return body.Complete()
}

func archiveBody(e *environment.Environment, data []byte) (*workspace.Body, error) {
	body, err := e.Stage(int64(len(data)), digest(data))
	if err != nil {
		return nil, err
	}
	return body, fill(body, data)
}

func (b *bench) skill(t *testing.T, ctx context.Context, name string, archive []byte) environment.Outcome {
	t.Helper()
	body, err := archiveBody(b.Environment, archive)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Discard()
	return b.Skill(ctx, body, name, "what it does")
}

// want checks the state and that the error fits it.
func want(t *testing.T, what string, got environment.Outcome, state environment.State, code int, cause error) {
	t.Helper()
	if got.State != state || got.ExitCode != code || (got.Err == nil) != (state == environment.Completed) {
		t.Errorf("%s: got %s, exit code %d, %v; want %s, %d", what, got.State, got.ExitCode, got.Err, state, code)
	}
	if cause != nil && !errors.Is(got.Err, cause) {
		t.Errorf("%s: got %v, want %v", what, got.Err, cause)
	}
}

func put(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
