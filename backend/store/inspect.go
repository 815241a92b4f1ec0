package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// checkedBytes is the largest file that is checked as a whole at every start: measured, the check takes 6 ms for every
// 10 MiB, and a full store may delay the first page by half at most (performance B10). A larger file is checked by
// `parley doctor` only; damage that the start did not see is refused when it is read.
const checkedBytes = 16 << 20

// magic begins every SQLite file.
const magic = "SQLite format 3\x00"

// Facts is what a look at a database file showed.
type Facts struct {
	Schema int   // version of the file
	Bytes  int64 // size of the main file
}

// Inspect looks at an existing file without changing it: whether it is ours, its schema version and, with whole or
// for a small file, whether its structure is sound. Errors: fs.ErrNotExist, ErrForeign, ErrDamaged, *NewerError.
func Inspect(ctx context.Context, path string, whole bool) (Facts, error) {
	facts, err := readHeader(path)
	if err != nil {
		return facts, err
	}
	db, err := sql.Open("sqlite3", address(path, "mode=ro", "_query_only=true", "_busy_timeout=5000"))
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
	return facts, checkStructure(ctx, db, path)
}

func readHeader(path string) (Facts, error) {
	file, err := os.Open(path)
	if err != nil {
		return Facts{}, fmt.Errorf("inspect database: %w", err)
	}
	defer file.Close() // opened for reading
	info, err := file.Stat()
	if err != nil {
		return Facts{}, fmt.Errorf("inspect database %q: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return Facts{}, foreign(path, "found "+kind(info.Mode())+", expected a regular file")
	}
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != magic {
		return Facts{}, foreign(path, "it does not begin like an SQLite file")
	}
	return Facts{Bytes: info.Size()}, nil
}

func readMarks(ctx context.Context, db *sql.DB, path string) (int, error) {
	var application, schema int
	query := "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
	if err := db.QueryRowContext(ctx, query).Scan(&application, &schema); err != nil {
		return 0, damaged(path, err)
	}
	if application != applicationID {
		return 0, foreign(path, fmt.Sprintf("found application id %#x, expected %#x", application, applicationID))
	}
	if schema > SchemaVersion() {
		return schema, &NewerError{Path: path, Found: schema, Here: SchemaVersion()}
	}
	return schema, nil
}

func checkStructure(ctx context.Context, db *sql.DB, path string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return damaged(path, err)
	}
	if verdict != "ok" {
		return damaged(path, errors.New(verdict))
	}
	return nil
}

func foreign(path, why string) error {
	return fmt.Errorf("%w: %q: %s; move it away or choose another data folder with --data", ErrForeign, path, why)
}

// damaged keeps a cancelled context apart: it says nothing about the file.
func damaged(path string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %q: %w; it was left as it is: keep a copy, then start on another data folder with --data",
		ErrDamaged, path, err)
}

func kind(mode fs.FileMode) string {
	if mode.IsDir() {
		return "a folder"
	}
	return "a file of kind " + mode.Type().String()
}
