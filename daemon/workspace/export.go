package workspace

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

const tarBlockBytes = 512

// Export writes the whole workspace to out as one PAX tar stream of at most limit bytes: folders, regular files, and
// symlinks as links, in the order of names within each folder; pipes, sockets and devices are left out (wire 3.10.3).
// The same contents give the same bytes. Owners are not told, times have whole seconds.
//
// The error is ErrChanged for a file that changed or went away meanwhile, ErrTooLarge, ErrPermission, ErrUnsafe, the
// context's, out's own, or of the file system; it names the path. What was written is then no archive.
func (w *Workspace) Export(ctx context.Context, out io.Writer, limit int64) error {
	top, err := w.top()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	e := export{ctx: ctx, limit: limit}
	e.tar = tar.NewWriter(&bounded{ctx: ctx, out: out, limit: limit, left: limit})
	err = e.folder(top, "")
	acknowledge(top, &err)
	if err == nil {
		err = e.tar.Close()
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

type export struct {
	ctx   context.Context
	tar   *tar.Writer
	limit int64
}

// folder writes what stands in the folder at place.
func (e *export) folder(folder *os.Root, place string) error {
	names, err := e.names(folder)
	if err != nil {
		return fmt.Errorf("list %q: %w", place, err)
	}
	for _, name := range names {
		if err := e.entry(folder, name, path.Join(place, name)); err != nil {
			return err
		}
	}
	return nil
}

// names are all names of a folder in order. More than could get a header within the limit are not collected.
func (e *export) names(folder *os.Root) ([]string, error) {
	var names []string
	err := eachName(e.ctx, folder, func(name string) error {
		if int64(len(names)) > e.limit/tarBlockBytes {
			return fmt.Errorf("%w: more names than %d bytes of archive can hold", ErrTooLarge, e.limit)
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

func (e *export) entry(folder *os.Root, name, place string) error {
	if len(place) > maxPathBytes { // each level holds a folder open
		return fmt.Errorf("%.100q…: %w: its path has more than %d bytes", place, ErrTooLarge, maxPathBytes)
	}
	info, err := look(folder, name)
	if err == nil {
		switch kindOf(info) {
		case Directory:
			return e.directory(folder, name, place, info)
		case File:
			return e.file(folder, name, place)
		case Symlink:
			err = e.symlink(folder, name, place, info)
		case Other:
			return nil
		}
	}
	return e.fault(place, err)
}

func (e *export) directory(parent *os.Root, name, place string, info fs.FileInfo) error {
	header := headerOf(tar.TypeDir, place+"/", info)
	if err := e.tar.WriteHeader(header); err != nil {
		return e.fault(place, err)
	}
	folder, err := enter(parent, name)
	if err != nil {
		return e.fault(place, err)
	}
	err = e.folder(folder, place)
	acknowledge(folder, &err)
	return err
}

func (e *export) symlink(folder *os.Root, name, place string, info fs.FileInfo) error {
	target, err := folder.Readlink(name)
	if err != nil {
		return reason(err)
	}
	header := headerOf(tar.TypeSymlink, place, info)
	header.Linkname = target
	return e.tar.WriteHeader(header)
}

func (e *export) file(folder *os.Root, name, place string) error {
	file, info, err := openFile(folder, name)
	if err != nil {
		return e.fault(place, err)
	}
	err = e.content(file, info, place)
	acknowledge(file, &err)
	return e.fault(place, err)
}

func (e *export) content(file *os.File, info fs.FileInfo, place string) error {
	header := headerOf(tar.TypeReg, place, info)
	header.Size = info.Size()
	if err := e.tar.WriteHeader(header); err != nil {
		return err
	}
	n, err := io.CopyN(e.tar, file, info.Size())
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it had %d bytes, then %d", ErrChanged, info.Size(), n)
	}
	if err != nil {
		return bare(err)
	}
	now, err := file.Stat()
	if err != nil {
		return reason(err)
	}
	if now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return fmt.Errorf("%w: it had %d bytes, then %d", ErrChanged, info.Size(), now.Size())
	}
	return nil
}

// fault names the path. What is gone since its name was read has changed.
func (e *export) fault(place string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%q: %w: %w", place, ErrChanged, err)
	}
	return fmt.Errorf("%q: %w", place, err)
}

func headerOf(kind byte, name string, info fs.FileInfo) *tar.Header {
	return &tar.Header{
		Typeflag: kind, Name: name, Mode: int64(info.Mode().Perm()), Format: tar.FormatPAX,
		ModTime: info.ModTime().Truncate(time.Second),
	}
}

// bounded passes on at most left bytes, and nothing after the context ended.
type bounded struct {
	ctx         context.Context
	out         io.Writer
	limit, left int64
}

func (b *bounded) Write(data []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if int64(len(data)) > b.left {
		return 0, fmt.Errorf("%w: the archive has more than %d bytes", ErrTooLarge, b.limit)
	}
	n, err := b.out.Write(data)
	b.left -= int64(n)
	return n, err
}
