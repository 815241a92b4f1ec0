package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

const (
	maxListEntries = 1024 // wire 3.10.1
	namesAtOnce    = 1024
)

// Kind is what stands under a name, as the wire spells it (wire 3.10.1).
type Kind string

// The four kinds.
const (
	File      Kind = "file"
	Directory Kind = "directory"
	Symlink   Kind = "symlink"
	Other     Kind = "other"
)

// Entry is one name of a folder.
type Entry struct {
	Name string
	Kind Kind
	Size *int64 // bytes; nil unless Kind is File
}

// Listing is the start of a folder in the order of names (bytes), or all of it.
type Listing struct {
	Entries   []Entry
	Truncated bool // names were left out: too many, or ones that the wire cannot carry
}

// List returns at most maxEntries names, 1 to 1024, of the folder at path, "" being the workspace itself (wire 3.10.1).
// It is no snapshot: names that come or go meanwhile may be missing. Its memory does not grow with the folder. The error
// is ErrPath, ErrNotFound, ErrPermission, ErrNotDirectory, ErrUnsafe, ErrTooLarge, ErrUnconfirmed or the context's.
func (w *Workspace) List(ctx context.Context, path string, maxEntries int) (Listing, error) {
	listing, err := w.list(ctx, path, maxEntries)
	if err != nil {
		return Listing{}, fmt.Errorf("list %q: %w", path, finite(err))
	}
	return listing, nil
}

func (w *Workspace) list(ctx context.Context, path string, maxEntries int) (listing Listing, err error) {
	if maxEntries < 1 || maxEntries > maxListEntries {
		return Listing{}, fmt.Errorf("%w: bound of %d entries; expected 1 to %d", ErrTooLarge, maxEntries, maxListEntries)
	}
	folder, err := w.folder(path)
	if err != nil {
		return Listing{}, err
	}
	defer acknowledge(folder, &err)
	first := firstNames{max: maxEntries}
	if err := eachName(ctx, folder, first.add); err != nil {
		return Listing{}, err
	}
	first.cut()
	listing = Listing{Entries: make([]Entry, 0, len(first.names)), Truncated: first.truncated}
	for _, name := range first.names {
		info, err := folder.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since its name was read
		}
		if err != nil {
			return Listing{}, reason(err)
		}
		listing.Entries = append(listing.Entries, entryOf(name, info))
	}
	return listing, nil
}

// firstNames keeps the first max names in order, in the space of twice as many.
type firstNames struct {
	max       int
	names     []string
	truncated bool
}

func (f *firstNames) add(name string) error {
	if !sendable(name) {
		f.truncated = true
		return nil
	}
	f.names = append(f.names, name)
	if len(f.names) >= 2*f.max {
		f.cut()
	}
	return nil
}

func (f *firstNames) cut() {
	slices.Sort(f.names)
	if len(f.names) > f.max {
		f.names, f.truncated = f.names[:f.max], true
	}
}

// eachName calls take with every name of the folder but left-over temporary ones, in no order.
func eachName(ctx context.Context, folder *os.Root, take func(name string) error) (err error) {
	handle, err := folder.Open(".")
	if err != nil {
		return reason(err)
	}
	defer acknowledge(handle, &err)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		names, err := handle.Readdirnames(namesAtOnce)
		for _, name := range names {
			if isTemporary(name) {
				continue
			}
			if err := take(name); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return reason(err)
		}
	}
}

func entryOf(name string, info fs.FileInfo) Entry {
	entry := Entry{Name: name, Kind: kindOf(info)}
	if entry.Kind == File {
		size := info.Size()
		entry.Size = &size
	}
	return entry
}

func kindOf(info fs.FileInfo) Kind {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return File
	case mode.IsDir():
		return Directory
	case mode&fs.ModeSymlink != 0:
		return Symlink
	}
	return Other
}
