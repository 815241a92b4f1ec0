//go:build unix

package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"parley/daemon/workspace"
)

const swaps = 10_000

// hostile-inputs F-1: a link, a pipe and a real folder take turns under the names that reads and writes go through.
func TestNothingOutsideIsTouchedWhileLinksAreSwapped(t *testing.T) {
	t.Parallel()
	w := opened(t)
	outside := filepath.Join(filepath.Dir(w.Dir()), "outside")
	put(t, outside, "file", "canary")
	put(t, outside, "canary", "")
	put(t, w.Dir(), "real/file", "inside")
	put(t, w.Dir(), "elsewhere/file", "linked")
	before := tree(t, outside) + tree(t, filepath.Join(w.Dir(), "elsewhere"))

	var work sync.WaitGroup
	var reads, writes, refused atomic.Int64
	judge := func(what string, err error) {
		if err == nil {
			return
		}
		refused.Add(1)
		if errors.Is(err, workspace.ErrUnconfirmed) {
			t.Errorf("%s: got %v, want a finite refusal", what, err)
		}
	}
	look := func() {
		for _, path := range []string{"d/file", "f", "d/file", "f"} {
			content, err := w.Read(t.Context(), path, 100)
			if err == nil && string(content.Data) != "inside" && len(content.Data) != 0 {
				t.Errorf("read %s: got %q, which stands behind a link", path, content.Data)
			}
			judge("read", err)
			reads.Add(1)
		}
		listing, err := w.List(t.Context(), "d", 100)
		for _, entry := range listing.Entries {
			if entry.Name == "canary" {
				t.Error("list returned names from outside")
			}
		}
		judge("list", err)
	}
	change := func() {
		for _, path := range []string{"d/file", "f"} {
			judge("write", write(t.Context(), w, path, []byte("inside")))
			writes.Add(1)
		}
	}
	// They take turns with the swaps, a few at a time: looking without a pause would leave no time for swapping, and
	// writing syncs the disk.
	looks, changes := make(chan struct{}), make(chan struct{})
	for range 2 {
		work.Go(func() { each(looks, look) })
	}
	work.Go(func() { each(changes, change) })
	swap(t, w.Dir(), outside, func(i int) {
		offer(looks)
		if i%13 == 0 { // meets each of the four things in turn
			offer(changes)
		}
	})
	close(looks)
	close(changes)
	work.Wait()
	if after := tree(t, outside) + tree(t, filepath.Join(w.Dir(), "elsewhere")); after != before {
		t.Errorf("behind the links: got\n%s\nwant\n%s", after, before)
	}
	t.Logf("%d reads, %d writes, %d refusals in %d swaps", reads.Load(), writes.Load(), refused.Load(), swaps)
}

func each(turns <-chan struct{}, act func()) {
	for range turns {
		act()
	}
}

// offer gives a turn to whoever waits for one.
func offer(turns chan<- struct{}) {
	select {
	case turns <- struct{}{}:
	default: // all are still at it
	}
}

// swap puts real and false things under the names d and f in turn. A step that a write was quicker than is no fault.
func swap(t *testing.T, dir, outside string, next func(i int)) {
	t.Helper()
	d, f, real := filepath.Join(dir, "d"), filepath.Join(dir, "f"), filepath.Join(dir, "real")
	placed := 0
	for i := range swaps {
		next(i)
		var err error
		switch i % 4 {
		case 0:
			err = errors.Join(os.Symlink(outside, d), os.Symlink(filepath.Join(outside, "file"), f))
		case 1:
			err = errors.Join(os.Rename(real, d), os.WriteFile(f, []byte("inside"), 0o644),
				os.Symlink("elsewhere/file", f+".link"), os.Rename(f+".link", f))
			for range 10 { // folder and link, with nothing between them
				_ = os.Rename(d, real)
				_ = os.Symlink("elsewhere", d)
				_ = os.Remove(d)
				_ = os.Rename(real, d)
			}
			_ = os.Rename(d, real)
		case 2:
			err = errors.Join(syscall.Mkfifo(d, 0o600), syscall.Mkfifo(f, 0o600))
		case 3:
			err = errors.Join(os.Symlink("elsewhere", d), os.Symlink("elsewhere/file", f))
		}
		if err == nil {
			placed++
		}
		_ = os.RemoveAll(d)
		_ = os.RemoveAll(f)
	}
	if placed < swaps/10 {
		t.Errorf("got %d swaps that took effect, want at least %d", placed, swaps/10)
	}
}
