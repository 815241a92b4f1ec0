//go:build unix

package workspace_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/daemon/workspace"
)

// again starts this binary as a child that plays one part on dir.
func again(t *testing.T, part, dir string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], dir)
	command.Env = append(os.Environ(), childMode+"="+part)
	command.Stderr = os.Stderr
	return command
}

func version(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%08d", i), 40_000) }

// installForEver replaces one file again and again, and says so each time.
func installForEver(dir string) error {
	w, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		if err := write(context.Background(), w, "d/file", version(i)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// A process that is killed in the middle leaves the file before or the file after, whole, and the workspace of the next
// one has no trace of it.
func TestKillLeavesAWholeFile(t *testing.T) {
	t.Parallel()
	for round := range 8 {
		dir := t.TempDir()
		child := again(t, "install", dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged, lines := 0, bufio.NewScanner(out)
		for acknowledged < 1+round*3 && lines.Scan() {
			acknowledged++
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			acknowledged++
		}
		_ = child.Wait() // killed
		survived(t, dir, acknowledged)
	}
}

func survived(t *testing.T, dir string, acknowledged int) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "d/file"))
	if err != nil || !bytes.Equal(got, version(acknowledged)) && !bytes.Equal(got, version(acknowledged+1)) {
		t.Errorf("after %d acknowledged writes: got %d bytes starting %.8q, %v; want that version or the next", acknowledged, len(got), got, err)
	}
	w := open(t, dir)
	listing, err := w.List(t.Context(), "d", 10)
	if err != nil || len(listing.Entries) != 1 {
		t.Errorf("list: got %v, %v; want the file alone", listing, err)
	}
	if err := write(t.Context(), w, "d/other", nil); err != nil {
		t.Error(err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "d", ".*")); err != nil || len(names) != 0 {
		t.Errorf("hidden names: got %v, %v; want none", names, err)
	}
}

// fillUnderLimit writes files under a file-size limit: the write that crosses it comes back short, then fails.
func fillUnderLimit(dir string) error {
	w, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := write(context.Background(), w, "small", make([]byte, 100_000)); err != nil {
		return err
	}
	if err := write(context.Background(), w, "big", make([]byte, 100_001)); !errors.Is(err, workspace.ErrNoSpace) {
		return fmt.Errorf("write over the limit: got %w, want ErrNoSpace", err)
	}
	return nil
}

// hostile-inputs F-2
func TestFileSizeLimitLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := again(t, "full", dir).Run(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "small" {
		t.Errorf("got %v, %v; want the small file alone", entries, err)
	}
}

func hasNoHidden(t *testing.T, dir string) {
	t.Helper()
	if got := tree(t, dir); strings.Contains(got, ".parley-") {
		t.Errorf("got\n%s\nwant no temporary name", got)
	}
}
