//go:build unix

package workspace_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/daemon/workspace"
)

const exportLimit = 553_648_128 // wire 5.2

// contents reads an archive: one line for each entry.
func contents(t *testing.T, archive []byte) string {
	t.Helper()
	var all strings.Builder
	reader := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%c %s %o %q %q\n", header.Typeflag, header.Name, header.Mode, header.Linkname, data)
	}
}

// wire 3.10.3
func TestExportIsOneOrderedArchive(t *testing.T) {
	t.Parallel()
	w := opened(t)
	long := strings.Repeat("long-", 30) + "ä"
	put(t, filepath.Dir(w.Dir()), "secret", "canary")
	put(t, w.Dir(), "b/two", "2")
	put(t, w.Dir(), "b/one", "1")
	put(t, w.Dir(), "b.txt", "text")
	put(t, w.Dir(), long+"/file", "")
	symlink(t, "../secret", w.Dir(), "link")
	symlink(t, "b", w.Dir(), "folderlink")
	special(t, w.Dir())
	for name, mode := range map[string]os.FileMode{"b": 0o750, "b/two": 0o755} {
		if err := os.Chmod(filepath.Join(w.Dir(), name), mode); err != nil {
			t.Fatal(err)
		}
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := w.Export(t.Context(), out, exportLimit); err != nil {
			t.Fatal(err)
		}
	}
	want := `5 b/ 750 "" ""
0 b/one 644 "" "1"
0 b/two 755 "" "2"
0 b.txt 644 "" "text"
2 folderlink 777 "b" ""
2 link 777 "../secret" ""
5 ` + long + `/ 755 "" ""
0 ` + long + `/file 644 "" ""
`
	if got := contents(t, first.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two exports of the same contents differ")
	}
}

// wire 3.10.3
func TestExportKeepsItsLimit(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "file", strings.Repeat("x", 10_000))
	var all bytes.Buffer
	if err := w.Export(t.Context(), &all, exportLimit); err != nil {
		t.Fatal(err)
	}
	size := int64(all.Len())
	for _, row := range []struct {
		limit int64
		want  error
	}{{size, nil}, {size - 1, workspace.ErrTooLarge}, {512, workspace.ErrTooLarge}, {0, workspace.ErrTooLarge}} {
		var out bytes.Buffer
		if err := w.Export(t.Context(), &out, row.limit); !errors.Is(err, row.want) {
			t.Errorf("limit %d of %d: got %v, want %v", row.limit, size, err, row.want)
		}
		if int64(out.Len()) > row.limit {
			t.Errorf("limit %d: %d bytes were written", row.limit, out.Len())
		}
	}
	many := opened(t)
	for i := range 100 {
		put(t, many.Dir(), fmt.Sprint(i), "")
	}
	if err := many.Export(t.Context(), io.Discard, 50*512); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("more names than can have headers: got %v, want ErrTooLarge", err)
	}
}

// meddler changes something when the archive has grown to a certain size.
type meddler struct {
	after int
	act   func()
}

func (m *meddler) Write(data []byte) (int, error) {
	if m.after -= len(data); m.after <= 0 && m.act != nil {
		m.act()
		m.act = nil
	}
	return len(data), nil
}

func TestExportNamesWhatChanged(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		act  func(file string) error
	}{
		{"grew", func(file string) error { return os.WriteFile(file, make([]byte, 2_000_001), 0o644) }},
		{"shrank", func(file string) error { return os.Truncate(file, 1_000) }},
		{"rewritten", func(file string) error { return os.Chtimes(file, time.Time{}, time.Unix(1, 0)) }},
	} {
		w := opened(t)
		put(t, w.Dir(), "d/file", string(make([]byte, 2_000_000)))
		out := &meddler{after: 100_000, act: func() {
			if err := row.act(filepath.Join(w.Dir(), "d/file")); err != nil {
				t.Error(err)
			}
		}}
		err := w.Export(t.Context(), out, exportLimit)
		if !errors.Is(err, workspace.ErrChanged) || !strings.Contains(err.Error(), `"d/file"`) {
			t.Errorf("%s: got %v, want ErrChanged with the path", row.name, err)
		}
	}
}

// Folders can be nested deeper than any path names them.
func TestExportRefusesEndlessFolders(t *testing.T) {
	t.Parallel()
	w := opened(t)
	folder, err := os.OpenRoot(w.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for range 2_100 {
		if err := folder.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := folder.OpenRoot("d")
		if err != nil {
			t.Fatal(err)
		}
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
		folder = next
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Export(t.Context(), io.Discard, exportLimit); !errors.Is(err, workspace.ErrTooLarge) {
		t.Errorf("got %.200v, want ErrTooLarge", err)
	}
}

func TestExportEndsWithItsContext(t *testing.T) {
	t.Parallel()
	w := opened(t)
	put(t, w.Dir(), "file", string(make([]byte, 2_000_000)))
	ctx, cancel := context.WithCancel(t.Context())
	if err := w.Export(ctx, &meddler{after: 100_000, act: cancel}, exportLimit); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}
