package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/backend/server"
	"parley/backend/store"
)

// ux-anchors 5.2: addresses name the thing, latest is resolved once.
func TestPagesAnswerTheirAddresses(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for path, want := range map[string]int{"/runs/latest": 404, "/runs": 200, "/runner": 200, "/runner/unit": 200, "/runner/mine": 404,
		"/runner?from=none": 404, "/runs?before=x": 400, "/runner/UNIT": 404} {
		if got := h.call("GET", path, ""); got.status != want || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: got %d %s, want the page %d", path, got.status, got.header.Get("Content-Type"), want)
		}
	}
	id := h.call("POST", "/api/v1/lab/runner/validate", sample(t, "unit")).header.Get("Parley-Record")
	if got := h.call("GET", "/runs/latest", ""); got.status != http.StatusSeeOther || got.header.Get("Location") != "/runs/"+id {
		t.Errorf("latest: got %d to %q, want 303 to /runs/%s", got.status, got.header.Get("Location"), id)
	}
	if got := h.call("GET", "/", ""); got.status != http.StatusSeeOther || got.header.Get("Location") != "/runner" {
		t.Errorf("home: got %d to %q, want 303 to /runner", got.status, got.header.Get("Location"))
	}
	for _, path := range []string{"/runs/" + id, "/runs", "/runner?from=" + id} {
		if got := h.call("GET", path, ""); got.status != 200 || !strings.Contains(got.body, id) {
			t.Errorf("%s: got %d, want a page that names the record", path, got.status)
		}
	}
}

// The draft of an address goes before the sample behind it.
func TestRunnerPageShowsTheDraft(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for path, name := range map[string]string{"/runner": "draft", "/runner/unit": "unit", "/runner/mine": "mine"} {
		text := "canary-of-" + name
		if err := h.store.SaveDraft(t.Context(), store.Draft{Name: name, Body: []byte(text), Updated: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if got := h.call("GET", path, ""); got.status != 200 || !strings.Contains(got.body, text) {
			t.Errorf("%s: got %d, want a page with the draft", path, got.status)
		}
	}
}

// The history goes on with an address, and ends.
func TestHistoryGoesOn(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for range 51 {
		h.fileRecord(store.Record{Summary: store.Summary{Act: store.Validate, Verdict: "ready"}})
	}
	if got := h.call("GET", "/runs", ""); !strings.Contains(got.body, "/runs?before=2") {
		t.Error("the first page of 51 has no link to the next")
	}
	if got := h.call("GET", "/runs?before=2", ""); strings.Contains(got.body, "before=1\"") || got.status != 200 {
		t.Errorf("the last page: got %d or a link that goes on", got.status)
	}
}

// hostile-inputs U-1: what a document or a record holds is shown as text.
func TestPagesShowDataAsText(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	const hostile = `</textarea></script><script>alert(1)</script><img src=x onerror=alert(1)>`
	request := `{"versions":["` + hostile + `"]}`
	id := h.call("POST", "/api/v1/lab/runner/run", request).header.Get("Parley-Record")
	if err := h.store.SaveDraft(t.Context(), store.Draft{Name: "draft", Body: []byte(hostile)}); err != nil {
		t.Fatal(err)
	}
	h.fileRecord(store.Record{Summary: store.Summary{Act: store.Run, Verdict: hostile, Task: hostile}})
	for _, path := range []string{"/runner", "/runner?from=" + id, "/runs", "/runs/" + id, "/runs/" + hostile[:10]} {
		got := h.call("GET", strings.ReplaceAll(path, "<", "%3C"), "")
		if strings.Contains(got.body, "<script>alert") || strings.Contains(got.body, "<img src=x") {
			t.Errorf("%s: the page holds the data as markup", path)
		}
	}
}

// hostile-inputs U-2: no credential reaches a log, a page, an answer or the database.
func TestSecretsGoNowhere(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	token := tokenOf(t, h)
	set := h.call("GET", "/open?token="+token, "", "Authorization", "").header.Get("Set-Cookie")
	_, cookie, _ := strings.Cut(strings.Split(set, ";")[0], "=")
	secrets := []string{token, cookie, apiKey, sessionKey, "canary-bearer", "canary-query"}
	var seen strings.Builder
	for _, r := range server.Routes() {
		e := expectations()[r.Method+" "+r.Path]
		for _, credential := range []string{"Bearer " + apiKey, "Bearer canary-bearer"} {
			separator := "?"
			if strings.Contains(e.path, "?") {
				separator = "&"
			}
			headers := []string{"Authorization", credential, "X-Secret", "canary-bearer"}
			if r.Body > 0 {
				headers = append(headers, "Content-Type", r.Media)
			}
			seen.WriteString(h.call(r.Method, e.path+separator+"secret=canary-query", e.body, headers...).body)
		}
	}
	seen.WriteString(h.log.String())
	h.stop()
	seen.WriteString(readFile(t, h.store.Path()))
	for _, secret := range secrets {
		if strings.Contains(seen.String(), secret) {
			t.Errorf("secret %.12q… was told", secret)
		}
	}
	if !strings.Contains(h.log.String(), "path=/api/v1/lab/state") {
		t.Error("the log has no requests, so it proves nothing")
	}
}
