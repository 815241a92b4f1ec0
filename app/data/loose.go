package data

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// Loose is a file or folder of ours that others than its owner may use.
type Loose struct {
	Path string
	Mode fs.FileMode // permissions as found
	Want fs.FileMode
}

// ours lists what the lab keeps in its folder. Other files there are a person's, and none of its business.
func ours() []string {
	return []string{".", "lock", "parley.db", "parley.db-wal", "parley.db-shm",
		"credentials", "credentials/session.key", "credentials/api-key"}
}

// Loose finds what others may use, the folder itself first. It changes nothing.
func (f Folder) Loose() ([]Loose, error) {
	var list []Loose
	for _, name := range ours() {
		path := filepath.Join(f.path, name)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at modes: %w", err)
		}
		want := fs.FileMode(fileMode)
		if info.IsDir() {
			want = folderMode
		}
		if mode := info.Mode().Perm(); mode&^want != 0 {
			list = append(list, Loose{path, mode, want})
		}
	}
	return list, nil
}

// tighten closes to others what is ours, and the log says so.
func (f Folder) tighten(log *slog.Logger) error {
	list, err := f.Loose()
	if err != nil {
		return err
	}
	for _, l := range list {
		if err := os.Chmod(l.Path, l.Want); err != nil {
			return fmt.Errorf("close the data folder to others: %w; it must be mode %04o", err, l.Want)
		}
		log.Warn("was open to others and is closed now", "path", l.Path, "before", l.Mode.String(), "now", l.Want.String())
	}
	return nil
}
