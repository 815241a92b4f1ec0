package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// folder opens the folder at path, "" being the workspace itself.
func (w *Workspace) folder(path string) (*os.Root, error) {
	if path == "" {
		return w.top()
	}
	if err := CheckRelative(path); err != nil {
		return nil, err
	}
	parent, name, err := w.parent(path)
	if err != nil {
		return nil, err
	}
	folder, err := enter(parent, name)
	if closeErr := parent.Close(); err == nil && closeErr != nil {
		_ = folder.Close() // the first fault is the one to report
		return nil, fmt.Errorf("%w: %w", ErrUnconfirmed, bare(closeErr))
	}
	return folder, err
}

// parent opens the folder that holds the last element of a checked path. A regular file on the way means that the path
// is not there.
func (w *Workspace) parent(path string) (*os.Root, string, error) {
	folder, err := w.top()
	if err != nil {
		return nil, "", err
	}
	for name, rest, more := strings.Cut(path, "/"); more; name, rest, more = strings.Cut(rest, "/") {
		next, err := enter(folder, name)
		_ = folder.Close() // read-only; what was read of it is checked by enter
		if errors.Is(err, ErrNotDirectory) {
			return nil, "", fmt.Errorf("%w: %q is a file", ErrNotFound, name)
		}
		if err != nil {
			return nil, "", err
		}
		folder = next
	}
	return folder, path[strings.LastIndexByte(path, '/')+1:], nil
}

func (w *Workspace) top() (*os.Root, error) {
	folder, err := w.root.OpenRoot(".")
	if err != nil {
		return nil, reason(err)
	}
	return folder, nil
}

// enter opens the folder name inside parent. What is opened must be what was looked at, so a link that is swapped in
// between is found, wherever it leads.
func enter(parent *os.Root, name string) (*os.Root, error) {
	seen, err := look(parent, name)
	if err != nil {
		return nil, err
	}
	if seen.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %q is a file", ErrNotDirectory, name)
	}
	if !seen.IsDir() {
		return nil, fmt.Errorf("%w: %q is a %s", ErrUnsafe, name, kindOf(seen))
	}
	// The dot lets the kernel refuse what is no folder; opening a pipe by its name alone would wait for a writer.
	folder, err := parent.OpenRoot(name + "/.")
	if err != nil {
		return nil, reason(err)
	}
	if found, err := folder.Stat("."); err != nil || !os.SameFile(seen, found) {
		_ = folder.Close() // not what was asked for
		return nil, swapped(name)
	}
	return folder, nil
}

// openFile opens the regular file name inside folder for reading, and says what was opened.
func openFile(folder *os.Root, name string) (*os.File, fs.FileInfo, error) {
	seen, err := look(folder, name)
	if err != nil {
		return nil, nil, err
	}
	if seen.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, fmt.Errorf("%w: %q is a symlink", ErrUnsafe, name)
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%w: %q is a %s", ErrNotFile, name, kindOf(seen))
	}
	file, err := folder.OpenFile(name, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, nil, reason(err)
	}
	found, err := file.Stat()
	if err != nil || !os.SameFile(seen, found) {
		_ = file.Close() // not what was asked for
		return nil, nil, swapped(name)
	}
	return file, found, nil
}

// look says what stands under one name. Names that mean something else to the system (Windows: NUL, C:, a stream of a
// file) are refused.
func look(folder *os.Root, name string) (fs.FileInfo, error) {
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%w: %q is a reserved name here", ErrPath, name)
	}
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, reason(err)
	}
	return info, nil
}

func swapped(name string) error {
	return fmt.Errorf("%w: %q changed while it was opened", ErrUnsafe, name)
}

// acknowledge closes c; a close that fails leaves the result in doubt.
func acknowledge(c io.Closer, err *error) {
	if closeErr := c.Close(); closeErr != nil && *err == nil {
		*err = fmt.Errorf("%w: close: %w", ErrUnconfirmed, bare(closeErr))
	}
}
