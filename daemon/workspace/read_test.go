//go:build unix

package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/daemon/workspace"
)

// wire 3.10.1
func TestReadIsCompleteOrTruncatedAtTheBound(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "d/ten", "0123456789")
	put(t, w.Dir(), "empty", "")
	put(t, w.Dir(), "big", strings.Repeat("x", 1<<20+1))
	for _, row := range []struct {
		path      string
		max, size int
		truncated bool
	}{
		{"d/ten", 9, 9, true}, {"d/ten", 10, 10, false}, {"d/ten", 11, 10, false}, {"d/ten", 1, 1, true},
		{"empty", 1, 0, false}, {"big", 1 << 20, 1 << 20, true}, {"big", 1<<20 - 1, 1<<20 - 1, true},
	} {
		got, err := w.Read(t.Context(), row.path, row.max)
		if err != nil || len(got.Data) != row.size || got.Truncated != row.truncated {
			t.Errorf("read %s up to %d: got %d bytes, truncated %v, %v; want %d, %v", row.path, row.max, len(got.Data), got.Truncated, err, row.size, row.truncated)
		}
	}
	for _, max := range []int{0, -1, 1<<20 + 1} {
		if _, err := w.Read(t.Context(), "d/ten", max); !errors.Is(err, workspace.ErrTooLarge) {
			t.Errorf("read up to %d: got %v, want ErrTooLarge", max, err)
		}
	}
}

// A file of a virtual file system claims no size and holds something.
func TestReadDoesNotBelieveTheSize(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	w := open(t, "/proc/self")
	got, err := w.Read(t.Context(), "status", 1<<20)
	if err != nil || !bytes.Contains(got.Data, []byte("Name:")) || got.Truncated {
		t.Errorf("got %d bytes, truncated %v, %v; want the whole file", len(got.Data), got.Truncated, err)
	}
}

// wire 5.8
func TestReadsRefuse(t *testing.T) {
	t.Parallel()
	w := opened(t)
	outside := filepath.Dir(w.Dir())
	put(t, outside, "secret", "canary")
	put(t, w.Dir(), "d/file", "inside")
	symlink(t, "/", w.Dir(), "root")
	symlink(t, "../secret", w.Dir(), "secret")
	symlink(t, "d", w.Dir(), "inner")
	symlink(t, "d/file", w.Dir(), "innerfile")
	symlink(t, "nowhere", w.Dir(), "dangling")
	special(t, w.Dir())
	for _, row := range []struct {
		path       string
		read, list error
	}{
		{"../secret", workspace.ErrPath, workspace.ErrPath},
		{"/etc/passwd", workspace.ErrPath, workspace.ErrPath},
		{"missing", workspace.ErrNotFound, workspace.ErrNotFound},
		{"missing/file", workspace.ErrNotFound, workspace.ErrNotFound},
		{"d/file/below", workspace.ErrNotFound, workspace.ErrNotFound},
		{"d/file", nil, workspace.ErrNotDirectory},
		{"d", workspace.ErrNotFile, nil},
		{"", workspace.ErrPath, nil},
		{"root", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"root/etc/passwd", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"secret", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"inner", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"inner/file", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"innerfile", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"dangling", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"pipe", workspace.ErrNotFile, workspace.ErrUnsafe},
		{"pipe/file", workspace.ErrUnsafe, workspace.ErrUnsafe},
		{"socket", workspace.ErrNotFile, workspace.ErrUnsafe},
		{strings.Repeat("n", 300), workspace.ErrPath, workspace.ErrPath},
	} {
		got, err := w.Read(t.Context(), row.path, 100)
		if !errors.Is(err, row.read) || err != nil && got.Data != nil {
			t.Errorf("read %.30q: got %q, %v; want %v", row.path, got.Data, err, row.read)
		}
		if _, err := w.List(t.Context(), row.path, 100); !errors.Is(err, row.list) {
			t.Errorf("list %.30q: got %v; want %v", row.path, err, row.list)
		}
	}
}

func TestReadsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "file", "content")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Read(ctx, "file", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("read: got %v, want canceled", err)
	}
	if _, err := w.List(ctx, "", 10); !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v, want canceled", err)
	}
}

// wire 3.10.1
func TestListTellsKindsAndSizes(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "b.txt", "12345")
	put(t, w.Dir(), "a/x", "")
	symlink(t, "/etc/passwd", w.Dir(), "link")
	special(t, w.Dir())
	listing, err := w.List(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range listing.Entries {
		size := "null"
		if e.Size != nil {
			size = fmt.Sprint(*e.Size)
		}
		got = append(got, fmt.Sprintf("%s %s %s", e.Name, e.Kind, size))
	}
	want := "a directory null, b.txt file 5, link symlink null, pipe other null, socket other null"
	if strings.Join(got, ", ") != want || listing.Truncated {
		t.Errorf("got %s (truncated %v), want %s", strings.Join(got, ", "), listing.Truncated, want)
	}
}

// wire 3.10.1
func TestListTruncates(t *testing.T) {
	t.Parallel()
	w := opened(t)
	for _, name := range []string{"c", "a", "d", "b"} {
		put(t, w.Dir(), name, "")
	}
	for _, row := range []struct {
		max       int
		names     string
		truncated bool
	}{{4, "abcd", false}, {5, "abcd", false}, {3, "abc", true}, {1, "a", true}} {
		if got, truncated := names(t, w, row.max); got != row.names || truncated != row.truncated {
			t.Errorf("at most %d: got %s, truncated %v; want %s, %v", row.max, got, truncated, row.names, row.truncated)
		}
	}
	for _, max := range []int{0, 1025} {
		if _, err := w.List(t.Context(), "", max); !errors.Is(err, workspace.ErrTooLarge) {
			t.Errorf("at most %d: got %v, want ErrTooLarge", max, err)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("odd names need a file system that takes any byte")
	}
	for _, name := range []string{`e\f`, "e\nf", "e\xff"} {
		put(t, w.Dir(), name, "")
		if got, truncated := names(t, w, 100); got != "abcd" || !truncated {
			t.Errorf("beside %q: got %s, truncated %v; want abcd, true", name, got, truncated)
		}
		if err := os.Remove(filepath.Join(w.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T, w *workspace.Workspace, max int) (string, bool) {
	t.Helper()
	listing, err := w.List(t.Context(), "", max)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range listing.Entries {
		all.WriteString(e.Name)
	}
	return all.String(), listing.Truncated
}

// wire 5.1
func TestListOfABigFolderHasTheFirstNames(t *testing.T) {
	t.Parallel()
	w := opened(t)
	const count = 20_000
	for i := range count {
		file, err := os.Create(filepath.Join(w.Dir(), fmt.Sprintf("name-%s-%06d", strings.Repeat("x", 200), (i*7919)%count)))
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	listing, err := w.List(t.Context(), "", 1024)
	if err != nil || len(listing.Entries) != 1024 || !listing.Truncated {
		t.Fatalf("got %d entries, truncated %v, %v; want 1024, true", len(listing.Entries), listing.Truncated, err)
	}
	if last := listing.Entries[1023].Name; !strings.HasSuffix(last, "-001023") {
		t.Errorf("last name: got %s, want the 1,024th in order", last)
	}
}
