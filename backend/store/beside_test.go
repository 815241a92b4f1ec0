package store_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/backend/store"
)

// beside makes the test program open a database, do one thing and end: another process, for the tests below.
var beside = flag.String("beside", "", "path of a database; then create, revoke ID, hold, or work as argument")

func TestMain(m *testing.M) {
	flag.Parse()
	if *beside != "" {
		os.Exit(other(*beside, flag.Args()))
	}
	goleak.VerifyTestMain(m)
}

// other is the other process. hold keeps the database open until standard input ends.
func other(path string, args []string) int {
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err == nil {
		switch args[0] {
		case "create":
			var d store.Device
			d, err = s.CreateDevice(ctx, aDevice())
			fmt.Println(d.ID)
		case "revoke":
			err = s.RevokeDevice(ctx, args[1], time.Now())
		case "hold":
			_, err = s.CreateDevice(ctx, aDevice())
			fmt.Println("open")
			io.Copy(io.Discard, os.Stdin)
		case "work":
			err = work(ctx, s)
		}
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func run(t *testing.T, path string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-beside", path}, args...)...)
	var said, failed strings.Builder
	command.Stdout, command.Stderr = &said, &failed
	if err := command.Run(); err != nil {
		t.Errorf("%q: %v: %s", args, err, failed.String())
	}
	return strings.TrimSpace(said.String())
}

func count(t *testing.T, path string) int {
	t.Helper()
	s := open(t, path)
	defer s.Close()
	list, err := s.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if facts, err := store.Inspect(t.Context(), path, true); err != nil || !facts.Checked {
		t.Errorf("inspect: got %+v (%v), want a sound file", facts, err)
	}
	return len(list)
}

// Short commands work beside a lab: what the other process commits is seen at once, and nothing of either is lost.
func TestOtherProcessIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	id := run(t, path, "create")
	if ok, err := s.Authority(t.Context(), id, digest("a")); err != nil || !ok {
		t.Errorf("created beside: got authority %t (%v), want it", ok, err)
	}
	created(t, s, aDevice())
	run(t, path, "revoke", id)
	if ok, err := s.Authority(t.Context(), id, digest("a")); err != nil || ok {
		t.Errorf("revoked beside: got authority %t (%v), want none", ok, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := count(t, path); got != 2 {
		t.Errorf("got %d devices, want 2", got)
	}
}

// Whoever comes first makes the database, brings it up to date and repairs its log; the others wait, and use the same.
func TestManyProcessesOpenOneFile(t *testing.T) {
	t.Parallel()
	released, err := os.ReadFile("testdata/schema-1.db")
	if err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func(t *testing.T) string{
		"none yet": func(t *testing.T) string { return filepath.Join(t.TempDir(), "parley.db") },
		"old schema": func(t *testing.T) string {
			p := filepath.Join(t.TempDir(), "parley.db")
			overwrite(t, p, released)
			return p
		},
		"a log alone": func(t *testing.T) string {
			p := crashed(t)
			if err := os.Remove(p + "-shm"); err != nil {
				t.Fatal(err)
			}
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := prepare(t)
			const processes = 8
			var all sync.WaitGroup
			for range processes {
				all.Go(func() { run(t, path, "create") })
			}
			all.Wait()
			if got := count(t, path); got != processes {
				t.Errorf("got %d devices, want %d", got, processes)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
				t.Errorf("got %q, want the database alone", left)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
				t.Errorf("got %q beside the database, want nothing", left)
			}
		})
	}
}

// A process that is killed while it has the database open takes nothing with it and blocks nobody.
func TestKilledNeighbourIsNoHarm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	defer s.Close()
	command := exec.Command(os.Args[0], "-beside", path, "hold")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Errorf("the neighbour did not open the database: %v", err)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // ends by the signal
	created(t, s, aDevice())
	if list, err := s.Devices(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("got %d devices (%v), want its one and ours", len(list), err)
	}
}
