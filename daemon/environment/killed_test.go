//go:build unix

package environment_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/daemon/environment"
	"parley/daemon/workspace"
)

// play is the life of a daemon that will be killed: it installs for ever, it finalizes, or it runs a command.
func play(dir, part string) error {
	e, err := openIn(dir)
	if err != nil {
		return err
	}
	fmt.Println("open")
	switch part {
	case "install":
		return installForEver(e)
	case "finalize":
		if outcome := e.Finalize(context.Background(), environment.Sources{}); outcome.Err != nil {
			return outcome.Err
		}
		fmt.Println("finalized")
		select {}
	default:
		return e.Setup(context.Background(), part, "").Err
	}
}

// openIn opens an Environment below its workspace.
func openIn(dir string) (*environment.Environment, error) {
	w, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	return environment.New(environment.Config{Dir: filepath.Join(dir, "e"), Workspace: w, Path: systemPath})
}

// startDaemon starts one that has the folder open, and gives what it says after that.
func startDaemon(t *testing.T, dir, part string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childMode+"="+dir, childPart+"="+part)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the daemon did not open its folder")
	}
	return child, lines
}

func kill(t *testing.T, child *exec.Cmd) {
	t.Helper()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
}

// Two daemons on one folder: the second one is refused before it touches anything.
func TestFolderIsHeldByOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child, lines := startDaemon(t, dir, "finalize")
	if !lines.Scan() {
		t.Fatal("the daemon did not finalize")
	}
	mark := filepath.Join(dir, "e", "tmp", "mark")
	put(t, mark, "", 0o600)
	put(t, filepath.Join(dir, "e", "skills", ".unpack-half", "file"), "", 0o600)
	for range 2 {
		_, err := openIn(dir)
		held, ok := errors.AsType[*environment.HeldError](err)
		if !ok || held.Dir != filepath.Join(dir, "e") {
			t.Fatalf("got %v, want the folder held", err)
		}
	}
	for _, name := range []string{mark, filepath.Join(dir, "e", "skills", ".unpack-half", "file")} {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("the refused one touched the folder: %v", err)
		}
	}
	kill(t, child)

	e, err := openIn(dir)
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("temporary folder: got %v, want it emptied", err)
	}
	// wire 3.8.2: what the killed one froze stays frozen.
	if _, done := e.Capabilities(); !done {
		t.Error("got no capabilities, want those of the killed daemon")
	}
	want(t, "setup", e.Setup(t.Context(), "touch late", ""), environment.Rejected, 0, environment.ErrFinalized)
	if _, err := openIn(dir); !errors.As(err, new(*environment.HeldError)) {
		t.Errorf("in one process: got %v, want the folder held", err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	again, err := openIn(dir)
	if err != nil {
		t.Fatalf("after the end: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
