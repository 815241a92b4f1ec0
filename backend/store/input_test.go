package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/store"
)

// behaviour 8.2: every cell of the table, and what a status adds to it.
func TestInputDoesWhatTheTableSays(t *testing.T) {
	t.Parallel()
	s := opened(t)
	const idle = store.TurnStatus("idle")
	for _, tt := range []struct {
		input   string
		in      store.TurnStatus
		created bool
		status  store.TurnStatus // of the Session's last Turn afterwards, "" for none
		joins   bool             // the last Turn
		cancel  bool             // recorded
		want    error
	}{
		{input: "message", in: idle, created: true, status: store.TurnQueued, joins: true},
		{input: "message", in: store.TurnQueued, status: store.TurnQueued, joins: true},
		{input: "message", in: store.TurnInProgress, status: store.TurnInProgress, joins: true},
		{input: "message", in: store.TurnWaiting, status: store.TurnWaiting, joins: true},
		{input: "message", in: store.TurnCompleted, created: true, status: store.TurnQueued, joins: true},
		{input: "message", in: store.TurnFailed, created: true, status: store.TurnQueued, joins: true},
		{input: "message", in: store.TurnCancelled, created: true, status: store.TurnQueued, joins: true},
		{input: "cancel", in: idle},
		{input: "cancel", in: store.TurnQueued, status: store.TurnCancelled, joins: true, cancel: true},
		{input: "cancel", in: store.TurnInProgress, status: store.TurnInProgress, joins: true, cancel: true},
		{input: "cancel", in: store.TurnWaiting, status: store.TurnWaiting, joins: true, cancel: true},
		{input: "cancel", in: store.TurnCompleted, status: store.TurnCompleted},
		{input: "tool_result", in: idle, want: store.ErrConflict},
		{input: "tool_result", in: store.TurnQueued, status: store.TurnQueued, want: store.ErrConflict},
		{input: "tool_result", in: store.TurnInProgress, status: store.TurnInProgress, want: store.ErrConflict},
		{input: "tool_result", in: store.TurnWaiting, status: store.TurnInProgress, joins: true},
		{input: "tool_result", in: store.TurnCompleted, status: store.TurnCompleted, want: store.ErrConflict},
		{input: "shout", in: store.TurnInProgress, status: store.TurnInProgress, want: store.ErrUnfit},
	} {
		name := fmt.Sprintf("%s in %s", tt.input, tt.in)
		var id, turn string
		if tt.in == idle {
			id = session(t, s).ID
		} else {
			before := made(t, s, tt.in)
			id, turn = before.SessionID, before.ID
		}
		input := answer(turn, "call")
		input.Kind = store.InputKind(tt.input)
		added, err := s.AddInputs(t.Context(), id, batch(input), nil)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
			continue
		}
		last, err := s.LatestTurn(t.Context(), id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		if last.Status != tt.status || !last.Cancel.IsZero() != tt.cancel && tt.input == "cancel" {
			t.Errorf("%s: got Turn %s, cancel %v, want %q, cancel %t", name, last.Status, last.Cancel, tt.status, tt.cancel)
		}
		if tt.want != nil {
			continue
		}
		if got := len(added.Created) == 1; got != tt.created {
			t.Errorf("%s: got created %q, want one: %t", name, added.Created, tt.created)
		}
		if got := added.Inputs[0].TurnID != "" && added.Inputs[0].TurnID == last.ID; got != tt.joins {
			t.Errorf("%s: joins the last Turn: got %t, want %t", name, got, tt.joins)
		}
	}
}

// behaviour 8.2: a batch is taken in its order, each input seeing what the ones before it did.
func TestBatchIsTakenInOrder(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	added := add(t, s, held.ID, message("a"), message("b"), cancel(), message("c"))
	if len(added.Created) != 2 || len(added.Turns) != 2 || added.Turns[0].Status != store.TurnCancelled || added.Turns[1].Status != store.TurnQueued {
		t.Fatalf("got %+v, want a cancelled and a queued Turn", added.Turns)
	}
	for i, want := range []int{0, 0, 0, 1} {
		if in := added.Inputs[i]; in.Seq != int64(i+1) || in.TurnID != added.Turns[want].ID {
			t.Errorf("input %d: got seq %d of %s, want %d of %s", i, in.Seq, in.TurnID, i+1, added.Turns[want].ID)
		}
	}
	if list, err := s.PendingInputs(t.Context(), added.Turns[1].ID, 9); err != nil || len(list) != 1 || string(list[0].Payload) != `{"text":"c"}` {
		t.Errorf("pending: got %+v (%v), want the last message", list, err)
	}
}

