package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/backend/store"
)

// model is behaviour 8.1 and 8.2 for one Session, as small as they can be told.
type model struct {
	store *store.Store
	path  string
	id    string

	inputs  []string // kind of each, by seq from 1
	owner   []int    // Turn of each, -1 for none
	turns   []modelTurn
	applied int
	events  int
	keys    map[string]string
}

type modelTurn struct {
	id     string
	status store.TurnStatus
	cancel bool
	calls  map[string]store.CallState
}

// active is the Turn that has not ended, nil for none.
func (m *model) active() *modelTurn {
	if n := len(m.turns); n > 0 && !m.turns[n-1].status.Terminal() {
		return &m.turns[n-1]
	}
	return nil
}

func (m *model) running() *modelTurn {
	if a := m.active(); a != nil && a.status != store.TurnQueued {
		return a
	}
	return nil
}

func (a *modelTurn) follow() {
	a.status = store.TurnInProgress
	for _, state := range a.calls {
		if state == store.CallOpen {
			a.status = store.TurnWaiting
		}
	}
}

func (a *modelTurn) end(status store.TurnStatus) {
	a.status = status
	for id, state := range a.calls {
		if state == store.CallOpen {
			a.calls[id] = store.CallWithdrawn
		}
	}
}

// pending lists the messages of the last Turn above the cursor.
func (m *model) pending() (list []int) {
	for i := m.applied; i < len(m.inputs); i++ {
		if m.inputs[i] == "message" && m.owner[i] == len(m.turns)-1 {
			list = append(list, i+1)
		}
	}
	return list
}

func (m *model) advance(seq int) {
	if seq <= m.applied {
		return
	}
	for m.applied = seq; m.applied < len(m.inputs) && m.inputs[m.applied] != "message"; m.applied++ {
	}
}

