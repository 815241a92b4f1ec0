package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/backend/store"
)

// H10: a file of every released schema opens, with what was in it. Each testdata/schema-N.db holds the record of aRecord
// and the draft "draft" with the text "kept", from 2 on the device of aDevice and an executor credential enrolled as
// another, from 3 on an agent, an API key, and a Session with an Environment, a completed Turn and a queued one; a new
// schema adds its file.
func TestEveryReleasedSchemaOpens(t *testing.T) {
	t.Parallel()
	for version := 1; version <= store.SchemaVersion(); version++ {
		data, err := os.ReadFile(fmt.Sprintf("testdata/schema-%d.db", version))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "parley.db")
		overwrite(t, path, data)
		s := open(t, path)
		defer s.Close()
		want := aRecord(store.Run)
		latest, err := s.LatestRecord(t.Context(), store.Run)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Record(t.Context(), latest.ID)
		if err != nil || !bytes.Equal(got.Request, want.Request) || !bytes.Equal(got.Answer, want.Answer) || !got.At.Equal(want.At) {
			t.Errorf("schema %d: got record %+v (%v), want %+v", version, got, err, want)
		}
		if draft, err := s.Draft(t.Context(), "draft"); err != nil || string(draft.Body) != "kept" {
			t.Errorf("schema %d: got draft %q (%v), want kept", version, draft.Body, err)
		}
		if devices, err := s.Devices(t.Context()); err != nil || version >= 2 && !keptDevices(devices) {
			t.Errorf("schema %d: got devices %+v (%v), want both", version, devices, err)
		}
		if version >= 3 {
			keptSession(t, s)
		}
		if facts, err := store.Inspect(t.Context(), path, true); err != nil || facts.Schema != store.SchemaVersion() {
			t.Errorf("schema %d: after opening: got %+v (%v), want version %d", version, facts, err, store.SchemaVersion())
		}
	}
}

func keptDevices(list []store.Device) bool {
	return len(list) == 2 && list[0].Name == "bench" && list[0].Admits(digest("a")) && list[1].Binding == binding() && list[1].Admits(digest("b"))
}

func keptSession(t *testing.T, s *store.Store) {
	t.Helper()
	list, _, err := s.Sessions(t.Context(), "", store.Page{Limit: 9})
	if err != nil || len(list) != 1 || list[0].EnvironmentID == "" || list[0].NativeID != "native" || list[0].Applied != 2 || list[0].LastTurn != store.TurnQueued {
		t.Fatalf("got sessions %+v (%v), want the one with its Environment", list, err)
	}
	turns, _, err := s.Turns(t.Context(), list[0].ID, store.Page{Limit: 9, Oldest: true})
	if err != nil || len(turns) != 2 || turns[0].Status != store.TurnCompleted || string(turns[0].Outcome) != `{"done":{}}` {
		t.Fatalf("got turns %+v (%v), want a completed and a queued one", turns, err)
	}
	if pending, err := s.PendingInputs(t.Context(), turns[1].ID, 9); err != nil || len(pending) != 1 || string(pending[0].Payload) != `{"text":"again"}` {
		t.Errorf("got pending %+v (%v), want the second message", pending, err)
	}
	if calls, err := s.Calls(t.Context(), turns[0].ID); err != nil || len(calls) != 1 || calls[0].State != store.CallApplied {
		t.Errorf("got calls %+v (%v), want the applied one", calls, err)
	}
	if events := journal(t, s, list[0].ID); len(events) != 1 || events[0].Type != "delta" {
		t.Errorf("got events %+v, want one", events)
	}
	if items, _, err := s.Items(t.Context(), list[0].ID, store.Page{Limit: 9}); err != nil || len(items) != 1 {
		t.Errorf("got items %+v (%v), want one", items, err)
	}
	if writes, _, err := s.WriteIntents(t.Context(), list[0].EnvironmentID, store.Page{Limit: 9}); err != nil || len(writes) != 1 || writes[0].State != store.WriteUnknown {
		t.Errorf("got writes %+v (%v), want the unknown one", writes, err)
	}
	if k, err := s.APIKeyByDigest(t.Context(), digest("c")); err != nil || k.Name != "key" {
		t.Errorf("got key %+v (%v), want it", k, err)
	}
	if list, _, err := s.Agents(t.Context(), store.Page{Limit: 9}); err != nil || len(list) != 1 || string(list[0].Config) != `{"model":"m"}` {
		t.Errorf("got agents %+v (%v), want one", list, err)
	}
}
