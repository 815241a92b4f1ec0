package workspace_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"parley/daemon/workspace"
)

// Every call gives its handles back, whether it succeeds or not. It runs alone: tests that run beside it open files.
func TestHandlesAreGivenBack(t *testing.T) {
	w := opened(t)
	put(t, w.Dir(), "a/b/file", "content")
	symlink(t, "a", w.Dir(), "link")
	special(t, w.Dir())
	calls := func() error {
		var all error
		for _, path := range []string{"", "a", "a/b/file", "a/b/missing", "link/b/file", "a/b/file/below", "pipe", "a//b"} {
			_, readErr := w.Read(t.Context(), path, 3)
			_, listErr := w.List(t.Context(), path, 3)
			_, folderErr := w.Folder(path)
			all = errors.Join(all, readErr, listErr, folderErr)
			if path != "" {
				all = errors.Join(all, write(t.Context(), w, path+"/x", []byte("x")), write(t.Context(), w, path, []byte("x")))
			}
		}
		return errors.Join(all, w.Export(t.Context(), io.Discard, exportLimit), w.Export(t.Context(), io.Discard, 1000))
	}
	if err := calls(); !errors.Is(err, workspace.ErrUnsafe) || errors.Is(err, workspace.ErrUnconfirmed) {
		t.Fatalf("got %v, want refusals of every kind", err)
	}
	before := descriptors(t)
	for range 20 {
		_ = calls() // judged above
	}
	if after := descriptors(t); after > before {
		t.Errorf("descriptors: got %d, want %d as before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("list descriptors: %v", errors.Join(err, os.ErrNotExist))
	}
	return len(names)
}
