package store_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/backend/store"
)

// hostile-inputs S-2: looking creates nothing and changes neither database nor log, whatever the last user left.
func TestInspectLeavesTheFolderAsItWas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		without []string // of what a crash leaves
		checked bool
	}{
		{"crashed", nil, true},
		{"crashed, without the log's index", []string{"-shm"}, false},
		{"crashed, without a log", []string{"-shm", "-wal"}, true},
	} {
		path := crashed(t)
		for _, suffix := range tt.without {
			if err := os.Remove(path + suffix); err != nil {
				t.Fatal(err)
			}
		}
		looked(t, tt.name, path, tt.checked)
	}
	looked(t, "closed in order", filled(t), true)
}

func looked(t *testing.T, name, path string, checked bool) {
	t.Helper()
	before := contents(t, path)
	facts, err := store.Inspect(t.Context(), path, true)
	if err != nil || facts.Checked != checked || facts.Schema != store.SchemaVersion() {
		t.Errorf("%s: got %+v (%v), want checked %t", name, facts, err, checked)
	}
	if after := contents(t, path); !maps.EqualFunc(before, after, bytes.Equal) {
		t.Errorf("%s: got %q, want %q with the same content", name, names(after), names(before))
	}
}

// hostile-inputs S-2: a refused start leaves no file of its own either.
func TestRefusedOpenLeavesTheFolderAsItWas(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string){
		"newer":                      func(path string) { statement(t, path, "PRAGMA user_version = 99") },
		"damaged":                    func(path string) { flip(t, path, 5*4096) },
		"damaged, with a log alone":  func(path string) { flip(t, path, 5*4096); overwrite(t, path+"-wal", logOfACrash(t)) },
		"foreign":                    func(path string) { overwrite(t, path, []byte("dear diary")) },
		"damaged, with an empty log": func(path string) { flip(t, path, 5*4096); overwrite(t, path+"-wal", nil) },
	} {
		path := filled(t)
		spoil(path)
		before := contents(t, path)
		s, err := store.Open(t.Context(), path)
		if err == nil {
			s.Close()
			t.Errorf("%s: got no error, want a refusal", name)
		}
		if after := contents(t, path); !maps.EqualFunc(before, after, bytes.Equal) {
			t.Errorf("%s: got %q, want %q with the same content", name, names(after), names(before))
		}
	}
}

// What cannot be looked at is not called damaged.
func TestUnreadableIsNotDamaged(t *testing.T) {
	t.Parallel()
	path := filled(t)
	overwrite(t, path+"-shm", nil)
	if err := os.Mkdir(path+"-wal", 0o700); err != nil { // in the way for every user, also one who may read everything
		t.Fatal(err)
	}
	for name, err := range map[string]error{"inspect": second(store.Inspect(t.Context(), path, true)), "open": second(store.Open(t.Context(), path))} {
		if !errors.Is(err, store.ErrUnreadable) || errors.Is(err, store.ErrDamaged) {
			t.Errorf("%s: got %v, want ErrUnreadable", name, err)
		}
	}
}

// hostile-inputs U-2: a deleted draft is in no file, and neither is what an emptied or often saved one held before.
func TestDeletedDraftIsInNoFile(t *testing.T) {
	t.Parallel()
	const canary = "canary-7f3a"
	for name, forget := range map[string]func(*store.Store) error{
		"deleted": func(s *store.Store) error { return s.DeleteDraft(t.Context(), "d") },
		"emptied": func(s *store.Store) error { return s.SaveDraft(t.Context(), store.Draft{Name: "d"}) },
		"saved over": func(s *store.Store) error {
			for range 40 {
				if err := s.SaveDraft(t.Context(), store.Draft{Name: "d", Body: []byte("x")}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		s := opened(t)
		body := bytes.Repeat([]byte(canary+" "), 2000)
		if err := s.SaveDraft(t.Context(), store.Draft{Name: "d", Body: body, Updated: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Draft(t.Context(), "d"); err != nil { // opens a reader
			t.Fatal(err)
		}
		if err := forget(s); err != nil {
			t.Fatal(err)
		}
		for file, content := range contents(t, s.Path()) {
			if bytes.Contains(content, []byte(canary)) {
				t.Errorf("%s: %s still holds the text", name, filepath.Base(file))
			}
		}
	}
}

// crashed is what a kill leaves of a database with a log.
func crashed(t *testing.T) string {
	t.Helper()
	live := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, live)
	defer s.Close()
	if _, err := s.FileRecord(t.Context(), aRecord(store.Run)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "parley.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		content, err := os.ReadFile(live + suffix)
		if err != nil {
			t.Fatal(err)
		}
		overwrite(t, path+suffix, content)
	}
	return path
}

func logOfACrash(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile(crashed(t) + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// contents reads the files of a folder. The index of a log is a cache that reading may change; only its presence counts.
func contents(t *testing.T, database string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(database), "*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		if all[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".db-shm" {
			all[path] = nil
		}
	}
	return all
}

func names(files map[string][]byte) []string {
	list := []string{}
	for path := range files {
		list = append(list, filepath.Base(path))
	}
	return slices.Sorted(slices.Values(list))
}

func second[T any](_ T, err error) error { return err }
