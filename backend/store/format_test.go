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
// another; a new schema adds its file.
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
		if facts, err := store.Inspect(t.Context(), path, true); err != nil || facts.Schema != store.SchemaVersion() {
			t.Errorf("schema %d: after opening: got %+v (%v), want version %d", version, facts, err, store.SchemaVersion())
		}
	}
}

func keptDevices(list []store.Device) bool {
	return len(list) == 2 && list[0].Name == "bench" && list[0].Admits(digest("a")) && list[1].Binding == binding() && list[1].Admits(digest("b"))
}
