package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/backend/store"
)

func event(turn, kind string) store.Event {
	return store.Event{TurnID: turn, Type: kind, Payload: []byte(`{}`), At: moment()}
}

// told follows a store.
type told struct {
	mu   sync.Mutex
	list []store.Event
}

func (f *told) hear(events []store.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, events...)
}

func (f *told) of(session string) (list []store.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.list {
		if e.SessionID == session {
			list = append(list, e)
		}
	}
	return list
}

func journal(t *testing.T, s *store.Store, session string) []store.Event {
	t.Helper()
	list := []store.Event{}
	for {
		page, err := s.Events(t.Context(), session, int64(len(list)), 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return list
		}
		list = append(list, page...)
	}
}

// behaviour 8.5: what tells of a change is kept in the same write, whole or not at all, by every method that describes.
func TestChangeAndItsEventsAreOneWrite(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var follow told
	s.Follow(follow.hear)
	bad := store.Event{Type: "broken", Payload: []byte("no object"), At: moment()}
	ofTurn := func(bad ...store.Event) store.Describe[store.Turn] {
		return func(turn store.Turn) store.Journal {
			return store.Journal{Events: append([]store.Event{event(turn.ID, string(turn.Status))}, bad...)}
		}
	}
	held := session(t, s)
	var turn string
	for _, step := range []struct {
		name string
		do   func(bad ...store.Event) error
		want string
	}{
		{"inputs", func(bad ...store.Event) error {
			added, err := s.AddInputs(t.Context(), held.ID, batch(message("x")), func(a store.Added) store.Journal {
				return store.Journal{Events: append([]store.Event{event(a.Created[0], "created"), event("", "in_progress")}, bad...),
					Items: []store.Item{{ID: "user", TurnID: a.Created[0], Kind: "user_message", Payload: []byte(`{}`)}}}
			})
			if err == nil {
				turn = added.Created[0]
			}
			return err
		}, "created in_progress"},
		{"claim", func(bad ...store.Event) error {
			_, err := s.ClaimTurn(t.Context(), turn, store.Attempt{RunID: "run", At: moment()}, ofTurn(bad...))
			return err
		}, "in_progress"},
		{"call", func(bad ...store.Event) error {
			_, err := s.OpenCall(t.Context(), store.Call{TurnID: turn, CallID: "c", Created: moment()}, ofTurn(bad...))
			return err
		}, "waiting"},
		{"withdrawal", func(bad ...store.Event) error {
			_, err := s.WithdrawCall(t.Context(), turn, "c", moment(), ofTurn(bad...))
			return err
		}, "in_progress"},
		{"flush", func(bad ...store.Event) error {
			return s.AppendJournal(t.Context(), held.ID, store.Journal{Events: append([]store.Event{event(turn, "delta")}, bad...)})
		}, "delta"},
		{"end", func(bad ...store.Event) error {
			_, err := s.SettleTurn(t.Context(), turn, store.Settlement{Status: store.TurnCompleted, Applied: 1, At: moment()}, ofTurn(bad...))
			return err
		}, "completed"},
	} {
		before, found := journal(t, s, held.ID), latestOrNone(t, s, held.ID)
		if err := step.do(bad); !errors.Is(err, store.ErrUnfit) {
			t.Errorf("%s with a bad event: got %v, want ErrUnfit", step.name, err)
		}
		if after := latestOrNone(t, s, held.ID); len(journal(t, s, held.ID)) != len(before) || fmt.Sprint(after) != fmt.Sprint(found) {
			t.Errorf("%s with a bad event: got %+v, want nothing changed: %+v", step.name, after, found)
		}
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		var kinds []string
		for _, e := range journal(t, s, held.ID)[len(before):] {
			kinds = append(kinds, e.Type)
		}
		if got := strings.Join(kinds, " "); got != step.want {
			t.Errorf("%s: got events %q, want %q", step.name, got, step.want)
		}
	}
	list := journal(t, s, held.ID)
	for i, e := range list {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has seq %d, want no gap", i+1, e.Seq)
		}
	}
	if heard := follow.of(held.ID); fmt.Sprint(heard) != fmt.Sprint(list) {
		t.Errorf("followed: got %+v, want what is kept: %+v", heard, list)
	}
	if got, err := s.Session(t.Context(), held.ID); err != nil || got.Events != int64(len(list)) {
		t.Errorf("session: got %d events (%v), want %d", got.Events, err, len(list))
	}
}

func latestOrNone(t *testing.T, s *store.Store, session string) store.Turn {
	t.Helper()
	turn, err := s.LatestTurn(t.Context(), session)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return turn
}

