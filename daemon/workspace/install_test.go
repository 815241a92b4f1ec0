//go:build unix

package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/daemon/workspace"
)

// wire 3.10.2
func TestWriteInstallsTheWholeBody(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "old", "before")
	if err := os.Chmod(filepath.Join(w.Dir(), "old"), 0o751); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path string
		data []byte
		mode fs.FileMode
	}{
		{"new", []byte("hello"), 0o644},
		{"empty", nil, 0o644},
		{"old", []byte("after"), 0o751},
		{"a/b/c/deep", bytes.Repeat([]byte("0123456789abcdef"), 20_000), 0o644},
		{"a/b/second", []byte("2"), 0o644},
		{"new", []byte("again"), 0o644},
	} {
		if err := write(t.Context(), w, row.path, row.data); err != nil {
			t.Errorf("write %s: %v", row.path, err)
			continue
		}
		file := filepath.Join(w.Dir(), row.path)
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, row.data) {
			t.Errorf("%s: got %d bytes, %v; want %d", row.path, len(got), err, len(row.data))
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != row.mode {
			t.Errorf("%s: got mode %v, %v; want %v", row.path, info.Mode(), err, row.mode)
		}
	}
}

// A hard link elsewhere keeps its bytes: a file is replaced, never written into.
func TestWriteReplacesTheName(t *testing.T) {
	t.Parallel()
	w := opened(t)
	outside := filepath.Join(filepath.Dir(w.Dir()), "outside")
	put(t, filepath.Dir(w.Dir()), "outside", "canary")
	if err := os.Link(outside, filepath.Join(w.Dir(), "inside")); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), w, "inside", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "canary" {
		t.Errorf("outside: got %q, %v; want it unchanged", got, err)
	}
}

// wire 5.9
func TestWriteRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, filepath.Dir(w.Dir()), "secret", "canary")
	put(t, w.Dir(), "d/file", "inside")
	symlink(t, "/", w.Dir(), "root")
	symlink(t, "../secret", w.Dir(), "secret")
	symlink(t, "d", w.Dir(), "inner")
	symlink(t, "nowhere", w.Dir(), "dangling")
	special(t, w.Dir())
	before := tree(t, filepath.Dir(w.Dir()))
	for _, row := range []struct {
		path string
		want error
	}{
		{"", workspace.ErrPath}, {"../secret", workspace.ErrPath}, {"/secret", workspace.ErrPath}, {"a//b", workspace.ErrPath},
		{"a/", workspace.ErrPath}, {"a/./b", workspace.ErrPath}, {"a\\b", workspace.ErrPath}, {"a\x00", workspace.ErrPath},
		{"a/" + strings.Repeat("n", 300), workspace.ErrPath},
		{".parley-install-" + strings.Repeat("A", 26), workspace.ErrPath},
		{"a/.parley-install-" + strings.Repeat("A", 26) + "/b", workspace.ErrPath},
		{"d", workspace.ErrDirectory},
		{"d/file/below", workspace.ErrNotDirectory},
		{"secret", workspace.ErrUnsafe}, {"dangling", workspace.ErrUnsafe}, {"root/tmp/x", workspace.ErrUnsafe},
		{"inner/new", workspace.ErrUnsafe}, {"pipe", workspace.ErrUnsafe}, {"socket", workspace.ErrUnsafe}, {"pipe/x", workspace.ErrUnsafe},
		{"new/folder/" + strings.Repeat("n", 300) + "/x", workspace.ErrPath},
	} {
		if err := write(t.Context(), w, row.path, []byte("hostile")); !errors.Is(err, row.want) {
			t.Errorf("write %.40q: got %v, want %v", row.path, err, row.want)
		}
		if after := tree(t, filepath.Dir(w.Dir())); after != before {
			t.Fatalf("write %.40q changed the tree: got\n%s\nwant\n%s", row.path, after, before)
		}
	}
}

