package data

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Folder is an existing data folder.
type Folder struct{ path string }

// Place finds where the folder lies: the given path, else PARLEY_DATA, else parley in the XDG data home.
func Place(given string, getenv func(string) string) (string, error) {
	path := given
	if path == "" {
		path = getenv("PARLEY_DATA")
	}
	// The XDG base directory rules: a relative XDG_DATA_HOME is ignored.
	if home := getenv("XDG_DATA_HOME"); path == "" && filepath.IsAbs(home) {
		path = filepath.Join(home, "parley")
	}
	if home := getenv("HOME"); path == "" && home != "" {
		path = filepath.Join(home, ".local", "share", "parley")
	}
	if path == "" {
		return "", errors.New("find the data folder: neither PARLEY_DATA, XDG_DATA_HOME nor HOME is set; name one with --data")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	return full, nil
}

// Enter creates the folder, for its owner only, or takes the one that is there. What of ours in it others may use is
// closed to them, and the log says so.
func Enter(path string, log *slog.Logger) (Folder, error) {
	if err := os.MkdirAll(path, folderMode); err != nil {
		return Folder{}, fmt.Errorf("create data folder: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Folder{}, fmt.Errorf("open data folder: %w", err)
	}
	if !info.IsDir() {
		return Folder{}, fmt.Errorf("open data folder: %q is a file, expected a folder; name another with --data", path)
	}
	folder := Folder{path}
	return folder, folder.tighten(log)
}

// Existing takes a folder that is there, changing nothing. fs.ErrNotExist where there is none.
func Existing(path string) (Folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Folder{}, fmt.Errorf("open data folder: %w", err)
	}
	if !info.IsDir() {
		return Folder{}, fmt.Errorf("open data folder: %q is a file, expected a folder", path)
	}
	return Folder{path}, nil
}

// Path is the folder's absolute path.
func (f Folder) Path() string { return f.path }

// Database is where the store's file lies.
func (f Folder) Database() string { return filepath.Join(f.path, "parley.db") }

// Writable tells whether files can be made in the folder: nil, or why not.
func (f Folder) Writable() error {
	if err := unix.Access(f.path, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("write to data folder %q: %w", f.path, err)
	}
	return nil
}

// writeWhole puts a file into place whole: temporary file, sync, rename, sync of the folder.
func writeWhole(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	_, err = temporary.Write(content)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		os.Remove(temporary.Name()) // the first error is the one to tell
		return fmt.Errorf("write %q: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer folder.Close() // opened for reading
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync folder %q: %w", path, err)
	}
	return nil
}
