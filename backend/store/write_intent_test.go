package store_test

import (
	"errors"
	"testing"

	"parley/backend/store"
)

func aWrite(environment string) store.WriteIntent {
	return store.WriteIntent{EnvironmentID: environment, Path: "a/b.txt", Size: 3, Digest: digest("c"), Created: moment()}
}

// behaviour 8.5: a write is kept before it is sent, one at a time; one that is unknown blocks for good.
func TestWritesOfAnEnvironmentAreOneAtATime(t *testing.T) {
	t.Parallel()
	s := opened(t)
	e, other := anEnvironment(t, s, ""), anEnvironment(t, s, "")
	for _, tt := range []struct {
		end  store.WriteState
		next error
	}{{store.WriteCompleted, nil}, {store.WriteRejected, nil}, {store.WriteUnknown, store.ErrBlocked}} {
		intent, err := s.ReserveWrite(t.Context(), aWrite(e.ID))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.ReserveWrite(t.Context(), aWrite(e.ID)); !errors.Is(err, store.ErrBlocked) {
			t.Errorf("beside a pending one: got %v, want ErrBlocked", err)
		}
		if settled, err := s.SettleWrite(t.Context(), intent.ID, tt.end, "code", moment()); err != nil || settled.State != tt.end || settled.SessionID != e.SessionID {
			t.Errorf("settle: got %+v (%v), want %s", settled, err, tt.end)
		}
		if _, err := s.SettleWrite(t.Context(), intent.ID, store.WriteCompleted, "", moment()); !errors.Is(err, store.ErrChanged) {
			t.Errorf("settle again: got %v, want ErrChanged", err)
		}
		next, err := s.ReserveWrite(t.Context(), aWrite(e.ID))
		if !errors.Is(err, tt.next) {
			t.Errorf("after %s: got %v, want %v", tt.end, err, tt.next)
		}
		if err == nil {
			if _, err := s.SettleWrite(t.Context(), next.ID, store.WriteCompleted, "", moment()); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := s.ReserveWrite(t.Context(), aWrite(other.ID)); err != nil {
		t.Errorf("another environment: got %v, want it reserved", err)
	}
	if list, more, err := s.WriteIntents(t.Context(), e.ID, store.Page{Limit: 2}); err != nil || !more || list[0].State != store.WriteUnknown || list[0].Code != "code" {
		t.Errorf("list: got %+v, more %t (%v), want the unknown one first", list, more, err)
	}
	for name, err := range map[string]error{
		"no environment": second(s.ReserveWrite(t.Context(), aWrite("nobody"))), "no write": second(s.SettleWrite(t.Context(), "nobody", store.WriteUnknown, "", moment())),
		"read": second(s.WriteIntent(t.Context(), "nobody")),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
}