// behaviour 8.2: a cancel stays as it was asked first; a tool result goes to the Turn that it names, and to no other.
func TestCancelIsRecordedOnceAndResultsKeepToTheirTurn(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnWaiting)
	for i := range 2 {
		b := batch(cancel())
		b.At = moment().Add(time.Duration(i) * time.Second)
		if added, err := s.AddInputs(t.Context(), turn.SessionID, b, nil); err != nil || len(added.Turns) != 1-i {
			t.Errorf("cancel %d: got %+v (%v), want a change by the first alone", i+1, added, err)
		}
	}
	if got := latest(t, s, turn.SessionID); !got.Cancel.Equal(moment()) {
		t.Errorf("got cancel %v, want that of the first: %v", got.Cancel, moment())
	}
	other := made(t, s, store.TurnWaiting)
	if _, err := s.AddInputs(t.Context(), turn.SessionID, batch(answer(other.ID, "call")), nil); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a result for another Turn: got %v, want ErrConflict", err)
	}
}

// behaviour 8.2: a batch is taken whole or not at all.
func TestRefusedBatchLeavesNothing(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	b := batch(message("a"), answer("nobody", "call"))
	b.Key = "key"
	if _, err := s.AddInputs(t.Context(), held.ID, b, nil); !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), "input 2 of 2") {
		t.Errorf("got %v, want ErrConflict that names the input", err)
	}
	if got, err := s.Session(t.Context(), held.ID); err != nil || got.Turns != 0 || got.LastTurn != "" {
		t.Errorf("got %+v (%v), want an idle Session", got, err)
	}
	b.Inputs = b.Inputs[:1]
	if added, err := s.AddInputs(t.Context(), held.ID, b, nil); err != nil || added.Replayed || added.Inputs[0].Seq != 1 {
		t.Errorf("the key again: got %+v (%v), want it taken as new", added, err)
	}
}

// behaviour 8.2: the whole batch under a key is one request; another one under the key is refused.
func TestKeyGivesTheSameResult(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	b := batch(message("a"), message("b"))
	b.Key, b.Digest = strings.Repeat("k", store.MaxKey), [32]byte{1}
	first, err := s.AddInputs(t.Context(), held.ID, b, once(t))
	if err != nil || first.Replayed {
		t.Fatalf("got %+v (%v), want it taken", first, err)
	}
	settle(t, s, claim(t, s, first.Created[0]).ID, store.Settlement{Status: store.TurnCompleted, Applied: 2})
	again, err := s.AddInputs(t.Context(), held.ID, b, func(store.Added) store.Journal {
		t.Error("the repetition is described")
		return store.Journal{}
	})
	if err != nil || !again.Replayed || fmt.Sprint(again.Inputs) != fmt.Sprint(first.Inputs) || len(again.Created) != 0 {
		t.Errorf("again: got %+v (%v), want the inputs of %+v", again, err, first)
	}
	b.Digest[31] = 1
	if _, err := s.AddInputs(t.Context(), held.ID, b, nil); !errors.Is(err, store.ErrIdempotency) {
		t.Errorf("another batch: got %v, want ErrIdempotency", err)
	}
	if _, err := s.AddInputs(t.Context(), session(t, s).ID, b, nil); err != nil {
		t.Errorf("the key in another Session: got %v, want it taken", err)
	}
}

// once describes a change and refuses to be asked twice in a quiet store.
func once(t *testing.T) store.Describe[store.Added] {
	asked := false
	return func(store.Added) store.Journal {
		if asked {
			t.Error("described twice")
		}
		asked = true
		return store.Journal{}
	}
}

