package main_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServeStopsInOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		stop func(*serving)
		args []string
	}{
		{"SIGTERM", func(s *serving) { s.command.Process.Signal(syscall.SIGTERM) }, nil},
		{"SIGINT", func(s *serving) { s.command.Process.Signal(syscall.SIGINT) }, nil},
		{"standard input closes", func(s *serving) { s.stdin.Close() }, []string{"--stop-with-stdin"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := serve(t, folder, tt.args...)
			idle, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://")) // a browser's spare connection
			if err != nil {
				t.Fatal(err)
			}
			defer idle.Close()
			tt.stop(s)
			if code := s.wait(t); code != 0 {
				t.Errorf("got exit %d, want 0\n%s", code, s.log)
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "parley.db-*")); len(left) != 0 {
				t.Errorf("left %q: the database was not closed", left)
			}
		})
	}
}

// A request that does not end is cut off: the exit is 1, one line says why, and the database is in order.
func TestStopCutsOffWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := serve(t, folder)
	defer stuckReader(t, s).Close()
	s.command.Process.Signal(syscall.SIGTERM)
	if code := s.wait(t); code != 1 || strings.Count(s.log.String(), "cut off") != 1 {
		t.Errorf("got exit %d and log %s, want 1 and one line about what was cut off", code, s.log)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "parley.db-*")); len(left) != 0 {
		t.Errorf("left %q: the database was not closed", left)
	}
}

// A stop that waits for a client which does not read is cut short by a second signal.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	defer stuckReader(t, s).Close()
	started := time.Now()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for s.command.Process.Signal(syscall.SIGTERM) == nil {
		select {
		case err := <-s.ended:
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != -1 {
				t.Errorf("got %v, want an end by the signal", err)
			}
			if took := time.Since(started); took > 4*time.Second {
				t.Errorf("the end came after %s, want it at once", took)
			}
			return
		case <-again.C:
		}
	}
	t.Error("the process ended before it was waited for")
}

// stuckReader asks for more than the kernel buffers, and reads no more of it than that it began.
func stuckReader(t *testing.T, s *serving) net.Conn {
	t.Helper()
	id := act(t, s, "negotiate", strings.Repeat(" ", 4<<20))
	key, err := os.ReadFile(s.APIKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(s.URL, "http://")
	stuck, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	request := fmt.Sprintf("GET /api/v1/lab/records/%s/request HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		id, host, strings.TrimSpace(string(key)))
	if _, err := io.WriteString(stuck, strings.Repeat(request, 8)); err != nil {
		t.Fatal(err)
	}
	if _, err := stuck.Read(make([]byte, 1)); err != nil { // the first answer is under way
		t.Fatal(err)
	}
	return stuck
}
