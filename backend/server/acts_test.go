package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/backend/server"
	"parley/backend/store"
	"parley/runner"
	"parley/runner/admission"
)

// An act on the page does what the contract's route does and files the exact bytes of both sides.
func TestActsFileTheExactBytes(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	unit := sample(t, "unit")
	for _, tt := range []struct {
		act, body string
		answer    string // "" is not compared: a run's durations differ
		verdict   string
		exit      int
		task      string
	}{
		{"negotiate", unit, string(runner.Encode(admission.Negotiate([]byte(unit)))), "compatible", 0, ""},
		{"negotiate", "{\"a\": 1}\xff", string(runner.Encode(admission.Negotiate([]byte("{\"a\": 1}\xff")))), "invalid_request", 6, ""},
		{"validate", unit, string(runner.Encode(admission.Validate([]byte(unit)))), "ready", 0, "berth-7"},
		{"run", unit, "", "success", 0, "berth-7"},
		{"run", sample(t, "paid"), "", "unsupported_capability", 5, "berth-7"},
		{"run", "", "", "invalid_input", 6, ""},
	} {
		got := h.call("POST", "/api/v1/lab/runner/"+tt.act, tt.body, "Content-Type", "application/json")
		id := got.header.Get("Parley-Record")
		if got.status != http.StatusOK || id == "" || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, id) {
			t.Fatalf("%s: got %d, record %q, %s, want a report that names its record", tt.act, got.status, id, got.header.Get("Content-Type"))
		}
		r, err := h.store.Record(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Request) != tt.body || tt.answer != "" && string(r.Answer) != tt.answer {
			t.Errorf("%s: stored request %.60q and answer %.60q, want %.60q and %.60q", tt.act, r.Request, r.Answer, tt.body, tt.answer)
		}
		if string(r.Act) != tt.act || r.Verdict != tt.verdict || r.ExitCode != tt.exit || r.Task != tt.task {
			t.Errorf("%s: got facts %+v, want %s, exit %d, task %q", tt.act, r.Summary, tt.verdict, tt.exit, tt.task)
		}
		if (r.Receipt != nil) != (tt.act == "run") {
			t.Errorf("%s: receipt stored: %t, want only behind a run", tt.act, r.Receipt != nil)
		}
		for part, want := range map[string][]byte{"request": r.Request, "answer": r.Answer, "receipt": r.Receipt} {
			file := h.call("GET", "/api/v1/lab/records/"+id+"/"+part, "")
			if want == nil {
				if file.status != http.StatusNotFound {
					t.Errorf("%s %s: got %d, want 404", tt.act, part, file.status)
				}
				continue
			}
			if file.body != string(want) || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment;") {
				t.Errorf("%s %s: got %.60q as %q, want the stored bytes as attachment", tt.act, part, file.body, file.header.Get("Content-Disposition"))
			}
		}
	}
}

// The contract's routes store nothing.
func TestContractRoutesStoreNothing(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, path := range []string{"negotiate", "validate", "run"} {
		h.call("POST", "/api/v1/runner/"+path, sample(t, "unit"))
	}
	if list, err := h.store.Records(t.Context(), 0, 10); err != nil || len(list) != 0 {
		t.Errorf("got %d records (%v), want none", len(list), err)
	}
}

// An act that the page cancels by its name ends as cancelled and is filed as such.
func TestCancelEndsARunningAct(t *testing.T) {
	t.Parallel()
	p := newPatient()
	h := openHouse(t, withPatience(p))
	c := h.dial()
	defer c.Close()
	io.WriteString(c, request("POST", "/api/v1/lab/runner/run", h.addr, "{}", "Content-Type: application/json",
		"Authorization: Bearer "+apiKey, "Parley-Act: act-1"))
	p.wait(t, "begin")
	if got := h.call("POST", "/api/v1/lab/runner/run", "{}", "Parley-Act", "act-1"); got.status != http.StatusConflict {
		t.Errorf("same name again: got %d, want 409", got.status)
	}
	if got := h.call("DELETE", "/api/v1/lab/runner/acts/act-2", ""); got.status != http.StatusNotFound {
		t.Errorf("cancel another: got %d, want 404", got.status)
	}
	if got := h.call("DELETE", "/api/v1/lab/runner/acts/act-1", ""); got.status != http.StatusNoContent {
		t.Errorf("cancel: got %d, want 204", got.status)
	}
	got := h.answerOn(c)
	record, err := h.store.Record(t.Context(), got.header.Get("Parley-Record"))
	if err != nil || record.Verdict != "cancelled" || record.ExitCode != runner.ExitCancelled {
		t.Errorf("got record %+v (%v), want cancelled, exit 3", record.Summary, err)
	}
	if got := h.call("DELETE", "/api/v1/lab/runner/acts/act-1", ""); got.status != http.StatusNotFound {
		t.Errorf("cancel after the end: got %d, want 404", got.status)
	}
}

