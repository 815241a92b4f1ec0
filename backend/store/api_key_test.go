package store_test

import (
	"errors"
	"testing"
	"time"

	"parley/backend/store"
)

// behaviour 8.6: a key is found by its digest until it is revoked, and one digest is one key's.
func TestAPIKeyLife(t *testing.T) {
	t.Parallel()
	s := opened(t)
	k, err := s.CreateAPIKey(t.Context(), store.APIKey{Name: " mine ", Digest: digest("a"), Created: moment()})
	if err != nil || k.Name != "mine" {
		t.Fatalf("got %+v (%v), want the name trimmed", k, err)
	}
	if got, err := s.APIKeyByDigest(t.Context(), digest("a")); err != nil || got != k || !got.Admits(digest("a")) || got.Admits(digest("b")) || got.Admits("") {
		t.Errorf("got %+v (%v), want %+v, which admits its digest alone", got, err, k)
	}
	for name, bad := range map[string]store.APIKey{"no name": {Digest: digest("b")}, "no digest": {Name: "x"}, "taken": {Name: "x", Digest: digest("a")}} {
		if _, err := s.CreateAPIKey(t.Context(), bad); !errors.Is(err, store.ErrUnfit) && !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	for _, tt := range []struct{ at, want int64 }{{0, 0}, {59_999, 0}, {60_000, 60_000}} {
		if err := s.TouchAPIKey(t.Context(), k.ID, moment().Add(time.Duration(tt.at)*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if list, err := s.APIKeys(t.Context()); err != nil || len(list) != 1 || list[0].LastUsed.Sub(moment()).Milliseconds() != tt.want {
			t.Errorf("used after %d ms: got %+v (%v), want %d", tt.at, list, err, tt.want)
		}
	}
	for range 2 {
		if err := s.RevokeAPIKey(t.Context(), k.ID, moment()); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.APIKeys(t.Context())
	if err != nil || len(list) != 1 || list[0].Digest != "" || list[0].Admits("") || !list[0].Revoked.Equal(moment()) {
		t.Errorf("revoked: got %+v (%v)", list, err)
	}
	for name, err := range map[string]error{"find": second(s.APIKeyByDigest(t.Context(), digest("a"))), "empty": second(s.APIKeyByDigest(t.Context(), "")),
		"revoke": s.RevokeAPIKey(t.Context(), "nobody", moment())} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
}
