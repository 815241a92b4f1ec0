//go:build unix

package workspace_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"parley/daemon/workspace"
)

// childMode names the part that this binary plays when a test starts it again.
const childMode = "PARLEY_WORKSPACE_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		os.Exit(child(mode))
	}
	goleak.VerifyTestMain(m)
}

func child(mode string) int {
	parts := map[string]func(dir string) error{"install": installForEver, "full": fillUnderLimit}
	if err := parts[mode](os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// opened is a workspace in a folder of its own, with a neighbour that nobody may touch.
func opened(t *testing.T) *workspace.Workspace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bound")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

func open(t *testing.T, dir string) *workspace.Workspace {
	t.Helper()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stage fills a body and completes it.
func stage(ctx context.Context, w *workspace.Workspace, data []byte) (*workspace.Staged, error) {
	staged, err := w.Stage(ctx, int64(len(data)), digest(data))
	if err != nil {
		return nil, err
	}
	for offset := 0; offset < len(data); offset += 64 << 10 {
		if err := staged.Append(int64(offset), data[offset:min(len(data), offset+64<<10)]); err != nil {
			staged.Discard()
			return nil, err
		}
	}
	if err := staged.Complete(); err != nil {
		staged.Discard()
		return nil, err
	}
	return staged, nil
}

func write(ctx context.Context, w *workspace.Workspace, path string, data []byte) error {
	staged, err := stage(ctx, w, data)
	if err != nil {
		return err
	}
	defer staged.Discard()
	return staged.Install(ctx, path)
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, dir, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// tree lists every name below dir with its content, links with their target.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		content := ""
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case entry.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			content = string(data)
		}
		fmt.Fprintf(&all, "%s %s %q\n", entry.Type(), filepath.ToSlash(relative), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
