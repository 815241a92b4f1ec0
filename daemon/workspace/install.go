package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const defaultFileMode fs.FileMode = 0o644

// Staged is the body of a file that will stand in the workspace.
type Staged struct {
	*Body
	workspace *Workspace
}

// Stage opens an empty body for a file of the workspace; see NewBody.
func (w *Workspace) Stage(ctx context.Context, size int64, digest string) (*Staged, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stage body: %w", err)
	}
	body, err := NewBody(w.root, size, digest)
	if err != nil {
		return nil, err
	}
	return &Staged{Body: body, workspace: w}, nil
}

// Install makes the complete body the file at path: all of it at once, or not at all (wire 3.10.2). Folders that are
// missing on the way are made. The permission bits of a file that is replaced are kept; a new one has 0644. A context
// that ends before the file appears prevents it; afterwards it is not looked at.
//
// ErrUnconfirmed means that the file may be there. After ErrPath, ErrPermission, ErrNotDirectory, ErrUnsafe,
// ErrDirectory, ErrNoSpace, the context's or any other error the workspace is as before. The body can be installed once.
func (s *Staged) Install(ctx context.Context, path string) error {
	if err := s.install(ctx, path); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}

func (s *Staged) install(ctx context.Context, path string) error {
	if err := CheckRelative(path); err != nil {
		return err
	}
	if slices.ContainsFunc(strings.Split(path, "/"), isTemporary) {
		return fmt.Errorf("%w: its names are those of unfinished writes, which are removed", ErrPath)
	}
	if !s.complete {
		return fmt.Errorf("%w: the body is not complete", ErrShort)
	}
	s.workspace.installing.Lock()
	defer s.workspace.installing.Unlock()
	place, err := s.workspace.makeWay(ctx, path)
	if err == nil {
		err = s.settle(ctx, place, path)
	}
	place.close()
	if err == nil {
		s.complete = false
	}
	return err
}

// settle puts the body into its place and takes back the folders that were made for it if that failed.
func (s *Staged) settle(ctx context.Context, place *way, path string) error {
	s.workspace.sweep(ctx, place.folder, path)
	err := s.appear(ctx, place.folder, place.name)
	if err != nil && !errors.Is(err, ErrUnconfirmed) {
		place.undo()
	}
	return err
}

func (s *Staged) appear(ctx context.Context, folder *os.Root, name string) error {
	mode, taken, err := destination(folder, name)
	if err != nil {
		return err
	}
	if err := s.file.Chmod(mode); err != nil {
		return reason(err)
	}
	if err := s.file.Sync(); err != nil {
		return reason(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if taken || s.file.link(folder, name) != nil {
		if err := s.replace(ctx, folder, name, mode); err != nil {
			return err
		}
	}
	if err := SyncFolder(folder); err != nil {
		return fmt.Errorf("%w: sync folder: %w", ErrUnconfirmed, err)
	}
	return nil
}

// replace gives the bytes a temporary name beside the destination and renames it, which also works where a name is taken
// and where the body lies in another file system.
func (s *Staged) replace(ctx context.Context, folder *os.Root, name string, mode fs.FileMode) error {
	temporary := temporaryName()
	info, err := s.file.nameIt(ctx, folder, temporary, mode)
	if err != nil {
		return err
	}
	if _, _, err = destination(folder, name); err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = rename(folder, temporary, name, info)
	}
	if err != nil {
		_ = folder.Remove(temporary) // the next install sweeps it if it stays
	}
	return err
}

// rename moves the file over the destination. When the system reports a fault, only a look tells whether it happened.
func rename(folder *os.Root, temporary, name string, file fs.FileInfo) error {
	err := folder.Rename(temporary, name)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %q", ErrDirectory, name)
	}
	found, lookErr := folder.Lstat(name)
	if errors.Is(lookErr, fs.ErrNotExist) || lookErr == nil && !os.SameFile(found, file) {
		return reason(err)
	}
	return fmt.Errorf("%w: rename: %w", ErrUnconfirmed, reason(err))
}

// destination says what permission bits a file at name gets, and whether the name is taken. Only a regular file may be
// replaced.
func destination(folder *os.Root, name string) (mode fs.FileMode, taken bool, err error) {
	info, err := look(folder, name)
	switch {
	case errors.Is(err, ErrNotFound):
		return defaultFileMode, false, nil
	case err != nil:
		return 0, false, err
	case info.IsDir():
		return 0, false, fmt.Errorf("%w: %q", ErrDirectory, name)
	case !info.Mode().IsRegular():
		return 0, false, fmt.Errorf("%w: %q is a %s", ErrUnsafe, name, kindOf(info))
	}
	return info.Mode().Perm(), true, nil
}