func (m *model) addInput(t *rapid.T) {
	kind := rapid.SampledFrom([]string{"message", "message", "cancel", "tool_result"}).Draw(t, "kind")
	key := rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "key")
	call := rapid.SampledFrom([]string{"c1", "c2", "c3"}).Draw(t, "call")
	input := store.Input{Kind: store.InputKind(kind), CallID: call, Payload: []byte(`{}`)}
	a := m.active()
	if a != nil {
		input.TurnID = a.id
	}
	b := batch(input)
	b.Key = key
	copy(b.Digest[:], kind)
	added, err := m.store.AddInputs(t.Context(), m.id, b, func(store.Added) store.Journal {
		return store.Journal{Events: []store.Event{event("", "input")}}
	})
	if earlier, used := m.keys[key]; key != "" && used {
		if earlier == kind && (err != nil || !added.Replayed) || earlier != kind && !errors.Is(err, store.ErrIdempotency) {
			t.Fatalf("key %s of a %s, now %s: got %+v (%v)", key, earlier, kind, added, err)
		}
		return
	}
	if kind == "tool_result" && (a == nil || a.calls[call] != store.CallOpen) {
		if !errors.Is(err, store.ErrConflict) {
			t.Fatalf("tool result: got %v, want ErrConflict", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	if key != "" {
		m.keys[key] = kind
	}
	m.events++
	m.take(kind, call, added)
}

func (m *model) take(kind, call string, added store.Added) {
	a := m.active()
	switch {
	case kind == "message" && a == nil:
		m.turns = append(m.turns, modelTurn{id: added.Created[0], status: store.TurnQueued, calls: map[string]store.CallState{}})
		a = m.active()
	case kind == "tool_result":
		a.calls[call] = store.CallAnswered
		a.follow()
	}
	m.inputs = append(m.inputs, kind)
	owner := -1
	if a != nil {
		owner = len(m.turns) - 1
	}
	m.owner = append(m.owner, owner)
	if kind == "cancel" && a != nil && !a.cancel {
		a.cancel = true
		if a.status == store.TurnQueued {
			a.status = store.TurnCancelled
		}
	}
}

func (m *model) claim(t *rapid.T) {
	if len(m.turns) == 0 {
		return
	}
	last := &m.turns[len(m.turns)-1]
	_, err := m.store.ClaimTurn(t.Context(), last.id, store.Attempt{RunID: "run", At: moment()}, nil)
	if last.status != store.TurnQueued {
		if !errors.Is(err, store.ErrChanged) {
			t.Fatalf("claim of %s: got %v, want ErrChanged", last.status, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	last.status = store.TurnInProgress
}

func (m *model) call(t *rapid.T) {
	a := m.running()
	if a == nil {
		return
	}
	id := rapid.SampledFrom([]string{"c1", "c2", "c3"}).Draw(t, "call")
	state, known := a.calls[id]
	var err, want error
	var to store.CallState
	switch step := rapid.SampledFrom([]string{"open", "apply", "withdraw"}).Draw(t, "step"); step {
	case "open":
		to = store.CallOpen
		if known {
			want = store.ErrConflict
		}
		_, err = m.store.OpenCall(t.Context(), store.Call{TurnID: a.id, CallID: id, Created: moment()}, nil)
	case "apply":
		to = store.CallApplied
		if state != store.CallAnswered {
			want = store.ErrChanged
		}
		_, err = m.store.SettleCall(t.Context(), a.id, id, to, moment(), nil)
	case "withdraw":
		to = store.CallWithdrawn
		if state != store.CallOpen && state != store.CallAnswered {
			want = store.ErrChanged
		}
		_, err = m.store.WithdrawCall(t.Context(), a.id, id, moment(), nil)
	}
	if !known && to != store.CallOpen {
		want = store.ErrNotFound
	}
	if !errors.Is(err, want) {
		t.Fatalf("call %s from %q to %s: got %v, want %v", id, state, to, err, want)
	}
	if want == nil {
		a.calls[id] = to
		a.follow()
	}
}

func (m *model) consume(t *rapid.T) {
	a, pending := m.running(), m.pending()
	if a == nil || len(pending) == 0 {
		return
	}
	seq := rapid.SampledFrom(pending).Draw(t, "seq")
	m.advance(seq)
	if got, err := m.store.AdvanceApplied(t.Context(), a.id, int64(seq)); err != nil || got != int64(m.applied) {
		t.Fatalf("advance to %d: got %d (%v), want %d", seq, got, err, m.applied)
	}
}

func (m *model) settle(t *rapid.T) {
	a := m.active()
	if a == nil {
		return
	}
	end := store.Settlement{Status: rapid.SampledFrom([]store.TurnStatus{store.TurnCompleted, store.TurnFailed, store.TurnCancelled}).Draw(t, "status"), At: moment()}
	if end.Status == store.TurnFailed {
		end.ErrorCode = "engine_failed"
	}
	want := end.Status
	if want == store.TurnCompleted && len(m.pending()) > 0 {
		want = store.TurnFailed
	}
	got, err := m.store.SettleTurn(t.Context(), a.id, end, nil)
	if !a.status.Allows(end.Status) {
		if !errors.Is(err, store.ErrChanged) {
			t.Fatalf("%s to %s: got %v, want ErrChanged", a.status, end.Status, err)
		}
		return
	}
	if err != nil || got.Status != want {
		t.Fatalf("settle: got %s (%v), want %s", got.Status, err, want)
	}
	a.end(want)
}

// restart opens the file again: as a lab, which settles what it finds, or as a short command, which does not.
func (m *model) restart(t *rapid.T) {
	if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if m.store, err = store.Open(t.Context(), m.path); err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "lab") { // a short command settles nothing
		if _, err := m.store.Reconcile(t.Context(), moment(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if a := m.running(); a != nil {
			a.end(store.TurnFailed)
		}
	}
}

// check compares the store with the model.
func (m *model) check(t *rapid.T) {
	held, err := m.store.Session(t.Context(), m.id)
	if err != nil || held.Applied != int64(m.applied) || held.Turns != int64(len(m.turns)) || held.Events != int64(m.events) {
		t.Fatalf("session: got %+v (%v), want cursor %d, %d Turns, %d events", held, err, m.applied, len(m.turns), m.events)
	}
	list, _, err := m.store.Turns(t.Context(), m.id, store.Page{Limit: store.MaxPage, Oldest: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, turn := range list {
		want := m.turns[i]
		if turn.ID != want.id || turn.Status != want.status || !turn.Cancel.IsZero() != want.cancel {
			t.Fatalf("turn %d: got %+v, want %+v", i+1, turn, want)
		}
		calls, err := m.store.Calls(t.Context(), turn.ID)
		if err != nil || len(calls) != len(want.calls) {
			t.Fatalf("turn %d: got calls %+v (%v), want %v", i+1, calls, err, want.calls)
		}
		for _, call := range calls {
			if call.State != want.calls[call.CallID] {
				t.Fatalf("turn %d: got call %+v, want %v", i+1, call, want.calls)
			}
		}
	}
	if a := m.active(); a != nil {
		pending, err := m.store.PendingInputs(t.Context(), a.id, store.MaxPage)
		got := []int{}
		for _, in := range pending {
			got = append(got, int(in.Seq))
		}
		if err != nil || !slices.Equal(got, m.pending()) {
			t.Fatalf("pending: got %v (%v), want %v", got, err, m.pending())
		}
	}
	queued, err := m.store.NextQueued(t.Context(), store.Candidates{Limit: 9})
	a := m.active()
	if want := a != nil && a.status == store.TurnQueued; err != nil || (len(queued) == 1) != want {
		t.Fatalf("queued: got %+v (%v), want one: %t", queued, err, want)
	}
}

// behaviour 8.1, 8.2: whatever is asked in whatever order, also across restarts, the store is what the model says.
func TestStoreFollowsTheModel(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "parley.db")
	rapid.Check(t, func(t *rapid.T) {
		m := &model{path: path, keys: map[string]string{}}
		var err error
		if m.store, err = store.Open(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		defer func() { m.store.Close() }()
		made, err := m.store.CreateSession(t.Context(), aCreation(), nil)
		if err != nil {
			t.Fatal(err)
		}
		m.id = made.Session.ID
		t.Repeat(map[string]func(*rapid.T){
			"": m.check, "input": m.addInput, "claim": m.claim, "call": m.call, "consume": m.consume, "settle": m.settle, "restart": m.restart,
		})
		if _, err := m.store.AddInputs(t.Context(), m.id, batch(cancel()), nil); err != nil { // leaves nothing queued for the next
			t.Fatal(err)
		}
	})
}
