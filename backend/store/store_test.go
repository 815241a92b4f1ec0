package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/backend/store"
)

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

func opened(t *testing.T) *store.Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "parley.db"))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func aRecord(act store.Act) store.Record {
	calls := 1
	return store.Record{
		Summary: store.Summary{Act: act, At: time.UnixMilli(1_700_000_000_123).UTC(), Elapsed: 1500 * time.Microsecond,
			Verdict: "success", EngineCalls: &calls, Task: "berth-7", Trial: 3, Digest: "abc"},
		Request: []byte("{\"a\": 1}\x00\xff"), Answer: []byte("{}\n"), Receipt: []byte(`{"kind":"waza.runner-unit"}`),
	}
}

// H16: exact in, exact out, also after the file was closed.
func TestRecordComesBackAsFiled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder % with ? odd # name.db")
	s := open(t, path)
	want := aRecord(store.Run)
	filed, err := s.FileRecord(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	if filed.ID == "" || filed.Seq != 1 {
		t.Fatalf("filed: got id %q and seq %d, want an id and seq 1", filed.ID, filed.Seq)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	defer s.Close()
	got, err := s.Record(t.Context(), filed.ID)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Request, want.Request) || !bytes.Equal(got.Answer, want.Answer) || !bytes.Equal(got.Receipt, want.Receipt) {
		t.Errorf("documents: got %q %q %q", got.Request, got.Answer, got.Receipt)
	}
	if fmt.Sprint(got.Summary.At, got.Elapsed, got.Verdict, got.Task, got.Trial, got.Digest, *got.EngineCalls) !=
		fmt.Sprint(want.At, want.Elapsed, want.Verdict, want.Task, want.Trial, want.Digest, *want.EngineCalls) {
		t.Errorf("summary: got %+v, want %+v", got.Summary, want.Summary)
	}
}

// Unknown stays unknown.
func TestUnknownFactsStayUnknown(t *testing.T) {
	t.Parallel()
	s := opened(t)
	filed, err := s.FileRecord(t.Context(), store.Record{Summary: store.Summary{Act: store.Negotiate}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Record(t.Context(), filed.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.EngineCalls != nil || got.Task != "" || got.Trial != 0 || got.Digest != "" || got.Receipt != nil {
		t.Errorf("got %+v with receipt %q, want nothing known", got.Summary, got.Receipt)
	}
}

func TestRecordsArePagedByKeyNewestFirst(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for range 5 {
		if _, err := s.FileRecord(t.Context(), aRecord(store.Validate)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		before int64
		limit  int
		want   string
	}{
		{0, 2, "[5 4]"}, {4, 2, "[3 2]"}, {2, 2, "[1]"}, {1, 2, "[]"}, {-3, 1, "[5]"}, {0, 0, "[5]"}, {0, 1 << 30, "[5 4 3 2 1]"},
	} {
		page, err := s.Records(t.Context(), tt.before, tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		seqs := []int64{}
		for _, one := range page {
			seqs = append(seqs, one.Seq)
		}
		if got := fmt.Sprint(seqs); got != tt.want {
			t.Errorf("before %d, limit %d: got %s, want %s", tt.before, tt.limit, got, tt.want)
		}
	}
}

func TestLatestRecordIsTheNewestOfItsAct(t *testing.T) {
	t.Parallel()
	s := opened(t)
	if _, err := s.LatestRecord(t.Context(), ""); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("empty store: got %v, want ErrNotFound", err)
	}
	for _, act := range []store.Act{store.Run, store.Validate, store.Run, store.Negotiate} {
		if _, err := s.FileRecord(t.Context(), aRecord(act)); err != nil {
			t.Fatal(err)
		}
	}
	for act, want := range map[store.Act]int64{"": 4, store.Run: 3, store.Validate: 2, store.Negotiate: 4} {
		got, err := s.LatestRecord(t.Context(), act)
		if err != nil || got.Seq != want {
			t.Errorf("latest %q: got seq %d (%v), want %d", act, got.Seq, err, want)
		}
	}
}

func TestUnknownActIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := opened(t).FileRecord(t.Context(), aRecord("guess")); err == nil {
		t.Error("got no error for act guess, want one")
	}
}

func TestDraftIsReplacedAndForgotten(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for _, body := range []string{"one", ""} {
		if err := s.SaveDraft(t.Context(), store.Draft{Name: "scratch", Body: []byte(body), Updated: time.UnixMilli(7)}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Draft(t.Context(), "scratch")
		if err != nil || string(got.Body) != body || got.Updated.UnixMilli() != 7 {
			t.Errorf("got %q at %v (%v), want %q", got.Body, got.Updated, err, body)
		}
	}
	if err := s.DeleteDraft(t.Context(), "scratch"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Draft(t.Context(), "scratch"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after deletion: got %v, want ErrNotFound", err)
	}
	if err := s.DeleteDraft(t.Context(), "scratch"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("second deletion: got %v, want ErrNotFound", err)
	}
}

// hostile-inputs U-2: what was deleted is gone from free pages; S8: the file is for its owner only.
func TestDeletedDraftLeavesNoTrace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	s := open(t, path)
	canary := bytes.Repeat([]byte("canary-7f3a"), 2000)
	if err := s.SaveDraft(t.Context(), store.Draft{Name: "secret", Body: canary}); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %q: got %o, want 600", info.Name(), info.Mode().Perm())
		}
	}
	if err := s.DeleteDraft(t.Context(), "secret"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("canary-7f3a")) {
		t.Error("the deleted text is still in the file")
	}
	if left, _ := filepath.Glob(path + "?*"); len(left) != 0 {
		t.Errorf("after closing: got %q beside the database, want nothing", left)
	}
}
