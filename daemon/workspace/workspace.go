package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Workspace is one folder, held open. Close releases it.
type Workspace struct {
	dir  string
	root *os.Root

	installing sync.Mutex          // one install at a time: a sweep must not meet the temporary name of another; guards swept
	swept      map[string]struct{} // folders that were searched for left-over temporary names
}

// Open holds the folder dir, which must exist; links in dir itself are resolved once, here.
func Open(dir string) (*Workspace, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(absolute)
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", dir, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", dir, err)
	}
	return &Workspace{dir: real, root: root, swept: map[string]struct{}{}}, nil
}

// Dir is the real absolute path of the folder at the time it was opened.
func (w *Workspace) Dir() string { return w.dir }

// Close releases the folder. Later calls of other methods fail with os.ErrClosed.
func (w *Workspace) Close() error { return w.root.Close() }

// Folder is the absolute path of a folder of the workspace, "" being the workspace itself. It must exist and be reached
// without a link: ErrPath, ErrNotFound, ErrPermission, ErrNotDirectory or ErrUnsafe otherwise.
func (w *Workspace) Folder(path string) (string, error) {
	folder, err := w.folder(path)
	if err != nil {
		return "", fmt.Errorf("look at folder %q: %w", path, err)
	}
	if err := folder.Close(); err != nil {
		return "", fmt.Errorf("close folder %q: %w", path, err)
	}
	return filepath.Join(w.dir, filepath.FromSlash(path)), nil
}
