package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"parley/daemon/workspace"
)

// unpacker writes entries into one empty folder that nobody else knows.
type unpacker struct {
	ctx      context.Context
	folder   *os.Root
	names    entryNames
	contents *meter
	entries  int
	files    int
}

func (u *unpacker) directory(raw string) error {
	name, err := u.take(strings.TrimSuffix(raw, "/"), true)
	if err != nil || name == "" {
		return err
	}
	return u.folder.MkdirAll(name, 0o755)
}

func (u *unpacker) file(raw string, mode fs.FileMode, content io.Reader) error {
	name, err := u.take(raw, false)
	if err != nil {
		return err
	}
	if err := u.folder.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	permission := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		permission = 0o755
	}
	file, err := u.folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permission)
	if errors.Is(err, fs.ErrExist) {
		return refuse(raw, "this file system takes its name for that of another entry")
	}
	if err != nil {
		return err
	}
	u.files++
	return errors.Join(u.fill(file, raw, content), file.Close())
}

func (u *unpacker) fill(file *os.File, raw string, content io.Reader) error {
	source := u.contents.over(content)
	piece := make([]byte, 64<<10)
	for {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		n, err := source.Read(piece)
		if _, writeErr := file.Write(piece[:n]); writeErr != nil {
			return writeErr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if over, ok := errors.AsType[*ArchiveError](err); ok && over.Entry == "" {
			return refuse(raw, "%s", over.Reason)
		}
		if err != nil {
			return faulty(raw, err)
		}
	}
}

func (u *unpacker) count(raw string) error {
	if u.entries++; u.entries > maxArchiveEntries {
		return refuse(raw, "it is one of more than %d entries", maxArchiveEntries)
	}
	return u.ctx.Err()
}

// take counts an entry, checks its name and remembers it. The name is "" for the folder of the archive itself.
func (u *unpacker) take(raw string, folder bool) (string, error) {
	if err := u.count(raw); err != nil {
		return "", err
	}
	name := strings.TrimPrefix(raw, "./")
	if folder && (name == "" || name == ".") {
		return "", nil
	}
	if len(name) > maxEntryNameBytes {
		return "", refuse(raw, "its name has %d bytes; expected at most %d", len(name), maxEntryNameBytes)
	}
	if err := workspace.CheckRelative(name); err != nil {
		return "", refuse(raw, "%v", err)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", refuse(raw, "its name is reserved on this system")
	}
	if depth := strings.Count(name, "/") + 1; depth > maxArchiveDepth {
		return "", refuse(raw, "it is %d deep; expected at most %d", depth, maxArchiveDepth)
	}
	if reason := u.names.add(name, folder); reason != "" {
		return "", refuse(raw, "%s", reason)
	}
	return name, nil
}

// entryNames are the names of an archive by their form without case.
type entryNames map[string]entryName

type entryName struct {
	spelling string
	folder   bool
	named    bool // by an entry of its own, not only on the way to another
}

// add says why the name cannot stand beside the others, "" if it can.
func (n entryNames) add(name string, folder bool) string {
	for at, r := range name {
		if r != '/' {
			continue
		}
		if reason := n.put(entryName{spelling: name[:at], folder: true}); reason != "" {
			return reason
		}
	}
	return n.put(entryName{spelling: name, folder: folder, named: true})
}

func (n entryNames) put(name entryName) string {
	key := withoutCase(name.spelling)
	other, taken := n[key]
	switch {
	case !taken:
		n[key] = name
	case other.spelling != name.spelling:
		return fmt.Sprintf("it differs from %q only by case", other.spelling)
	case other.folder != name.folder:
		return fmt.Sprintf("%q is both a file and a folder", name.spelling)
	case name.named && other.named:
		return "its name stands there twice"
	case name.named:
		n[key] = name
	}
	return ""
}

func withoutCase(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, name)
}

// meter counts the bytes that come out of an archive and stops at its bounds.
type meter struct {
	archive int64 // bytes of the archive
	limit   int64
	spent   int64
}

func meterFor(archive *io.SectionReader, limit int64) *meter {
	return &meter{archive: archive.Size(), limit: limit}
}

// over reads source on the account of the meter.
func (m *meter) over(source io.Reader) io.Reader { return &metered{meter: m, source: source} }

type metered struct {
	*meter
	source io.Reader
}

func (m *metered) Read(data []byte) (int, error) {
	n, err := m.source.Read(data)
	m.spent += int64(n)
	if m.spent > m.limit {
		return 0, refuse("", "it unpacks to more than %d bytes", m.limit)
	}
	if m.spent > ratioFloorBytes && m.spent > maxArchiveRatio*m.archive {
		return 0, refuse("", "it unpacks to more than %d times its size", maxArchiveRatio)
	}
	return n, err
}
