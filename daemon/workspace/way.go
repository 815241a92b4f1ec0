package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

const newFolderMode fs.FileMode = 0o755

// way is the folder that a file will stand in, and what was made to reach it.
type way struct {
	folder *os.Root
	name   string
	made   []madeFolder
}

// madeFolder is a folder that was made inside parent, which is held open to take it back.
type madeFolder struct {
	parent *os.Root
	name   string
}

// makeWay opens the folder of the last element of a checked path and makes what is missing. The way is to be closed also
// when it ended in an error; what was made is taken back then.
func (w *Workspace) makeWay(ctx context.Context, path string) (*way, error) {
	top, err := w.top()
	if err != nil {
		return &way{}, err
	}
	way := &way{folder: top, name: path[strings.LastIndexByte(path, '/')+1:]}
	for name, rest, more := strings.Cut(path, "/"); more; name, rest, more = strings.Cut(rest, "/") {
		if err := ctx.Err(); err != nil {
			way.undo()
			return way, err
		}
		if err := way.step(name); err != nil {
			way.undo()
			return way, err
		}
	}
	return way, nil
}

func (w *way) step(name string) error {
	next, err := enter(w.folder, name)
	if err == nil {
		_ = w.folder.Close() // read-only
		w.folder = next
		return nil
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if err := w.folder.Mkdir(name, newFolderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return reason(err)
	} else if err == nil {
		w.made = append(w.made, madeFolder{parent: w.folder, name: name})
	}
	if err := SyncFolder(w.folder); err != nil {
		return fmt.Errorf("sync folder of %q: %w", name, err)
	}
	next, err = enter(w.folder, name)
	if err != nil {
		return err
	}
	if len(w.made) == 0 || w.made[len(w.made)-1].parent != w.folder {
		_ = w.folder.Close() // read-only
	}
	w.folder = next
	return nil
}

// undo takes back the folders that were made, as far as they are still empty folders. A folder that stays is harmless.
func (w *way) undo() {
	for i := len(w.made) - 1; i >= 0; i-- {
		made := w.made[i]
		if info, err := made.parent.Lstat(made.name); err != nil || !info.IsDir() || made.parent.Remove(made.name) != nil {
			return
		}
	}
}

func (w *way) close() {
	for _, made := range w.made {
		_ = made.parent.Close() // what mattered was synced
	}
	if w.folder != nil {
		_ = w.folder.Close() // closing one twice is harmless
	}
}
