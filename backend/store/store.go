package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// readers bounds the read pool: enough for a page and its lists at the same time.
const readers = 4

// Store is one open database.
type Store struct {
	path    string
	write   *sql.DB // one connection
	read    *sql.DB
	damaged atomic.Bool // set once damage was seen; no write after that
	owed    atomic.Bool // the log still holds something that was deleted
	saves   atomic.Int64
	commits *committer
	follow  atomic.Pointer[func([]Event)]
}

// Open opens the database at path, creating it if there is none, and brings its schema up to date. A file that exists
// is looked at first, and refused untouched when it is foreign (ErrForeign), damaged (ErrDamaged), unreadable
// (ErrUnreadable) or newer (*NewerError).
func Open(ctx context.Context, path string) (*Store, error) {
	err := inspectToOpen(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		err = create(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{path: path}
	if s.write, err = openWriter(ctx, path); err != nil {
		return nil, err
	}
	s.read, err = sql.Open("sqlite3", address(path, "mode=ro", "_query_only=true", "_busy_timeout=5000"))
	if err != nil {
		s.write.Close() // the first error is the one to tell
		return nil, fmt.Errorf("open database %q for reading: %w", path, err)
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	s.commits = startCommitter(s)
	return s, nil
}

// Path is where the database lies.
func (s *Store) Path() string { return s.path }

// Close ends all use. The readers go first, so that the writer is the last and folds the log into the file.
func (s *Store) Close() error {
	s.commits.close()
	if err := errors.Join(s.read.Close(), s.write.Close()); err != nil {
		return fmt.Errorf("close database %q: %w", s.path, err)
	}
	return nil
}

// create makes a new database unless another program does so first. Both hold a lock on the folder meanwhile, which is
// not the lock of a lab and ends with the process.
func create(ctx context.Context, path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	defer folder.Close() // gives the lock back
	if err := lockWhole(folder); err != nil {
		return fmt.Errorf("create database: lock folder %q: %w", folder.Name(), err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err // nil: the other one made it
	}
	return build(ctx, path)
}

// lockWhole waits for the lock, as long as making a database takes at most.
func lockWhole(folder *os.File) error {
	for {
		err := unix.Flock(int(folder.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// build makes a new database under another name and moves it into place whole, so that a crash in between never leaves
// a half-made file under the real name.
func build(ctx context.Context, path string) error {
	draft := path + ".new"
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(draft + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an unfinished database: %w", err)
		}
	}
	// SQLite gives its log files the mode of the main file.
	file, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	db, err := openWriter(ctx, draft)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("create database %q: %w", path, translate(err))
	}
	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("put new database into place: %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

// openWriter opens the one writing connection. Order: the mode of the journal before the schema, so that migrations
// are already written the way later commits are. Recursive triggers let the triggers see what REPLACE deletes.
func openWriter(ctx context.Context, path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", address(path, "mode=rw", "_journal_mode=WAL", "_synchronous=FULL",
		"_busy_timeout=5000", "_foreign_keys=on", "_secure_delete=on",
		"_recursive_triggers=on", "_txlock=immediate"))
	if err != nil {
		return nil, fmt.Errorf("open database %q: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	if err := migrate(ctx, db, path); err != nil {
		db.Close() // the first error is the one to tell
		return nil, fmt.Errorf("open database %q: %w", path, err)
	}
	return db, nil
}

// address writes a path and driver options as SQLite's file URI.
func address(path string, options ...string) string {
	escaped := (&url.URL{Path: path}).EscapedPath()
	return "file:" + escaped + "?" + strings.Join(options, "&")
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer folder.Close() // opened for reading
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("sync folder %q: %w", path, err)
	}
	return nil
}

// change runs one statement as a write. What is owed to an earlier deletion is done after it.
func (s *Store) change(ctx context.Context, query string, args ...any) (result sql.Result, err error) {
	err = s.together(ctx, func(w *work) error {
		result, err = w.exec(query, args...)
		return err
	})
	if err == nil && s.owed.Load() {
		s.scrub(ctx)
	}
	return result, err
}

// note translates a driver error and remembers damage.
func (s *Store) note(err error) error {
	err = translate(err)
	if errors.Is(err, ErrDamaged) {
		s.damaged.Store(true)
	}
	return err
}
