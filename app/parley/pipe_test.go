package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The reader of the log may go away: the lab goes on, and stops in order when it is told to.
func TestServeOutlivesTheReaderOfItsLog(t *testing.T) {
	t.Parallel()
	s := serveWith(t, t.TempDir(), func(command *exec.Cmd) { command.Stderr = brokenPipe(t) }, "--verbose")
	for range 3 { // each writes a line
		if status, body := s.get(t, "/healthz"); status != 200 {
			t.Fatalf("got %d %s, want 200", status, body)
		}
	}
	s.command.Process.Signal(syscall.SIGTERM)
	if code := s.wait(t); code != 0 {
		t.Errorf("got exit %d, want 0", code)
	}
}

// Without its readiness line nobody knows of the lab: that is an error, not the end by a signal.
func TestServeNeedsItsReadinessLine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), binary(t), "serve", "--json", "--no-open", "--addr", "127.0.0.1:0", "--data", folder)
	command.Stdout, command.Stderr = brokenPipe(t), &stderr
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "say that the lab is ready") {
		t.Errorf("got %v and %q, want exit 1 with why", err, stderr.String())
	}
	if left := listing(t, folder); strings.Contains(left, "parley.db-") {
		t.Errorf("got %s: the database was not closed", left)
	}
}

// Both streams can be gone, as under a supervisor that died.
func TestServeFailsInOrderWithoutAnyReader(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), binary(t), "serve", "--no-open", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	command.Stdout, command.Stderr = brokenPipe(t), brokenPipe(t)
	err := command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("got %v, want exit 1", err)
	}
}

// What a lab starts does not inherit its patience with streams.
func TestStartedProgramsKeepTheDefaultOfPipes(t *testing.T) {
	t.Parallel()
	tools, folder := t.TempDir(), t.TempDir()
	pipe := tools + "/seen"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ngrep SigIgn /proc/$$/status > " + pipe + "\n"
	if err := os.WriteFile(tools+"/xdg-open", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell which signals a process ignores")
	}
	command := exec.CommandContext(t.Context(), binary(t), "serve", "--addr", "127.0.0.1:0", "--data", folder)
	command.Env = append(os.Environ(), "DISPLAY=:0", "PATH="+tools+":"+os.Getenv("PATH"))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(pipe) // waits for the opener
	if err != nil {
		t.Fatal(err)
	}
	command.Process.Signal(syscall.SIGTERM)
	command.Wait()
	mask := strings.TrimSpace(strings.TrimPrefix(string(seen), "SigIgn:"))
	if len(mask) < 4 || strings.ContainsAny(mask[len(mask)-4:len(mask)-3], "13579bdf") { // bit 12: signal 13
		t.Errorf("got ignored signals %q, want SIGPIPE not among them", mask)
	}
}

// brokenPipe is a stream whose reader is gone.
func brokenPipe(t *testing.T) *os.File {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	t.Cleanup(func() { writer.Close() })
	return writer
}
