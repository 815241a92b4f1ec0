package environment

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Limits of an archive.
const (
	maxArchiveBytes   = 512 << 20 // all contents together
	maxArchiveEntries = 10_000
	maxArchiveDepth   = 32        // elements of one name
	maxArchiveRatio   = 200       // contents to archive
	ratioFloorBytes   = 8 << 20   // below it no ratio is suspicious
	maxStreamBytes    = 640 << 20 // contents with the headers between them
	maxEntryNameBytes = 1024
)

// ArchiveError says which entry of an archive was refused, and why. It is ErrRefused: nothing was applied.
type ArchiveError struct {
	Entry  string // as the archive spells it; "" for the archive as a whole
	Reason string
}

func (e *ArchiveError) Error() string {
	if e.Entry == "" {
		return "archive refused: " + e.Reason
	}
	return fmt.Sprintf("archive refused: entry %.200q: %s", e.Entry, e.Reason)
}

// Is makes it ErrRefused.
func (e *ArchiveError) Is(target error) bool { return errors.Is(ErrRefused, target) }

func refuse(entry, format string, arguments ...any) error {
	return &ArchiveError{Entry: entry, Reason: fmt.Sprintf(format, arguments...)}
}

// unpack writes the contents of a tar, tar.gz or zip archive, told apart by their first bytes, into the empty folder.
func unpack(ctx context.Context, archive *io.SectionReader, folder *os.Root) error {
	u := &unpacker{ctx: ctx, folder: folder, names: entryNames{}, contents: meterFor(archive, maxArchiveBytes)}
	err := u.all(archive)
	if err != nil {
		return err
	}
	if u.files == 0 {
		return refuse("", "it holds no file")
	}
	return nil
}

func (u *unpacker) all(archive *io.SectionReader) error {
	start := make([]byte, 4)
	if _, err := archive.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read archive: %w", err)
	}
	switch {
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		stream, err := gzip.NewReader(archive)
		if err != nil {
			return refuse("", "gzip: %v", err)
		}
		return u.tar(meterFor(archive, maxStreamBytes).over(stream))
	case bytes.Equal(start, []byte("PK\x03\x04")), bytes.Equal(start, []byte("PK\x05\x06")):
		return u.zip(archive)
	}
	return u.tar(archive)
}

func (u *unpacker) tar(stream io.Reader) error {
	reader := tar.NewReader(stream)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return faulty("", err)
		}
		switch header.Typeflag {
		case tar.TypeXGlobalHeader: // git writes one; it names no file
			err = u.count(header.Name)
		case tar.TypeDir:
			err = u.directory(header.Name)
		case tar.TypeReg:
			err = u.file(header.Name, header.FileInfo().Mode(), reader)
		default:
			err = refuse(header.Name, "it is a link, device or other special entry; expected files and folders")
		}
		if err != nil {
			return err
		}
	}
}

func (u *unpacker) zip(archive *io.SectionReader) error {
	if err := boundZip(archive); err != nil {
		return err
	}
	reader, err := zip.NewReader(archive, archive.Size())
	if err != nil {
		return faulty("", err)
	}
	for _, entry := range reader.File {
		if err := u.zipEntry(entry); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) zipEntry(entry *zip.File) error {
	mode := entry.Mode()
	switch {
	case mode.IsDir():
		return u.directory(entry.Name)
	case !mode.IsRegular():
		return refuse(entry.Name, "it is a link, device or other special entry; expected files and folders")
	case entry.Flags&1 != 0:
		return refuse(entry.Name, "it is encrypted")
	}
	content, err := entry.Open()
	if err != nil {
		return faulty(entry.Name, err)
	}
	return errors.Join(u.file(entry.Name, mode, content), content.Close())
}

// boundZip counts what looks like a directory record before the directory is read into memory: an archive of 50 MiB can
// list a million names. Records of archives inside it count as well.
func boundZip(archive *io.SectionReader) error {
	record := []byte("PK\x01\x02")
	piece := make([]byte, 64<<10)
	found, kept := 0, 0
	for at := int64(0); at < archive.Size(); {
		n, err := archive.ReadAt(piece[kept:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read archive: %w", err)
		}
		at += int64(n)
		window := piece[:kept+n]
		found += bytes.Count(window, record)
		kept = copy(piece, window[max(0, len(window)-len(record)+1):])
	}
	if found > maxArchiveEntries {
		return refuse("", "it lists more than %d entries", maxArchiveEntries)
	}
	return nil
}

// faulty tells a damaged archive from a refusal, a file system fault and the end of the context.
func faulty(entry string, err error) error {
	if _, ok := errors.AsType[*ArchiveError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return refuse(entry, "it is damaged, or no tar, tar.gz or zip: %v", err)
}
