package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/store"
)

// work is the process that is killed: several Sessions at the same time take inputs, claim, tell and settle, and print
// each fact once it is acknowledged.
func work(ctx context.Context, s *store.Store) error {
	if _, err := s.Reconcile(ctx, moment(), nil, nil); err != nil {
		return err
	}
	fmt.Println("open")
	const sessions = 4
	failed := make(chan error, sessions)
	for range sessions {
		go func() {
			for {
				if err := workOnce(ctx, s); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

func workOnce(ctx context.Context, s *store.Store) error {
	made, err := s.CreateSession(ctx, aCreation(), nil)
	if err != nil {
		return err
	}
	id := made.Session.ID
	b := batch(message("a"))
	b.Key = "key"
	added, err := s.AddInputs(ctx, id, b, func(a store.Added) store.Journal {
		return store.Journal{Events: []store.Event{event(a.Created[0], "created")}}
	})
	if err != nil {
		return err
	}
	turn := added.Created[0]
	fmt.Println("input", id, turn)
	if _, err := s.ClaimTurn(ctx, turn, store.Attempt{RunID: turn, At: moment()}, nil); err != nil {
		return err
	}
	fmt.Println("claim", id, turn)
	if err := s.AppendJournal(ctx, id, store.Journal{Events: []store.Event{event(turn, "delta"), event(turn, "delta")},
		Items: []store.Item{{ID: "i", TurnID: turn, Payload: []byte(`{}`)}}}); err != nil {
		return err
	}
	fmt.Println("journal", id, turn)
	if _, err := s.SettleTurn(ctx, turn, store.Settlement{Status: store.TurnCompleted, Applied: 1, Outcome: []byte(`{"done":{}}`), At: moment()},
		func(turn store.Turn) store.Journal {
			return store.Journal{Events: []store.Event{event(turn.ID, "completed")}}
		}); err != nil {
		return err
	}
	fmt.Println("settle", id, turn)
	return nil
}

// fact is what a killed process has acknowledged last of a Session: everything before it is acknowledged too.
type fact struct{ step, session, turn string }

// killed runs the working process, kills it some time after it opened the store or acknowledged its first fact, and gives
// what it acknowledged.
func killed(t *testing.T, path string, first bool, after time.Duration) []fact {
	t.Helper()
	command := exec.Command(os.Args[0], "-beside", path, "work")
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || lines.Text() != "open" {
		t.Errorf("got %q, want the process at work", lines.Text())
	}
	facts := map[string]fact{}
	read := func() bool {
		if !lines.Scan() {
			return false
		}
		if part := strings.Fields(lines.Text()); len(part) == 3 {
			facts[part[1]] = fact{part[0], part[1], part[2]}
		}
		return true
	}
	if first {
		read()
	}
	kill := time.AfterFunc(after, func() { command.Process.Kill() })
	defer kill.Stop()
	for read() {
	}
	if err := command.Wait(); command.ProcessState.Exited() {
		t.Errorf("the process ended by itself: %v", err)
	}
	list := []fact{}
	for _, f := range facts {
		list = append(list, f)
	}
	return list
}

// hostile-inputs S-1: whenever the process is killed, the file is sound, what was acknowledged is there, nothing is left
// in progress, and a second start finds what the first one left.
func TestKilledProcessKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	const rounds = 40
	all := []fact{}
	for round := range rounds {
		facts := killed(t, path, round%2 == 0, time.Duration(rand.IntN(50_000))*time.Microsecond)
		if facts, err := store.Inspect(t.Context(), path, true); err != nil || !facts.Checked {
			t.Fatalf("round %d: got %+v (%v), want a sound file", round, facts, err)
		}
		s := open(t, path)
		checkRestart(t, s)
		for _, f := range facts {
			checkFact(t, s, f)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, facts...)
	}
	s := open(t, path)
	defer s.Close()
	for _, f := range all {
		checkFact(t, s, f)
	}
	if len(all) < rounds/2 {
		t.Errorf("got %d Sessions with acknowledged facts in %d rounds, want more: nothing was tried", len(all), rounds)
	}
}

func checkRestart(t *testing.T, s *store.Store) {
	t.Helper()
	if _, err := s.Reconcile(t.Context(), moment(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Reconcile(t.Context(), moment(), nil, nil); err != nil || len(again.Turns) != 0 {
		t.Errorf("second start: got %+v (%v), want nothing found", again, err)
	}
}

// checkFact looks for all that was acknowledged up to a fact.
func checkFact(t *testing.T, s *store.Store, f fact) {
	t.Helper()
	turn, err := s.Turn(t.Context(), f.turn)
	if err != nil {
		t.Errorf("%v: %v", f, err)
		return
	}
	b := batch(message("a"))
	b.Key = "key"
	if again, err := s.AddInputs(t.Context(), f.session, b, nil); err != nil || !again.Replayed || again.Inputs[0].TurnID != f.turn {
		t.Errorf("%v: the input again: got %+v (%v), want it known", f, again, err)
	}
	if turn.Status == store.TurnInProgress || f.step != "input" && turn.Status == store.TurnQueued ||
		f.step == "settle" && turn.Status != store.TurnCompleted || turn.Status == store.TurnCompleted && string(turn.Outcome) != `{"done":{}}` {
		t.Errorf("%v: got %s with %s", f, turn.Status, turn.Outcome)
	}
	want := map[string]int{"input": 1, "claim": 1, "journal": 3, "settle": 4}[f.step]
	events := journal(t, s, f.session)
	gapless := slices.IndexFunc(events, func(e store.Event) bool { return events[e.Seq-1].Seq != e.Seq }) < 0
	told := len(events) > 0 && events[len(events)-1].Type == "completed"
	if len(events) < want || !gapless || told != (turn.Status == store.TurnCompleted) {
		t.Errorf("%v: got events %+v of a Turn that is %s, want at least %d, the end told exactly with the end", f, events, turn.Status, want)
	}
}