// Those who follow hear the events of a Session in order, however many write at the same time.
func TestFollowersHearInOrder(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var follow told
	s.Follow(follow.hear)
	held := session(t, s)
	var all sync.WaitGroup
	const writers, each = 8, 10
	for range writers {
		all.Go(func() {
			for range each {
				if err := s.AppendJournal(t.Context(), held.ID, store.Journal{Events: []store.Event{event("", "a"), event("", "b")}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	heard := follow.of(held.ID)
	if len(heard) != writers*each*2 {
		t.Errorf("got %d events, want %d", len(heard), writers*each*2)
	}
	for i, e := range heard {
		if e.Seq != int64(i+1) {
			t.Fatalf("heard seq %d in place %d", e.Seq, i+1)
		}
	}
}

// behaviour 8.5: bounds of an event, of what is appended at once, and of a Turn; an end is kept all the same.
func TestJournalBounds(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnInProgress)
	sized := func(size int) store.Event {
		return store.Event{TurnID: turn.ID, Type: "e", Payload: large(size), At: moment()}
	}
	for _, tt := range []struct {
		name   string
		events []store.Event
		want   error
	}{
		{"an event of 512 KiB", []store.Event{sized(store.MaxPayload)}, nil},
		{"a byte more", []store.Event{sized(store.MaxPayload + 1)}, store.ErrUnfit},
		{"768 KiB", []store.Event{sized(store.MaxBatchBytes / 2), sized(store.MaxBatchBytes / 2)}, nil},
		{"a byte more at once", []store.Event{sized(store.MaxBatchBytes / 2), sized(store.MaxBatchBytes/2 + 1)}, store.ErrUnfit},
		{"64", slices.Repeat([]store.Event{sized(9)}, 64), nil},
		{"65", slices.Repeat([]store.Event{sized(9)}, 65), store.ErrUnfit},
		{"of another Session's Turn", []store.Event{event(made(t, s, store.TurnInProgress).ID, "e")}, store.ErrNotFound},
	} {
		if err := s.AppendJournal(t.Context(), turn.SessionID, store.Journal{Events: tt.events}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := s.AppendJournal(t.Context(), "nobody", store.Journal{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown session: got %v, want ErrNotFound", err)
	}
	largest := store.Journal{Events: []store.Event{sized(store.MaxPayload)}}
	for i := range store.MaxTurnBytes/store.MaxPayload - 2 { // with what the table has left there is no room for the last
		err := s.AppendJournal(t.Context(), turn.SessionID, largest)
		if last := i == store.MaxTurnBytes/store.MaxPayload-3; last && !errors.Is(err, store.ErrTooMany) || !last && err != nil {
			t.Errorf("512 KiB, time %d: got %v, want ErrTooMany for the last alone", i+1, err)
		}
	}
	full := func(store.Turn) store.Journal { return largest }
	if _, err := s.AddInputs(t.Context(), turn.SessionID, batch(message("x")), func(store.Added) store.Journal { return largest }); !errors.Is(err, store.ErrTooMany) {
		t.Errorf("a message for a full journal: got %v, want ErrTooMany", err)
	}
	if _, err := s.AddInputs(t.Context(), turn.SessionID, batch(cancel()), func(store.Added) store.Journal { return largest }); err != nil {
		t.Errorf("a cancel: got %v, want it taken", err)
	}
	if _, err := s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: store.TurnCancelled, At: moment()}, full); err != nil {
		t.Errorf("the end: got %v, want it kept", err)
	}
	if err := s.AppendJournal(t.Context(), turn.SessionID, store.Journal{Events: []store.Event{event(turn.ID, "late")}}); !errors.Is(err, store.ErrChanged) {
		t.Errorf("after the end: got %v, want ErrChanged", err)
	}
}

// A page of events is bounded in bytes, and always has one.
func TestEventsAreReadInSlices(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	for range 10 {
		if err := s.AppendJournal(t.Context(), held.ID, store.Journal{Events: []store.Event{{Type: "e", Payload: large(store.MaxPayload), At: moment()}}}); err != nil {
			t.Fatal(err)
		}
	}
	for after, want := range map[int64]int{0: 8, 8: 2, 9: 1, 10: 0} {
		if page, err := s.Events(t.Context(), held.ID, after, 100); err != nil || len(page) != want {
			t.Errorf("after %d: got %d events (%v), want %d", after, len(page), err, want)
		}
	}
}

// An item is kept in its last state, where it first appeared.
func TestItemKeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnInProgress)
	item := func(id, text string) store.Item {
		return store.Item{ID: id, TurnID: turn.ID, Index: int64(len(id)), Kind: "message", Payload: []byte(`{"text":"` + text + `"}`)}
	}
	for _, one := range []store.Item{item("a", "1"), item("bb", "2"), item("a", "3")} {
		if err := s.AppendJournal(t.Context(), turn.SessionID, store.Journal{Items: []store.Item{one}}); err != nil {
			t.Fatal(err)
		}
	}
	for name, list := range map[string]func(store.Page) ([]store.Item, bool, error){
		"session": func(p store.Page) ([]store.Item, bool, error) { return s.Items(t.Context(), turn.SessionID, p) },
		"turn":    func(p store.Page) ([]store.Item, bool, error) { return s.ItemsOfTurn(t.Context(), turn.ID, p) },
	} {
		got, more, err := list(store.Page{Limit: 9, Oldest: true})
		if err != nil || more || len(got) != 2 || got[0].ID != "a" || string(got[0].Payload) != `{"text":"3"}` || got[1].Index != 2 {
			t.Errorf("%s: got %+v (%v), want both, the first as it was saved last", name, got, err)
		}
		if got, more, err := list(store.Page{Limit: 1}); err != nil || !more || got[0].ID != "bb" {
			t.Errorf("%s: got %+v, more %t (%v), want the newest and more", name, got, more, err)
		}
	}
	if got, err := s.Item(t.Context(), turn.SessionID, "a"); err != nil || string(got.Payload) != `{"text":"3"}` {
		t.Errorf("got %+v (%v), want the last state", got, err)
	}
	settle(t, s, turn.ID, store.Settlement{Status: store.TurnCancelled})
	turn = claim(t, s, add(t, s, turn.SessionID, message("x")).Created[0])
	if err := s.AppendJournal(t.Context(), turn.SessionID, store.Journal{Items: []store.Item{item("a", "4")}}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an item of another Turn: got %v, want ErrConflict", err)
	}
}
