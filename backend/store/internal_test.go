package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func openHere(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// code-style 5: list queries never scan a table as a whole nor sort it.
func TestListQueriesUseAnIndex(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	for _, tt := range []struct {
		query string
		args  []any
		scans bool // reads an index or the key in order, ended by its limit
	}{
		{selectRecords, []any{10, 50}, false},
		{selectRecord, []any{"x"}, false},
		{selectByAct, []any{"run"}, false},
		{selectLatest, nil, true},
		{selectDraft, []any{"x"}, false},
		{selectDevice, []any{"x"}, false},
		{selectDevices, nil, true},
		{selectByEnvironment, []any{"x"}, false},
		{selectExecutor, []any{"x"}, false},
		{selectExecutors, nil, true},
		{selectExecutorByDigest, []any{"x"}, false},
		{agents().newest(), []any{9, 50}, false},
		{agents().place(), []any{"x"}, false},
		{sessionsWhere("").newest(), []any{9, 50}, false},
		{sessionsWhere("").oldest(), []any{9, 50}, false},
		{sessionsWhere("s.agent_id = ?").newest(), []any{"x", 9, 50}, false},
		{sessionsWhere("s.agent_id = ?").place(), []any{"x", "x"}, false},
		{selectSession, []any{"x"}, false},
		{selectByRequest, []any{"x"}, false},
		{turnsOf().newest(), []any{1, 9, 50}, false},
		{turnsOf().oldest(), []any{1, 9, 50}, false},
		{turnsOf().place(), []any{1, "x"}, false},
		{selectTurn, []any{"x"}, false},
		{selectLatestTurn, []any{1}, false},
		{selectActiveTurn, []any{1}, false},
		{selectRunning, nil, true},
		{selectInputsOfTurn, []any{1, 50}, false},
		{selectInputsBetween, []any{1, 2, 3}, false},
		{selectNextMessage, []any{1, 2, 3}, false},
		{selectLeft, []any{1, 2}, true}, // of a constant row, as below
		{selectCallsOfTurn, []any{1}, false},
		{selectHasOpen, []any{1}, true},
		{selectEvents, []any{1, 2, 50}, false},
		{itemsOf("i.session = ?").newest(), []any{1, 9, 50}, false},
		{itemsOf("i.turn = ?").oldest(), []any{1, 9, 50}, false},
		{itemsOf("i.turn = ?").place(), []any{1, "x"}, false},
		{selectEnvironment, []any{"x"}, false},
		{selectBySession, []any{"x"}, false},
		{selectByDevice, []any{"x"}, false},
		{selectToInitialize, []any{50}, true},
		{selectBlocking, []any{1}, false},
		{writesOf().newest(), []any{"x", 9, 50}, false},
		{selectKeyByDigest, []any{"x"}, false},
		{selectKeys, nil, true},
		{selectQueued, []any{"[]", "[]", 50}, true},
	} {
		plan := planOf(t, s, tt.query, tt.args)
		if strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN") != tt.scans {
			t.Errorf("%s\ngot plan %q, want a search by key without sorting", tt.query, plan)
		}
	}
}

func planOf(t *testing.T, s *Store, query string, args []any) string {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	return strings.Join(plan, "; ")
}

// The record of an act never changes, whoever asks.
func TestRecordsAreImmutable(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	if _, err := s.FileRecord(t.Context(), Record{Summary: Summary{Act: Run, Verdict: "success"}}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE runner_record SET verdict = 'timeout'", "DELETE FROM runner_record",
		"REPLACE INTO runner_record SELECT * FROM runner_record",
	} {
		if _, err := s.write.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: got no error, want a refusal", statement)
		}
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM draft"); err == nil {
		t.Error("write through the read pool: got no error, want a refusal")
	}
}

// The settings that the promises of the package rest on.
func TestWriterSettings(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "5000",
	} {
		var got string
		if err := s.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("pragma %s: got %q (%v), want %q", pragma, got, err, want)
		}
	}
}

// hostile-inputs F-2: on a full disk nothing of a write is kept, reading goes on, and so does writing once there is space.
func TestFullDiskIsSaidAndSurvived(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	if _, err := s.FileRecord(t.Context(), Record{Summary: Summary{Act: Run}}); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(12)
	large := Record{Summary: Summary{Act: Run}, Request: bytes.Repeat([]byte("x"), 1<<20)}
	if _, err := s.FileRecord(t.Context(), large); !errors.Is(err, ErrFull) {
		t.Errorf("file a record: got %v, want ErrFull", err)
	}
	if err := s.SaveDraft(t.Context(), Draft{Name: "d", Body: large.Request}); !errors.Is(err, ErrFull) {
		t.Errorf("save a draft: got %v, want ErrFull", err)
	}
	if list, err := s.Records(t.Context(), 0, 10); err != nil || len(list) != 1 {
		t.Errorf("reading meanwhile: got %d records (%v), want 1", len(list), err)
	}
	limit(1 << 20)
	filed, err := s.FileRecord(t.Context(), large)
	if err != nil || filed.Seq != 2 {
		t.Errorf("with space again: got seq %d (%v), want 2", filed.Seq, err)
	}
}
