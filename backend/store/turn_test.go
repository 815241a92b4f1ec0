package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"parley/backend/store"
)

func statuses() []store.TurnStatus {
	return []store.TurnStatus{store.TurnQueued, store.TurnInProgress, store.TurnWaiting, store.TurnCompleted, store.TurnFailed, store.TurnCancelled}
}

// moves leads a Turn from where it is to a status, by the method that does so.
func moves(t *testing.T, s *store.Store, turn store.Turn, to store.TurnStatus) error {
	var err error
	switch to {
	case store.TurnInProgress:
		if turn.Status == store.TurnWaiting {
			_, err = s.WithdrawCall(t.Context(), turn.ID, "call", moment(), nil)
			break
		}
		_, err = s.ClaimTurn(t.Context(), turn.ID, store.Attempt{RunID: "run", At: moment()}, nil)
	case store.TurnWaiting:
		_, err = s.OpenCall(t.Context(), store.Call{TurnID: turn.ID, CallID: "another", Created: moment()}, nil)
	case store.TurnFailed:
		_, err = s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: to, ErrorCode: "engine_failed", At: moment()}, nil)
	default:
		_, err = s.SettleTurn(t.Context(), turn.ID, store.Settlement{Status: to, Applied: 1, At: moment()}, nil)
	}
	return err
}

// behaviour 8.1: every row of the table, and no other.
func TestTurnGoesOnlyWhereTheTableAllows(t *testing.T) {
	t.Parallel()
	s := opened(t)
	allowed := map[store.TurnStatus][]store.TurnStatus{
		store.TurnQueued:     {store.TurnInProgress, store.TurnFailed, store.TurnCancelled},
		store.TurnInProgress: {store.TurnWaiting, store.TurnCompleted, store.TurnFailed, store.TurnCancelled},
		store.TurnWaiting:    {store.TurnInProgress, store.TurnCompleted, store.TurnFailed, store.TurnCancelled},
	}
	for _, from := range statuses() {
		for _, to := range statuses()[1:] {
			if from == to {
				continue
			}
			want := slices.Contains(allowed[from], to)
			if got := from.Allows(to); got != want {
				t.Errorf("%s allows %s: got %t, want %t", from, to, got, want)
			}
			turn := made(t, s, from)
			err := moves(t, s, turn, to)
			got, readErr := s.Turn(t.Context(), turn.ID)
			switch {
			case readErr != nil:
				t.Fatal(readErr)
			case want && (err != nil || got.Status != to):
				t.Errorf("%s to %s: got %s (%v), want it done", from, to, got.Status, err)
			case !want && (!errors.Is(err, store.ErrChanged) || got.Status != from):
				t.Errorf("%s to %s: got %s (%v), want ErrChanged and no change", from, to, got.Status, err)
			}
		}
	}
}

// behaviour 8.1: the claim notes who runs the Turn, on the Turn and on its Session.
func TestClaimNotesTheAttempt(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnQueued)
	attempt := store.Attempt{RunID: "run", DeviceID: "device-1", Declaration: []byte(`{"kind":"k"}`), At: moment()}
	claimed, err := s.ClaimTurn(t.Context(), turn.ID, attempt, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Turn(t.Context(), turn.ID); err != nil || fmt.Sprint(got) != fmt.Sprint(claimed) || got.RunID != "run" ||
		got.DeviceID != "device-1" || !got.Started.Equal(moment()) {
		t.Errorf("turn: got %+v (%v), want the attempt on it, as it was returned: %+v", got, err, claimed)
	}
	held, err := s.Session(t.Context(), turn.SessionID)
	if err != nil || !held.NativeStarted || held.DeviceID != "device-1" || string(held.Declaration) != `{"kind":"k"}` || held.LastTurn != store.TurnInProgress {
		t.Errorf("session: got %+v (%v), want the attempt on it", held, err)
	}
	if err := moves(t, s, turn, store.TurnInProgress); !errors.Is(err, store.ErrChanged) {
		t.Errorf("second claim: got %v, want ErrChanged", err)
	}
	if _, err := s.ClaimTurn(t.Context(), "nobody", attempt, nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown turn: got %v, want ErrNotFound", err)
	}
}

// behaviour 8.1: what a Turn ended with comes back as it was given; what does not go together is refused.
func TestSettlementIsKept(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnInProgress)
	for name, end := range map[string]store.Settlement{
		"not an end":          {Status: store.TurnWaiting},
		"failed without code": {Status: store.TurnFailed},
		"completed with code": {Status: store.TurnCompleted, ErrorCode: "engine_failed"},
		"outcome no object":   {Status: store.TurnCompleted, Outcome: []byte("[]")},
		"outcome broken":      {Status: store.TurnCompleted, Outcome: []byte(`{"a":`)},
		"outcome too large":   {Status: store.TurnCompleted, Outcome: large(store.MaxPayload + 1)},
		"usage no object":     {Status: store.TurnCompleted, Usage: []byte("3")},
		"native id too long":  {Status: store.TurnCompleted, NativeID: string(large(513))},
		"unknown":             {Status: "lost"},
	} {
		if _, err := s.SettleTurn(t.Context(), turn.ID, end, nil); !errors.Is(err, store.ErrUnfit) {
			t.Errorf("%s: got %v, want ErrUnfit", name, err)
		}
	}
	end := store.Settlement{Status: store.TurnCompleted, Outcome: large(store.MaxPayload), Usage: []byte(`{"total":3}`), NativeID: "native", Applied: 1}
	settle(t, s, turn.ID, end)
	got, err := s.Turn(t.Context(), turn.ID)
	if err != nil || string(got.Outcome) != string(end.Outcome) || string(got.Usage) != string(end.Usage) || !got.Completed.Equal(moment()) {
		t.Errorf("got %s with %d bytes and %s (%v), want what was given", got.Status, len(got.Outcome), got.Usage, err)
	}
	if held, err := s.Session(t.Context(), turn.SessionID); err != nil || held.NativeID != "native" || held.Applied != 1 {
		t.Errorf("session: got %+v (%v), want the native id and the cursor", held, err)
	}
	next := add(t, s, turn.SessionID, message("again")).Turns[0]
	settle(t, s, next.ID, store.Settlement{Status: store.TurnFailed, ErrorCode: "execution_unavailable"})
	if held, err := s.Session(t.Context(), turn.SessionID); err != nil || held.NativeID != "native" {
		t.Errorf("session: got native id %q (%v), want the one known before", held.NativeID, err)
	}
}