func TestActNameIsChecked(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, name := range []string{"a b", "a/b", strings.Repeat("a", 65), "<x>"} {
		if got := h.call("POST", "/api/v1/lab/runner/validate", "{}", "Parley-Act", name); got.status != http.StatusBadRequest {
			t.Errorf("%q: got %d, want 400", name, got.status)
		}
	}
}

// A page that is closed during a run: the run is cancelled, and what happened is filed all the same.
func TestActOfAClosedPageIsFiled(t *testing.T) {
	t.Parallel()
	p := newPatient()
	h := openHouse(t, withPatience(p))
	c := h.dial()
	io.WriteString(c, request("POST", "/api/v1/lab/runner/run", h.addr, "{}", "Content-Type: application/json", "Authorization: Bearer "+apiKey))
	p.wait(t, "begin")
	c.Close()
	p.wait(t, "end")
	h.face.Stop(t.Context()) // waits for the handler
	list, err := h.store.Records(t.Context(), 0, 10)
	if err != nil || len(list) != 1 || list[0].Verdict != "cancelled" {
		t.Errorf("got %+v (%v), want one cancelled record", list, err)
	}
}

// full is a store whose disk is full.
type full struct{ server.Store }

func (full) FileRecord(context.Context, store.Record) (store.Summary, error) {
	return store.Summary{}, fmt.Errorf("file record: %w", store.ErrFull)
}

// An answer that cannot be stored is shown all the same, and says so.
func TestUnstoredReportSaysSo(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Store = full{o.Store} })
	got := h.call("POST", "/api/v1/lab/runner/validate", sample(t, "unit"))
	if got.status != http.StatusOK || got.header.Get("Parley-Record") != "" || !strings.Contains(got.body, "The disk is full.") {
		t.Errorf("got %d, record %q, %.300s, want a report that says why it is not stored", got.status, got.header.Get("Parley-Record"), got.body)
	}
	if !strings.Contains(h.log.String(), "record was not filed") {
		t.Error("the log does not say it")
	}
}

func TestInspectSaysWhatTheEditorMarks(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	got := h.call("POST", "/api/v1/lab/runner/inspect", sample(t, "unit"))
	for _, part := range []string{`"shape":"complete"`, `"mode":"mock"`, `"paid":false`, `"findings":[]`, `"task":"berth-7"`} {
		if !strings.Contains(got.body, part) {
			t.Errorf("got %s, want %s", got.body, part)
		}
	}
	if got := h.call("POST", "/api/v1/lab/runner/inspect", `{"versions":1}`); !strings.Contains(got.body, `"path":"/versions"`) {
		t.Errorf("got %s, want a finding at /versions", got.body)
	}
	if list, err := h.store.Records(t.Context(), 0, 1); err != nil || len(list) != 0 {
		t.Errorf("inspecting left %d records (%v), want none", len(list), err)
	}
}

var errBroken = errors.New("broken in a private place")

// broken is a store that fails in a way nobody foresaw.
type broken struct{ server.Store }

func (broken) Record(context.Context, string) (store.Record, error) { return store.Record{}, errBroken }

// H13, H14: an unforeseen cause is in the log, once, and not in the answer.
func TestUnforeseenCauseStaysInTheLog(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Store = broken{o.Store} })
	for _, path := range []string{"/api/v1/lab/records/x/export", "/runs/x"} {
		got := h.call("GET", path, "")
		if got.status != http.StatusInternalServerError || strings.Contains(got.body, "private place") || !strings.Contains(got.body, "internal") {
			t.Errorf("%s: got %d %.200s, want 500 internal without the cause", path, got.status, got.body)
		}
	}
	if n := strings.Count(h.log.String(), "private place"); n != 2 {
		t.Errorf("the cause is in the log %d times for 2 failures", n)
	}
}
