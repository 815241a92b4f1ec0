package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/store"
)

// filled makes a database with some records, closed in order, and gives its path.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	for range 50 {
		r := aRecord(store.Run)
		r.Request = bytes.Repeat([]byte("request "), 400)
		if _, err := s.FileRecord(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// hostile-inputs S-2: what is not ours, broken or newer is refused and stays as it is, byte for byte.
func TestUnusableFileIsRefusedUntouched(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		want  error
	}{
		{"zero length", func(t *testing.T, path string) { overwrite(t, path, nil) }, store.ErrForeign},
		{"a text", func(t *testing.T, path string) { overwrite(t, path, []byte("dear diary\n")) }, store.ErrForeign},
		{"somebody else's database", func(t *testing.T, path string) { statement(t, path, "PRAGMA application_id = 7") }, store.ErrForeign},
		{"a flipped header", func(t *testing.T, path string) { flip(t, path, 17) }, store.ErrDamaged},
		{"a flipped byte in the schema page", func(t *testing.T, path string) { flip(t, path, 100) }, store.ErrDamaged},
		{"a flipped byte in a middle page", func(t *testing.T, path string) { flip(t, path, 5*4096) }, store.ErrDamaged},
		{"cut short", func(t *testing.T, path string) {
			if err := os.Truncate(path, 3*4096); err != nil {
				t.Fatal(err)
			}
		}, store.ErrDamaged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filled(t)
			tt.spoil(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(t.Context(), path)
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want %v", err, tt.want)
			}
			after, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file changed (%v)", err)
			}
		})
	}
}

func TestFolderInPlaceOfDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrForeign) {
		t.Errorf("got %v, want ErrForeign", err)
	}
}

// H10: a schema from the future is refused with both versions and a remedy.
func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filled(t)
	statement(t, path, "PRAGMA user_version = 99")
	_, err := store.Open(t.Context(), path)
	var newer *store.NewerError
	if !errors.As(err, &newer) || newer.Found != 99 || newer.Here != store.SchemaVersion() {
		t.Fatalf("got %v, want a NewerError with 99", err)
	}
	for _, part := range []string{"99", "--data", path} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("message %q lacks %q", err, part)
		}
	}
}

// hostile-inputs S-2: a torn end of the log goes back to the last commit; a missing index file of it is made anew.
func TestTornLogGoesBackToTheLastCommit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, wal string)
		lost  int
	}{
		{"index deleted", func(t *testing.T, wal string) {
			if err := os.Remove(strings.TrimSuffix(wal, "-wal") + "-shm"); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"log cut inside the last frame", func(t *testing.T, wal string) {
			info, err := os.Stat(wal)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(wal, info.Size()-1000); err != nil {
				t.Fatal(err)
			}
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			live := filepath.Join(t.TempDir(), "parley.db")
			s := open(t, live)
			defer s.Close()
			for range 10 {
				if _, err := s.FileRecord(t.Context(), aRecord(store.Run)); err != nil {
					t.Fatal(err)
				}
			}
			crashed := filepath.Join(t.TempDir(), "parley.db") // what a power cut would leave
			for _, suffix := range []string{"", "-wal", "-shm"} {
				data, err := os.ReadFile(live + suffix)
				if err != nil {
					t.Fatal(err)
				}
				overwrite(t, crashed+suffix, data)
			}
			tt.spoil(t, crashed+"-wal")
			again := open(t, crashed)
			defer again.Close()
			list, err := again.Records(t.Context(), 0, 100)
			if err != nil || len(list) != 10-tt.lost {
				t.Errorf("got %d records (%v), want %d", len(list), err, 10-tt.lost)
			}
		})
	}
}

// A crash while the first database was made leaves nothing in the way.
func TestUnfinishedDatabaseIsMadeAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	overwrite(t, path+".new", []byte("half"))
	open(t, path).Close()
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("the unfinished file is still there")
	}
}

func overwrite(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[at] ^= 0xff
	overwrite(t, path, data)
}

func statement(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// hostile-inputs S-2: damage that a start did not look for is refused when it is read, and nothing is written after that.
func TestDamageFoundLaterStopsWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	var ids []string
	for range 200 { // more than a start checks
		r := aRecord(store.Run)
		r.Request = bytes.Repeat([]byte("r"), 100_000)
		filed, err := s.FileRecord(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, filed.ID)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[len(data)/4 : len(data)/2])
	overwrite(t, path, data)
	if _, err := store.Inspect(t.Context(), path, true); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("the whole check: got %v, want ErrDamaged", err)
	}
	s = open(t, path)
	defer s.Close()
	if _, err := s.Record(t.Context(), ids[75]); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a damaged record: got %v, want ErrDamaged", err)
	}
	if _, err := s.FileRecord(t.Context(), aRecord(store.Run)); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("filing after that: got %v, want ErrDamaged", err)
	}
	if r, err := s.Record(t.Context(), ids[199]); err != nil || len(r.Request) != 100_000 {
		t.Errorf("a sound record: got %d bytes (%v), want it readable", len(r.Request), err)
	}
}
