package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/mattn/go-sqlite3"
)

// checkedBytes is the largest file that is checked as a whole at every start: measured, the check takes 6 ms for every
// 10 MiB, and a full store may delay the first page by half at most (performance B10). A larger file is checked by
// `parley doctor` only; damage that the start did not see is refused when it is read.
const checkedBytes = 16 << 20

// magic begins every SQLite file.
const magic = "SQLite format 3\x00"

// headerBytes is the size of SQLite's file header.
const headerBytes = 100

// Facts is what a look at a database file showed.
type Facts struct {
	Schema  int   // version of the file
	Bytes   int64 // size of the main file
	Checked bool  // the structure was checked, and is sound
	Devices int   // that may connect; -1: not counted
}

// Inspect looks at an existing file without changing its folder: whether the file is ours, its schema version and, with
// whole or for a small file, whether its structure is sound. Where a log without its index lies beside it nothing more
// than the header is read: SQLite would make the index. Errors: fs.ErrNotExist, ErrForeign, ErrDamaged, ErrUnreadable,
// *NewerError.
func Inspect(ctx context.Context, path string, whole bool) (Facts, error) {
	facts, err := readHeader(path)
	if err != nil || logOf(path) == logAlone {
		return facts, err
	}
	return look(ctx, path, path, whole, facts)
}

// look opens the file at a place for reading; errors speak of path.
func look(ctx context.Context, at, path string, whole bool, facts Facts) (Facts, error) {
	options := []string{"mode=ro", "_query_only=true", "_busy_timeout=5000"}
	if logOf(at) == noLog {
		// Nobody uses the file: who does has a log. Without the promise SQLite would make a log and leave it there.
		options = append(options, "immutable=1")
	}
	db, err := sql.Open("sqlite3", address(at, options...))
	if err != nil {
		return facts, fmt.Errorf("inspect database %q: %w", path, err)
	}
	defer db.Close() // read-only: nothing can be lost
	if facts.Schema, err = readMarks(ctx, db, path); err != nil {
		return facts, err
	}
	if !whole && facts.Bytes > checkedBytes {
		return facts, nil
	}
	if err := checkStructure(ctx, db, path); err != nil {
		return facts, err
	}
	facts.Checked = true
	facts.Devices, err = countDevices(ctx, db, path, facts.Schema)
	return facts, err
}

// countDevices counts those that may connect, in a sound file.
func countDevices(ctx context.Context, db *sql.DB, path string, schema int) (n int, err error) {
	const firstWithDevices = 2
	if schema < firstWithDevices {
		return 0, nil
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM device WHERE revoked_at_ms IS NULL").Scan(&n); err != nil {
		return -1, faultOf(path, err)
	}
	return n, nil
}

// The states of SQLite's write-ahead log beside a database.
type logState int

const (
	noLog    logState = iota // closed in order, or never used
	logAlone                 // without its index, such as in a copy of a crashed folder
	logReady
)

func logOf(path string) logState {
	if info, err := os.Stat(path + "-wal"); err != nil {
		return noLog
	} else if _, err := os.Stat(path + "-shm"); err == nil {
		return logReady
	} else if info.Size() == 0 {
		return noLog
	}
	return logAlone
}

func readHeader(path string) (Facts, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Facts{}, fmt.Errorf("inspect database: %w", err)
	}
	if err != nil {
		return Facts{}, faultOf(path, err)
	}
	defer file.Close() // opened for reading
	info, err := file.Stat()
	if err != nil {
		return Facts{}, fmt.Errorf("inspect database %q: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return Facts{}, foreign(path, "found "+kind(info.Mode())+", expected a regular file")
	}
	var head [headerBytes]byte
	switch _, err := io.ReadFull(file, head[:]); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // too short to be one
	case err != nil:
		return Facts{}, faultOf(path, err)
	}
	if string(head[:len(magic)]) != magic {
		return Facts{}, foreign(path, "it does not begin like an SQLite file")
	}
	// The file format puts user_version at 60 and application_id at 68.
	application, schema := binary.BigEndian.Uint32(head[68:]), binary.BigEndian.Uint32(head[60:])
	return Facts{Schema: int(schema), Bytes: info.Size(), Devices: -1}, judge(path, int(application), int(schema))
}

func readMarks(ctx context.Context, db *sql.DB, path string) (int, error) {
	var application, schema int
	query := "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
	if err := db.QueryRowContext(ctx, query).Scan(&application, &schema); err != nil {
		return 0, faultOf(path, err)
	}
	return schema, judge(path, application, schema)
}

// judge tells from a file's marks whether this program may use it.
func judge(path string, application, schema int) error {
	if application != applicationID {
		return foreign(path, fmt.Sprintf("found application id %#x, expected %#x", application, applicationID))
	}
	if schema > SchemaVersion() {
		return &NewerError{Path: path, Found: schema, Here: SchemaVersion()}
	}
	return nil
}

func checkStructure(ctx context.Context, db *sql.DB, path string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return faultOf(path, err)
	}
	if verdict != "ok" {
		return damaged(path, errors.New(verdict))
	}
	return nil
}

// faultOf keeps damage apart from what says nothing about the file: a cancelled context, and a system that does not let
// SQLite at it.
func faultOf(path string, err error) error {
	var driver sqlite3.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &driver) && slices.Contains([]sqlite3.ErrNo{sqlite3.ErrCorrupt, sqlite3.ErrNotADB}, driver.Code):
		return damaged(path, err)
	}
	return fmt.Errorf("%w: %q: %w; make file and folder readable and writable, or choose another folder with --data",
		ErrUnreadable, path, err)
}

func damaged(path string, err error) error {
	return fmt.Errorf("%w: %q: %w; it was left as it is: keep a copy, then start on another data folder with --data",
		ErrDamaged, path, err)
}

func foreign(path, why string) error {
	return fmt.Errorf("%w: %q: %s; move it away or choose another data folder with --data", ErrForeign, path, why)
}

func kind(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a file of kind " + mode.Type().String()
}
