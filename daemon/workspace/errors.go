package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// What can go wrong. After every error of a write but ErrUnconfirmed nothing was applied.
var (
	// ErrPath: the path is not spelled as wire 3.8.3 or 3.10.2 demands (found before the disk was touched), or one of
	// its elements is a name that this file system cannot hold.
	ErrPath = errors.New("path not accepted")
	// ErrNotFound: nothing has that name. Nothing was read.
	ErrNotFound = errors.New("not found")
	// ErrPermission: the file system does not let this process do it, or is read-only.
	ErrPermission = errors.New("permission denied")
	// ErrNotDirectory: a listing of something that is no folder, or a write below a regular file.
	ErrNotDirectory = errors.New("not a directory")
	// ErrNotFile: a read of a folder, pipe, socket or device.
	ErrNotFile = errors.New("not a regular file")
	// ErrUnsafe: a link stands at or on the way to the path, a special file where one is written, or what stood there
	// changed while it was opened. It was neither followed nor replaced.
	ErrUnsafe = errors.New("link or special file in the way")
	// ErrDirectory: the destination of a write is a folder, which stays.
	ErrDirectory = errors.New("destination is a directory")
	// ErrTooLarge: a size or bound is outside its limits. Staged bytes must be discarded; an export is cut off.
	ErrTooLarge = errors.New("outside the size limits")
	// ErrOffset: a chunk does not start where the staged bytes end. The body accepts nothing more.
	ErrOffset = errors.New("chunk out of order")
	// ErrDigest: the staged bytes do not have the declared digest, or that is no lower-case hex SHA-256.
	ErrDigest = errors.New("digest differs")
	// ErrShort: fewer bytes were staged than declared.
	ErrShort = errors.New("body is short")
	// ErrNoSpace: the file system is full, or a quota or file-size limit is reached. Nothing half-written is visible.
	ErrNoSpace = errors.New("no space left")
	// ErrChanged: a file changed while it was exported. What was written of the export is not to be used.
	ErrChanged = errors.New("changed while it was read")
	// ErrUnconfirmed: whether it happened is not known: a file may stand under its new name without being safe on disk,
	// or what was read may not be what is stored.
	ErrUnconfirmed = errors.New("effect not confirmed")
)

// reason puts the sentinel before an error of the file system and drops the paths inside it: they name this machine.
func reason(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return err
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrUnsafe, bare(err)) // os.Root refuses a way out of the folder without an errno
	}
	for _, row := range []struct {
		hit      bool
		sentinel error
	}{
		{errors.Is(err, fs.ErrNotExist) || errno == syscall.ENOTDIR, ErrNotFound},
		{errors.Is(err, fs.ErrPermission) || errno == syscall.EROFS, ErrPermission},
		{errno == syscall.ELOOP, ErrUnsafe},
		{errno == syscall.ENAMETOOLONG, ErrPath},
		{isFull(errno), ErrNoSpace},
	} {
		if row.hit {
			return fmt.Errorf("%w: %w", row.sentinel, errno)
		}
	}
	return errno
}

func bare(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// finite makes a read's error unconfirmed unless it is a rejection of the wire or the end of the context.
func finite(err error) error {
	for _, known := range []error{
		ErrPath, ErrNotFound, ErrPermission, ErrNotDirectory, ErrNotFile, ErrUnsafe, ErrTooLarge, ErrUnconfirmed,
		context.Canceled, context.DeadlineExceeded, os.ErrClosed,
	} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
}