// behaviour 8.2: 1 to 64 inputs, 512 KiB in all, a key of 128 bytes.
func TestBatchBounds(t *testing.T) {
	t.Parallel()
	s := opened(t)
	held := session(t, s)
	many := func(n int) []store.Input {
		list := make([]store.Input, n)
		for i := range list {
			list[i] = message("x")
		}
		return list
	}
	sized := func(size int) store.Input { return store.Input{Kind: store.InputMessage, Payload: large(size)} }
	for _, tt := range []struct {
		name  string
		batch store.Batch
		want  error
	}{
		{"none", batch(), store.ErrUnfit},
		{"64", batch(many(64)...), nil},
		{"65", batch(many(65)...), store.ErrUnfit},
		{"512 KiB", batch(sized(store.MaxPayload)), nil},
		{"a byte more", batch(sized(store.MaxPayload + 1)), store.ErrUnfit},
		{"a byte more in two", batch(sized(store.MaxPayload-100), sized(101)), store.ErrUnfit},
		{"no object", batch(store.Input{Kind: store.InputMessage, Payload: []byte(`"x"`)}), store.ErrUnfit},
		{"no payload", batch(store.Input{Kind: store.InputMessage}), store.ErrUnfit},
		{"a key of 129 bytes", store.Batch{Key: strings.Repeat("k", 129), Inputs: many(1), At: moment()}, store.ErrUnfit},
	} {
		if _, err := s.AddInputs(t.Context(), held.ID, tt.batch, nil); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := s.AddInputs(t.Context(), "nobody", batch(message("x")), nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown session: got %v, want ErrNotFound", err)
	}
}

// behaviour 8.2: the cursor goes forward over messages of its Turn and over tool results, and never back.
func TestCursorOnlyGoesForward(t *testing.T) {
	t.Parallel()
	s := opened(t)
	turn := made(t, s, store.TurnWaiting)
	add(t, s, turn.SessionID, message("2"), answer(turn.ID, "call"), message("4"))
	for _, tt := range []struct {
		seq, want int64
		err       error
	}{
		{1, 1, nil}, {3, 0, store.ErrConflict}, {2, 3, nil}, {1, 3, nil}, {9, 0, store.ErrConflict}, {4, 4, nil},
	} {
		if got, err := s.AdvanceApplied(t.Context(), turn.ID, tt.seq); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("advance to %d: got %d (%v), want %d (%v)", tt.seq, got, err, tt.want, tt.err)
		}
	}
	settle(t, s, turn.ID, store.Settlement{Status: store.TurnCompleted})
	if _, err := s.AdvanceApplied(t.Context(), turn.ID, 4); !errors.Is(err, store.ErrChanged) {
		t.Errorf("after the end: got %v, want ErrChanged", err)
	}
	queued := made(t, s, store.TurnQueued)
	if _, err := s.AdvanceApplied(t.Context(), queued.ID, 1); !errors.Is(err, store.ErrChanged) {
		t.Errorf("queued: got %v, want ErrChanged", err)
	}
}

// behaviour 8.2: a Turn that says completed with messages left is failed; they stay with it and are not played again.
func TestCompletedWithMessagesLeftIsFailed(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for _, tt := range []struct {
		name    string
		end     store.Settlement
		status  store.TurnStatus
		outcome string
	}{
		{"all consumed", store.Settlement{Status: store.TurnCompleted, Applied: 2, Outcome: []byte(`{"done":{}}`)}, store.TurnCompleted, `{"done":{}}`},
		{"one left", store.Settlement{Status: store.TurnCompleted, Applied: 1, Outcome: []byte(`{"z":1.0,"done":{}}`)}, store.TurnFailed,
			`{"done":{},"error_code":"input_not_applied","z":1.0}`},
		{"without outcome", store.Settlement{Status: store.TurnCompleted}, store.TurnFailed, `{"error_code":"input_not_applied"}`},
		{"cancelled", store.Settlement{Status: store.TurnCancelled}, store.TurnCancelled, ""},
		{"failed for itself", store.Settlement{Status: store.TurnFailed, ErrorCode: "engine_failed"}, store.TurnFailed, ""},
	} {
		turn := made(t, s, store.TurnInProgress)
		add(t, s, turn.SessionID, message("2"))
		got := settle(t, s, turn.ID, tt.end)
		if got.Status != tt.status || string(got.Outcome) != tt.outcome {
			t.Errorf("%s: got %s with %s, want %s with %s", tt.name, got.Status, got.Outcome, tt.status, tt.outcome)
		}
		if kept, err := s.Turn(t.Context(), turn.ID); err != nil || fmt.Sprint(kept) != fmt.Sprint(got) {
			t.Errorf("%s: got %+v (%v), want what was returned: %+v", tt.name, kept, err, got)
		}
		next := add(t, s, turn.SessionID, message("3"))
		if list, err := s.PendingInputs(t.Context(), next.Created[0], 9); err != nil || len(list) != 1 || list[0].Seq != 3 {
			t.Errorf("%s: next Turn: got pending %+v (%v), want input 3 alone", tt.name, list, err)
		}
	}
}
