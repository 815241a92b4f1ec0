package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inspectToOpen is what Open asks. Another program may have the file open, or open it at the same moment, so nothing is
// made or removed beside it: where SQLite would make the index of a log, a copy is looked at. A fault seen while the
// file was changing is looked at again.
func inspectToOpen(ctx context.Context, path string) error {
	const looks = 5
	for left := looks; ; left-- {
		before := stamp(path)
		err := inspectOnce(ctx, path)
		if err == nil || left == 1 || before == stamp(path) {
			return err
		}
	}
}

func inspectOnce(ctx context.Context, path string) error {
	facts, err := readHeader(path)
	if err != nil {
		return err
	}
	if logOf(path) == logAlone {
		return lookAtCopy(ctx, path, facts)
	}
	_, err = look(ctx, path, path, false, facts)
	return err
}

// stamp tells two states of a file and its log apart.
func stamp(path string) string {
	var text strings.Builder
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			fmt.Fprintln(&text, info.Size(), info.ModTime().UnixNano())
		}
	}
	fmt.Fprint(&text, logOf(path))
	return text.String()
}

// lookAtCopy looks at a copy of a file and its log that are small enough to be checked, and goes by the header of others.
func lookAtCopy(ctx context.Context, path string, facts Facts) error {
	if log, err := os.Stat(path + "-wal"); err == nil && facts.Bytes+log.Size() > checkedBytes {
		return nil
	}
	room, err := os.MkdirTemp(filepath.Dir(path), ".look-") // its owner's alone
	if err != nil {
		return fmt.Errorf("inspect database %q: %w", path, err)
	}
	defer os.RemoveAll(room) // what stays is in the data folder and nobody's business
	at := filepath.Join(room, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(at+suffix, path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return faultOf(path, err)
		}
	}
	_, err = look(ctx, at, path, false, facts)
	return err
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() // opened for reading
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