// behaviour 7.1
func TestBodyRefusesWhatWasNotDeclared(t *testing.T) {
	t.Parallel()
	w := opened(t)
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for _, row := range []struct {
		name   string
		size   int64
		digest string
		chunks []int // offsets; each is followed by the chunk
		length int
		want   error
	}{
		{"gap", 1 << 20, digest(chunk), []int{0, 65537}, 64 << 10, workspace.ErrOffset},
		{"repeated", 1 << 20, digest(chunk), []int{0, 0}, 64 << 10, workspace.ErrOffset},
		{"first not at zero", 1 << 20, digest(chunk), []int{1}, 10, workspace.ErrOffset},
		{"beyond the size", 65537, digest(chunk), []int{0, 65536}, 2, workspace.ErrTooLarge},
		{"chunk too long", 1 << 20, digest(chunk), []int{0}, 64<<10 + 1, workspace.ErrTooLarge},
		{"short", 65537, digest(chunk), []int{0}, 64 << 10, workspace.ErrShort},
		{"nothing sent", 1, digest([]byte("x")), nil, 0, workspace.ErrShort},
		{"other digest", 64 << 10, digest([]byte("y")), []int{0}, 64 << 10, workspace.ErrDigest},
		{"digest of an empty body", 0, digest([]byte("y")), nil, 0, workspace.ErrDigest},
	} {
		staged, err := w.Stage(t.Context(), row.size, row.digest)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		data := bytes.Repeat([]byte("x"), 64<<10+1)
		for i, offset := range row.chunks {
			length := 64 << 10
			if i == len(row.chunks)-1 {
				length = row.length
			}
			_ = staged.Append(int64(offset), data[:length]) // the fault stays until Complete
		}
		if err := staged.Complete(); !errors.Is(err, row.want) {
			t.Errorf("%s: got %v, want %v", row.name, err, row.want)
		}
		if err := staged.Append(staged.Staged(), nil); !errors.Is(err, row.want) {
			t.Errorf("%s, used on: got %v, want %v", row.name, err, row.want)
		}
		if err := staged.Install(t.Context(), "file"); err == nil {
			t.Errorf("%s: an incomplete body was installed", row.name)
		}
		staged.Discard()
		staged.Discard()
	}
	if got := tree(t, w.Dir()); strings.Count(got, "\n") != 1 {
		t.Errorf("tree: got %s, want an empty folder", got)
	}
}

// wire 3.8.2
func TestStageRefusesSizesAndDigests(t *testing.T) {
	t.Parallel()
	w := opened(t)
	good := digest(nil)
	for _, row := range []struct {
		size   int64
		digest string
		want   error
	}{
		{-1, good, workspace.ErrTooLarge}, {50<<20 + 1, good, workspace.ErrTooLarge}, {0, "", workspace.ErrDigest},
		{0, strings.ToUpper(good), workspace.ErrDigest}, {0, good[1:], workspace.ErrDigest}, {0, good + "0", workspace.ErrDigest},
		{0, "g" + good[1:], workspace.ErrDigest}, {50 << 20, good, nil},
	} {
		staged, err := w.Stage(t.Context(), row.size, row.digest)
		if !errors.Is(err, row.want) {
			t.Errorf("stage %d bytes, %.10q…: got %v, want %v", row.size, row.digest, err, row.want)
		}
		if err == nil {
			staged.Discard()
		}
	}
}

func TestStagedBytesAreNotInTheWorkspace(t *testing.T) {
	t.Parallel()
	w := opened(t)
	staged, err := stage(t.Context(), w, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Discard()
	entries, err := os.ReadDir(w.Dir())
	if err != nil || len(entries) != 0 {
		t.Errorf("got %v, %v; want an empty folder", entries, err)
	}
}

// A context that ended prevents the file and takes back the folders.
func TestWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w := opened(t)
	staged, err := stage(t.Context(), w, []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer staged.Discard()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, path := range []string{"file", "a/b/file"} {
		if err := staged.Install(ctx, path); !errors.Is(err, context.Canceled) {
			t.Errorf("install %s: got %v, want canceled", path, err)
		}
	}
	if got := tree(t, w.Dir()); strings.Count(got, "\n") != 1 {
		t.Errorf("tree: got %s, want an empty folder", got)
	}
	if err := staged.Install(t.Context(), "file"); err != nil {
		t.Errorf("install afterwards: %v", err)
	}
}

// A name that a killed process left is in nobody's view, and goes with the next write to its folder.
func TestLeftOverNamesAreSwept(t *testing.T) {
	t.Parallel()
	w := opened(t)
	left := "d/.parley-install-" + strings.Repeat("A2", 13)
	put(t, w.Dir(), left, "half")
	put(t, w.Dir(), "d/.parley-install-mine", "a person's file")
	listing, err := w.List(t.Context(), "d", 10)
	if err != nil || len(listing.Entries) != 1 || listing.Truncated {
		t.Errorf("list: got %v, %v; want one name", listing, err)
	}
	if err := write(t.Context(), w, "d/file", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(w.Dir(), left)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left-over: got %v, want it gone", err)
	}
	if _, err := os.Lstat(filepath.Join(w.Dir(), "d/.parley-install-mine")); err != nil {
		t.Errorf("a file of somebody else: %v", err)
	}
}

func TestClosedWorkspaceRefuses(t *testing.T) {
	t.Parallel()
	w, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read(t.Context(), "x", 1); !errors.Is(err, os.ErrClosed) || errors.Is(err, workspace.ErrUnconfirmed) {
		t.Errorf("read: got %v, want os.ErrClosed", err)
	}
	if err := write(t.Context(), w, "x", nil); err == nil {
		t.Error("write: got no error")
	}
}

func TestOpenWantsAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "file", "")
	for _, name := range []string{"file", "missing"} {
		if w, err := workspace.Open(filepath.Join(dir, name)); err == nil {
			_ = w.Close()
			t.Errorf("open %s: got no error", name)
		}
	}
}