// behaviour 8.5: what a Turn has told before its end is known also when it is interrupted.
func TestProgressOutlivesAnInterruption(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnInProgress)
	for _, p := range []store.Progress{{NativeID: "first", Usage: []byte(`{"total":1}`)}, {Usage: []byte(`{"total":2}`)}, {NativeID: "native"}} {
		if err := s.NoteProgress(t.Context(), turn.ID, p); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []store.Progress{{NativeID: string(large(513))}, {Usage: []byte("3")}} {
		if err := s.NoteProgress(t.Context(), turn.ID, p); !errors.Is(err, store.ErrUnfit) {
			t.Errorf("%s: got %v, want ErrUnfit", p.Usage, err)
		}
	}
	if _, err := s.Reconcile(t.Context(), moment(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Turn(t.Context(), turn.ID); err != nil || string(got.Usage) != `{"total":2}` || got.Status != store.TurnFailed {
		t.Errorf("turn: got %s with usage %s (%v), want the last measurement", got.Status, got.Usage, err)
	}
	if held, err := s.Session(t.Context(), turn.SessionID); err != nil || held.NativeID != "native" {
		t.Errorf("session: got native id %q (%v), want the last", held.NativeID, err)
	}
	if err := s.NoteProgress(t.Context(), turn.ID, store.Progress{NativeID: "late"}); !errors.Is(err, store.ErrChanged) {
		t.Errorf("after the end: got %v, want ErrChanged", err)
	}
}

// large is a JSON object of so many bytes.
func large(size int) []byte {
	return []byte(fmt.Sprintf(`{"a":"%0*d"}`, size-8, 0))
}

// behaviour 8.4: the Turn that waits longest comes first; a Session is served where its device is, once initialized.
func TestQueuedTurnsComeInOrderForTheirDevices(t *testing.T) {
	t.Parallel()
	s := opened(t)
	free := session(t, s, message("1"))
	bound := anEnvironment(t, s, "device-1", message("2"))
	raw := anEnvironment(t, s, "device-1", message("3"))
	last := session(t, s, message("4"))
	made(t, s, store.TurnInProgress)
	for _, step := range []func() error{
		func() error { _, err := s.ClaimInitialization(t.Context(), bound.ID, nil); return err },
		func() error { _, err := s.FinishInitialization(t.Context(), bound.ID, moment(), nil); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		ask  store.Candidates
		want []string
	}{
		{"no device", store.Candidates{Limit: 9}, []string{free.ID, last.ID}},
		{"its device", store.Candidates{Devices: []string{"device-1", "device-2"}, Limit: 9}, []string{free.ID, bound.SessionID, last.ID}},
		{"another device", store.Candidates{Devices: []string{"device-2"}, Limit: 9}, []string{free.ID, last.ID}},
		{"under way already", store.Candidates{Devices: []string{"device-1"}, Except: []string{free.ID}, Limit: 9}, []string{bound.SessionID, last.ID}},
		{"one", store.Candidates{}, []string{free.ID}},
	} {
		list, err := s.NextQueued(t.Context(), tt.ask)
		got := []string{}
		for _, turn := range list {
			got = append(got, turn.SessionID)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q (%v), want %q, not that of %s", tt.name, got, err, tt.want, raw.SessionID)
		}
	}
}

func TestTurnsArePagedByTheirID(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	var ids []string
	for range 5 {
		ids = append(ids, add(t, s, held.ID, message("x"), cancel()).Created...)
	}
	for _, tt := range []struct {
		page store.Page
		want []string
		more bool
	}{
		{store.Page{Limit: 2}, []string{ids[4], ids[3]}, true},
		{store.Page{Limit: 2, After: ids[3]}, []string{ids[2], ids[1]}, true},
		{store.Page{Limit: 2, After: ids[1]}, []string{ids[0]}, false},
		{store.Page{Limit: 2, Oldest: true}, []string{ids[0], ids[1]}, true},
		{store.Page{Limit: 9, Oldest: true, After: ids[1]}, ids[2:], false},
		{store.Page{After: ids[0]}, []string{}, false},
	} {
		list, more, err := s.Turns(t.Context(), held.ID, tt.page)
		got := []string{}
		for _, turn := range list {
			got = append(got, turn.ID)
		}
		if err != nil || !slices.Equal(got, tt.want) || more != tt.more {
			t.Errorf("%+v: got %q, more %t (%v), want %q, more %t", tt.page, got, more, err, tt.want, tt.more)
		}
	}
	other := session(t, s, message("x"))
	if _, _, err := s.Turns(t.Context(), held.ID, store.Page{After: latest(t, s, other.ID).ID}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after a Turn of another Session: got %v, want ErrNotFound", err)
	}
	if _, _, err := s.Turns(t.Context(), "nobody", store.Page{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of no Session: got %v, want ErrNotFound", err)
	}
}
