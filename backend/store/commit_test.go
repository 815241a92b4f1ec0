package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"
)

// gathered runs writes as one group: the test is the writer meanwhile.
func gathered(s *Store, do ...func(*work) error) []error {
	s.commits.close()
	defer func() { s.commits = startCommitter(s) }()
	group, failures := make([]*member, len(do)), make([]error, len(do))
	for i, one := range do {
		group[i] = &member{ctx: context.Background(), do: one, answer: make(chan error, 1)}
	}
	s.commits.commit(group)
	for i, m := range group {
		failures[i] = <-m.answer
	}
	return failures
}

func inserts(name string) func(*work) error {
	return func(w *work) error {
		_, err := w.exec(upsertDraft, name, []byte("x"), 0)
		return err
	}
}

func hasDraft(t *testing.T, s *Store, name string) bool {
	t.Helper()
	_, err := s.Draft(t.Context(), name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// A member that fails leaves those that share its transaction as they are, and nothing of its own.
func TestFailingMemberHurtsNobody(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	s := openHere(t)
	failures := gathered(s, inserts("a"), func(w *work) error { return errors.Join(inserts("b")(w), wrong) },
		func(w *work) error { _, err := w.exec("INSERT INTO nothing VALUES (1)"); return err }, inserts("c"))
	if failures[0] != nil || !errors.Is(failures[1], wrong) || failures[2] == nil || failures[3] != nil {
		t.Errorf("got %v, want the two in the middle to fail", failures)
	}
	for name, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if got := hasDraft(t, s, name); got != want {
			t.Errorf("%s: kept: got %t, want %t", name, got, want)
		}
	}
}

// hostile-inputs F-2: a full disk rolls a shared transaction back; those that have room are kept all the same.
func TestFullDiskFailsOnlyWhoNeedsTheSpace(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	var pages int
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages+2)); err != nil {
		t.Fatal(err)
	}
	failures := gathered(s, inserts("a"), func(w *work) error {
		_, err := w.exec(upsertDraft, "large", bytes.Repeat([]byte("x"), 1<<20), 0)
		return err
	}, inserts("c"))
	if failures[0] != nil || !errors.Is(failures[1], ErrFull) || failures[2] != nil {
		t.Errorf("got %v, want ErrFull for the large one alone", failures)
	}
	if !hasDraft(t, s, "a") || hasDraft(t, s, "large") || !hasDraft(t, s, "c") {
		t.Error("kept the wrong ones")
	}
}

// hostile-inputs S-2: once one member meets damage nothing is written, also of those that share its transaction.
func TestDamageStopsTheGroup(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	failures := gathered(s, inserts("a"), func(*work) error { return sqlite3.Error{Code: sqlite3.ErrCorrupt} }, inserts("c"))
	for i, failure := range failures {
		if !errors.Is(failure, ErrDamaged) {
			t.Errorf("member %d: got %v, want ErrDamaged", i, failure)
		}
	}
	if hasDraft(t, s, "a") || hasDraft(t, s, "c") {
		t.Error("something was written after the damage")
	}
}

// A context ends the wait for one's turn; what was not begun is not kept. What has begun comes to its end.
func TestContextEndsTheWaitOnly(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.together(ctx, func(w *work) error {
		cancel()
		return inserts("begun")(w)
	})
	if err != nil || !hasDraft(t, s, "begun") {
		t.Errorf("begun: got %v, want it kept", err)
	}
	if err := s.together(ctx, inserts("late")); !errors.Is(err, context.Canceled) || hasDraft(t, s, "late") {
		t.Errorf("not begun: got %v, want it refused", err)
	}
}

func TestWriteAfterCloseIsRefused(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	s.commits.close()
	if err := s.together(t.Context(), inserts("a")); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want errClosed", err)
	}
	s.commits = startCommitter(s) // for the end of the test
}

// behaviour 8.5: the events of a Turn are counted, however they came.
func TestTurnHasSoManyEvents(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	turn := queuedTurn(t, s)
	if _, err := s.write.ExecContext(t.Context(), "UPDATE turn SET events = ?", MaxTurnEvents-2); err != nil {
		t.Fatal(err)
	}
	one := Event{TurnID: turn.ID, Type: "e", Payload: []byte(`{}`), At: time.Now()}
	if err := s.AppendJournal(t.Context(), turn.SessionID, Journal{Events: []Event{one, one, one}}); !errors.Is(err, ErrTooMany) {
		t.Errorf("three more: got %v, want ErrTooMany", err)
	}
	if err := s.AppendJournal(t.Context(), turn.SessionID, Journal{Events: []Event{one, one}}); err != nil {
		t.Errorf("the last two: got %v, want them kept", err)
	}
	if err := s.AppendJournal(t.Context(), turn.SessionID, Journal{Events: []Event{one}}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: got %v, want ErrTooMany", err)
	}
}

// behaviour 8.1: a Turn with a cancel request cannot be claimed, whatever status it is in.
func TestCancelKeepsATurnFromBeingClaimed(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	turn := queuedTurn(t, s)
	if _, err := s.write.ExecContext(t.Context(), "UPDATE turn SET cancel_at_ms = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ClaimTurn(t.Context(), turn.ID, Attempt{RunID: "run", At: time.Now()}, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
}

func queuedTurn(t testing.TB, s *Store) Turn {
	t.Helper()
	made, err := s.CreateSession(t.Context(), Creation{Session: Session{AgentID: "a", Agent: []byte(`{}`)},
		First: Batch{At: time.Now(), Inputs: []Input{{Kind: InputMessage, Payload: []byte(`{}`)}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made.Added.Turns[0]
}

// behaviour 8.1: what has ended never changes, nor do inputs and events, and nothing goes but with its Session.
func TestHistoryIsImmutable(t *testing.T) {
	t.Parallel()
	s := openHere(t)
	turn := queuedTurn(t, s)
	if _, err := s.SettleTurn(t.Context(), turn.ID, Settlement{Status: TurnCancelled, At: time.Now()}, func(turn Turn) Journal {
		return Journal{Events: []Event{{TurnID: turn.ID, Type: "cancelled", Payload: []byte(`{}`), At: time.Now()}}}
	}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE turn SET status = 'queued'", "UPDATE turn SET outcome = x'7b7d'", "UPDATE turn SET error_code = 'x'", "UPDATE turn SET completed_at_ms = 0",
		"DELETE FROM turn", "REPLACE INTO turn SELECT * FROM turn", "UPDATE input SET payload = x''", "DELETE FROM input", "UPDATE event SET type = 'x'",
		"DELETE FROM event", "UPDATE session SET applied = 2",
	} {
		if _, err := s.write.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: got no error, want a refusal", statement)
		}
	}
	if err := s.DeleteSession(t.Context(), turn.SessionID); err != nil {
		t.Errorf("delete the session: got %v, want it gone", err)
	}
}
