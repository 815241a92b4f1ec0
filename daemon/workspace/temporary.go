package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

const (
	temporaryPrefix = ".parley-install-"
	temporaryRandom = 26 // characters of rand.Text
	maxSwept        = 1024
)

func temporaryName() string { return temporaryPrefix + rand.Text() }

// isTemporary knows the names that a file has for a moment while it replaces another. They are no part of the workspace.
func isTemporary(name string) bool {
	random, ok := strings.CutPrefix(name, temporaryPrefix)
	return ok && len(random) == temporaryRandom && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// sweep removes the temporary names that a killed process left in the folder of path, once for each folder: this process
// removes its own. An install goes on if that fails; a left-over is in nobody's way.
func (w *Workspace) sweep(ctx context.Context, folder *os.Root, file string) {
	dir := path.Dir(file)
	if _, done := w.swept[dir]; done {
		return
	}
	handle, err := folder.Open(".")
	if err != nil {
		return
	}
	defer handle.Close() // read-only
	for ctx.Err() == nil {
		names, err := handle.Readdirnames(namesAtOnce)
		for _, name := range names {
			if isTemporary(name) {
				removeFile(folder, name)
			}
		}
		if errors.Is(err, io.EOF) {
			w.remember(dir)
		}
		if err != nil {
			return
		}
	}
}

func removeFile(folder *os.Root, name string) {
	if info, err := folder.Lstat(name); err == nil && info.Mode().IsRegular() {
		_ = folder.Remove(name) // the next sweep tries again
	}
}

// remember bounds its memory: a folder that is forgotten is swept again.
func (w *Workspace) remember(dir string) {
	if len(w.swept) >= maxSwept {
		clear(w.swept)
	}
	w.swept[dir] = struct{}{}
}

// nameIt gives the bytes the free name in folder: by a link where that is possible, else by a copy, which is complete
// and on disk when it returns. Nothing is left under the name when it fails.
func (n nameless) nameIt(ctx context.Context, folder *os.Root, name string, mode fs.FileMode) (fs.FileInfo, error) {
	if n.link(folder, name) == nil {
		return n.Stat()
	}
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, reason(err)
	}
	info, err := n.copyTo(ctx, file, mode)
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = reason(closeErr)
	}
	if err != nil {
		_ = folder.Remove(name) // swept later if it stays
		return nil, fmt.Errorf("copy body: %w", err)
	}
	return info, nil
}

func (n nameless) copyTo(ctx context.Context, file *os.File, mode fs.FileMode) (fs.FileInfo, error) {
	size, err := n.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, reason(err)
	}
	for at := int64(0); at < size; at += pieceBytes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := io.Copy(file, io.NewSectionReader(n, at, min(pieceBytes, size-at))); err != nil {
			return nil, reason(err)
		}
	}
	if err := file.Chmod(mode); err != nil {
		return nil, reason(err)
	}
	if err := file.Sync(); err != nil {
		return nil, reason(err)
	}
	return file.Stat()
}
