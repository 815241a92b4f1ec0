package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/backend/store"
)

func (h *house) fileRecord(r store.Record) string {
	h.t.Helper()
	filed, err := h.store.FileRecord(h.t.Context(), r)
	if err != nil {
		h.t.Fatal(err)
	}
	return filed.ID
}

func TestRecordListIsPagedByKey(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for range 5 {
		h.fileRecord(store.Record{Summary: store.Summary{Act: store.Validate, Verdict: "ready"}})
	}
	for query, want := range map[string]string{
		"": "[5 4 3 2 1] 0", "?limit=2": "[5 4] 4", "?limit=2&before=4": "[3 2] 2", "?before=2": "[1] 0", "?limit=5": "[5 4 3 2 1] 0",
		"?limit=0": "[5] 5", "?limit=100000&other=x": "[5 4 3 2 1] 0",
	} {
		var page struct {
			Records []struct{ Seq int64 }
			Before  int64
		}
		got := h.call("GET", "/api/v1/lab/records"+query, "")
		if err := json.Unmarshal([]byte(got.body), &page); err != nil {
			t.Fatal(err)
		}
		seqs := []int64{}
		for _, r := range page.Records {
			seqs = append(seqs, r.Seq)
		}
		if text := fmt.Sprint(seqs, page.Before); text != want {
			t.Errorf("%q: got %s, want %s", query, text, want)
		}
	}
	for _, query := range []string{"?before=x", "?limit=-1", "?limit=1e3", "?before=99999999999999999999"} {
		if got := h.call("GET", "/api/v1/lab/records"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%q: got %d, want 400", query, got.status)
		}
	}
}

// H16: the export holds the stored JSON as it is, what is not JSON as text or base64, and digests of the stored bytes.
func TestExportHoldsWhatIsStored(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, tt := range []struct{ request, form, want string }{
		{"{ \"b\" : 1.50, \"a\":\"<\\u00e9>\" }\n", `"json":{ "b" : 1.50, "a":"<\u00e9>" }`, ""},
		{"{\"a\":1,\"a\":2}", "", `{"a":1,"a":2}`}, // a repeated key is not exportable as JSON
		{"not </script> JSON", "", "not </script> JSON"},
		{"\xff\x00", `"base64":"/wA="`, ""},
		{"", `"text":""`, ""},
	} {
		id := h.fileRecord(store.Record{Summary: store.Summary{Act: store.Negotiate, Verdict: "invalid_request"},
			Request: []byte(tt.request), Answer: []byte("{}\n")})
		got := h.call("GET", "/api/v1/lab/records/"+id+"/export", "")
		var doc struct {
			Kind    string
			ID      string
			Request struct {
				SHA256 string
				Bytes  int
				Text   string
			}
			Receipt *struct{}
		}
		if err := json.Unmarshal([]byte(got.body), &doc); err != nil {
			t.Fatalf("%q: export is not JSON: %v", tt.request, err)
		}
		sum := sha256.Sum256([]byte(tt.request))
		if doc.Kind != "parley.runner-record" || doc.ID != id || doc.Request.SHA256 != hex.EncodeToString(sum[:]) ||
			doc.Request.Bytes != len(tt.request) || doc.Receipt != nil {
			t.Errorf("%q: got %s", tt.request, got.body)
		}
		if !strings.Contains(got.body, tt.form) || doc.Request.Text != tt.want {
			t.Errorf("%q: got %s, want %s %s", tt.request, got.body, tt.form, tt.want)
		}
	}
}

func TestDraftsKeepTheExactText(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	const path, text = "/api/v1/lab/drafts/my-draft", "{\r\n\t\"é\x00\""
	if got := h.call("PUT", path, text, "Content-Type", "text/plain; charset=utf-8"); got.status != http.StatusNoContent {
		t.Fatalf("save: got %d %s, want 204", got.status, got.body)
	}
	if got := h.call("GET", path, ""); got.body != text || !strings.HasPrefix(got.header.Get("Content-Type"), "text/plain") {
		t.Errorf("read: got %q as %s, want %q", got.body, got.header.Get("Content-Type"), text)
	}
	if got := h.call("DELETE", path, ""); got.status != http.StatusNoContent {
		t.Errorf("delete: got %d, want 204", got.status)
	}
	if got := h.call("GET", path, ""); got.status != http.StatusNotFound {
		t.Errorf("after deletion: got %d, want 404", got.status)
	}
	for _, name := range []string{"-a", "A", "a_b", "a.b", strings.Repeat("a", 65), "%2e%2e", "a%2Fb"} {
		if got := h.call("PUT", "/api/v1/lab/drafts/"+name, "x", "Content-Type", "text/plain"); got.status != http.StatusBadRequest {
			t.Errorf("name %q: got %d, want 400", name, got.status)
		}
	}
}

func TestReadyPagesAreCountedAndLogged(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for range 2 {
		if got := h.call("POST", "/api/v1/lab/ready", `{"screen":"runner","theme":"dark"}`); got.status != http.StatusNoContent {
			t.Fatalf("got %d, want 204", got.status)
		}
	}
	if !strings.Contains(h.log.String(), `msg="page ready" screen=runner theme=dark`) {
		t.Errorf("log lacks the page:\n%s", h.log)
	}
	got := h.call("GET", "/api/v1/lab/state", "")
	for _, part := range []string{`"version":"1.2.3"`, `"data":"` + canaryPath + `"`, `"ready":{"runner":2}`, `"started_at":"`} {
		if !strings.Contains(got.body, part) {
			t.Errorf("state %s lacks %s", got.body, part)
		}
	}
	for _, body := range []string{`{"screen":"other"}`, `{"screen":"runner","theme":"x\ny"}`, `[`, `{}`} {
		if got := h.call("POST", "/api/v1/lab/ready", body); got.status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", body, got.status)
		}
	}
}

func TestSchemasAndHealthNeedNothing(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	index := h.call("GET", "/schemas/", "", "Authorization", "")
	var list struct {
		Schemas []struct{ Name, Title, Path string }
	}
	if err := json.Unmarshal([]byte(index.body), &list); err != nil || len(list.Schemas) != 6 {
		t.Fatalf("got %s (%v), want six schemas", index.body, err)
	}
	for _, s := range list.Schemas {
		if got := h.call("GET", s.Path, "", "Authorization", ""); got.status != 200 || !json.Valid([]byte(got.body)) {
			t.Errorf("%s: got %d %.60s, want a schema", s.Path, got.status, got.body)
		}
	}
	for _, path := range []string{"/schemas/none.schema.json", "/schemas/runner-request-1.0", "/schemas/..%2Fdoc.go"} {
		if got := h.call("GET", path, ""); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
	}
	health := h.call("GET", "/healthz", "", "Authorization", "")
	if health.status != 200 || health.body != "{\"status\":\"ok\",\"program\":\"parley\"}\n" {
		t.Errorf("got %d %q", health.status, health.body)
	}
}
