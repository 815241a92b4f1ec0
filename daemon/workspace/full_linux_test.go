package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/daemon/workspace"
)

// hostile-inputs F-2: the disk is full at the n-th byte, for growing n; nothing half is seen, and writing goes on when
// there is space again. Where no file system can be mounted, the file-size limit of the other test has to do.
func TestFullDiskLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put(t, dir, "kept", "before")
	refused := 0
	for n := range 40 {
		ballast := filepath.Join(dir, "ballast")
		put(t, dir, "ballast", string(make([]byte, 600_000+n*10_000)))
		path := []string{"kept", fmt.Sprintf("new/folder-%d/file", n)}[n%2]
		err := write(t.Context(), w, path, make([]byte, 200_000))
		if err != nil {
			refused++
			if !errors.Is(err, workspace.ErrNoSpace) {
				t.Errorf("n %d: got %v, want ErrNoSpace", n, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "new", fmt.Sprintf("folder-%d", n))); err == nil {
				t.Errorf("n %d: the folder of a refused file stays", n)
			}
		}
		hasNoHidden(t, dir)
		for _, name := range []string{ballast, filepath.Join(dir, "new")} {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(t.Context(), w, "kept", []byte("before")); err != nil {
			t.Errorf("n %d, with space again: %v", n, err)
		}
	}
	if refused == 0 || refused == 40 {
		t.Errorf("got %d refusals of 40, want some", refused)
	}
}

// A destination in another file system below the workspace is reached by copying.
func TestWriteCrossesAMount(t *testing.T) {
	t.Parallel()
	w := opened(t)
	inner := filepath.Join(w.Dir(), "mounted")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", inner, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(inner, 0); err != nil {
			t.Error(err)
		}
	})
	for _, content := range []string{"first", "second"} {
		if err := write(t.Context(), w, "mounted/d/file", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(inner, "d/file")); err != nil || string(got) != content {
			t.Errorf("got %q, %v; want %q", got, err, content)
		}
	}
	if err := write(t.Context(), w, "mounted/big", make([]byte, 2<<20)); !errors.Is(err, workspace.ErrNoSpace) {
		t.Errorf("write more than there is: got %v, want ErrNoSpace", err)
	}
	hasNoHidden(t, w.Dir())
	if _, err := os.Lstat(filepath.Join(inner, "big")); err == nil {
		t.Error("the file that found no space is there")
	}
}
