package server_test

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/backend/core"
	"parley/backend/server"
	"parley/backend/store"
	"parley/daemon/proto"
	"parley/frontend"
)

// agent keeps one and gives its id.
func (h *house) agent() string {
	h.t.Helper()
	agent, err := h.core.CreateAgent(h.t.Context(), []byte(`{"name":"harbour desk","model":"m-large","x_agents_core":{"harness":"scripted"}}`))
	if err != nil {
		h.t.Fatal(err)
	}
	return agent.ID
}

func note(members string) string { return `{"key":"key-of-the-act",` + members + `}` }

// begun starts a Session and gives its id.
func (h *house) begun(agent, key string) string {
	h.t.Helper()
	got := h.call("POST", "/api/v1/lab/sessions", `{"key":"`+key+`","agent":"`+agent+`","text":"which berth?"}`)
	_, id, found := strings.Cut(got.body, `"session":"`)
	id, _, _ = strings.Cut(id, `"`)
	if got.status != 201 || !found {
		h.t.Fatalf("begin a session: got %d %s", got.status, got.body)
	}
	return id
}

// behaviour 8.2: the same act under the same key is one; the same key for another act is refused.
func TestActsOnSessionsAreOne(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	agent := h.agent()
	id := h.begun(agent, "first-key")
	if again := h.begun(agent, "first-key"); again != id {
		t.Errorf("the same act again: got session %s, want %s", again, id)
	}
	path := "/api/v1/lab/sessions/" + id
	for range 2 {
		if got := h.call("POST", path+"/messages", note(`"text":"and the tide?"`)); got.status != 200 || !strings.Contains(got.body, `"turn":1`) {
			t.Errorf("message: got %d %s, want 200 and Turn 1", got.status, got.body)
		}
	}
	page := h.call("GET", "/sessions/"+id, "")
	if n := strings.Count(page.body, "and the tide?"); n != 1 {
		t.Errorf("page: got the message %d times, want once", n)
	}
	if got := h.call("POST", path+"/messages", note(`"text":"another"`)); got.status != 409 || !strings.Contains(got.body, "used for another") {
		t.Errorf("the key for another act: got %d %s, want 409", got.status, got.body)
	}
}

// behaviour 8.1: a cancel is about one Turn; a queued one is cancelled at once, one that has ended is not there.
func TestCancelIsAboutOneTurn(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id := h.begun(h.agent(), "first-key")
	view, err := h.core.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/lab/sessions/" + id + "/cancel"
	if got := h.call("POST", path, note(`"turn":"another"`)); got.status != 409 {
		t.Errorf("another Turn: got %d %s, want 409", got.status, got.body)
	}
	body := `{"key":"key-of-cancel","turn":"` + view.Last.ID + `"}`
	for range 2 {
		if got := h.call("POST", path, body); got.status != 200 {
			t.Errorf("cancel: got %d %s, want 200", got.status, got.body)
		}
	}
	page := h.call("GET", "/sessions/"+id, "")
	for _, part := range []string{"cancelled before it started", "asked ", "it had not started", "Message: begins Turn 2"} {
		if !strings.Contains(page.body, part) {
			t.Errorf("page after the cancel: got no %q in it", part)
		}
	}
}

// What cannot be taken is refused with what is wrong, and nothing is changed.
func TestActsOnSessionsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id := h.begun(h.agent(), "first-key")
	for name, tt := range map[string]struct {
		path, body string
		status     int
		part       string
	}{
		"no key":          {id + "/messages", `{"text":"x"}`, 400, "key: expected"},
		"short key":       {id + "/messages", `{"key":"k","text":"x"}`, 400, "key: expected"},
		"unknown member":  {id + "/messages", note(`"texts":"x"`), 400, "texts"},
		"member twice":    {id + "/messages", note(`"text":"x","text":"y"`), 400, "twice"},
		"no JSON":         {id + "/messages", "x", 400, "no JSON"},
		"empty text":      {id + "/messages", note(`"text":""`), 400, "content"},
		"unknown session": {"none/messages", note(`"text":"x"`), 404, "not_found"},
		"no open call":    {id + "/answers", note(`"turn":"t","call":"c","success":true,"text":"x"`), 409, "not open"},
		"no call":         {id + "/answers", note(`"text":"x"`), 400, "call_id"},
		"cancel of none":  {"none/cancel", note(`"turn":"t"`), 404, "not_found"},
	} {
		got := h.call("POST", "/api/v1/lab/sessions/"+tt.path, tt.body)
		if got.status != tt.status || !strings.Contains(got.body, tt.part) {
			t.Errorf("%s: got %d %s, want %d with %q", name, got.status, got.body, tt.status, tt.part)
		}
	}
	if got := h.call("POST", "/api/v1/lab/sessions", note(`"agent":"none","text":"x"`)); got.status != 404 {
		t.Errorf("unknown agent: got %d %s, want 404", got.status, got.body)
	}
	if view, err := h.core.Session(t.Context(), id); err != nil || view.Session.Turns != 1 {
		t.Errorf("session afterwards: got %d Turns (%v), want 1", view.Session.Turns, err)
	}
}

// ux-anchors V4: a page is told the last event at once, and each change after it; the stream ends with the Session.
func TestLiveTellsChanges(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id := h.begun(h.agent(), "first-key")
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.url+"/api/v1/lab/sessions/"+id+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+apiKey)
	response, err := h.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Fatalf("got %d %s, want an event stream", response.StatusCode, got)
	}
	lines := bufio.NewScanner(response.Body)
	next := func() string {
		t.Helper()
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		return "(end)"
	}
	view, err := h.core.Session(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if event, data := next(), next(); event != "event: changed" || data != `data: {"seq":`+strconv.FormatInt(view.Events, 10)+`}` {
		t.Errorf("first event: got %s %s, want changed with seq %d", event, data, view.Events)
	}
	if got := h.call("POST", "/api/v1/lab/sessions/"+id+"/cancel", note(`"turn":"`+view.Last.ID+`"`)); got.status != 200 {
		t.Fatalf("cancel: got %d %s", got.status, got.body)
	}
	if event, data := next(), next(); event != "event: changed" || data == `data: {"seq":`+strconv.FormatInt(view.Events, 10)+`}` {
		t.Errorf("second event: got %s %s, want changed with a later seq", event, data)
	}
	if err := h.core.DeleteSession(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for line := next(); line != "event: gone"; line = next() {
		if line == "(end)" {
			t.Fatal("a deleted session: got the end, want it told first")
		}
	}
}

// The list, one Session and its live part tell what is stored; what is not there is 404.
func TestSessionsPages(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	if got := h.call("GET", "/sessions", ""); got.status != 200 || !strings.Contains(got.body, "No Session yet") || !strings.Contains(got.body, "POST /v1/agents") {
		t.Errorf("empty list: got %d, want it to say how a Session begins", got.status)
	}
	agent := h.agent()
	id := h.begun(agent, "first-key")
	for path, want := range map[string]struct {
		status int
		parts  []string
	}{
		"/sessions":                                     {200, []string{"harbour desk", "In progress", `href="/sessions/` + id, "(scripted)", `value="` + agent}},
		"/sessions?after=none":                          {404, nil},
		"/sessions/" + id:                               {200, []string{"which berth?", "Turn 1 is queued", "m-large", "usage unknown", "Add to Turn 1", "Cancel Turn 1", `data-latest`}},
		"/sessions/none":                                {404, nil},
		"/sessions/" + id + "?turn=none":                {404, nil},
		"/api/v1/lab/sessions/" + id + "/screen":        {200, []string{`id="turn-1"`, `id="composer"`, `id="session-side"`, `id="head-state"`}},
		"/api/v1/lab/sessions/" + id + "/screen?from=2": {200, []string{`id="composer"`}},
		"/api/v1/lab/sessions/" + id + "/screen?from=x": {400, nil},
		"/api/v1/lab/sessions/none/screen":              {404, nil},
		"/api/v1/lab/sessions/none/live":                {404, nil},
	} {
		got := h.call("GET", path, "")
		if got.status != want.status {
			t.Errorf("%s: got %d %.200s, want %d", path, got.status, got.body, want.status)
		}
		for _, part := range want.parts {
			if !strings.Contains(got.body, part) {
				t.Errorf("%s: got a page without %q", path, part)
			}
		}
	}
	if got := h.call("GET", "/api/v1/lab/sessions/"+id+"/screen?from=2", ""); strings.Contains(got.body, `id="turn-1"`) {
		t.Error("screen from Turn 2: got Turn 1 in it")
	}
}

// U1: a link to a Turn that is not among the newest shows that one and those before it.
func TestLinkToAnEarlierTurn(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id := h.begun(h.agent(), "first-key")
	var first string
	for n := range 25 {
		view, err := h.core.Session(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = view.Last.ID
		}
		for _, input := range []core.InputEvent{{Kind: store.InputCancel}, {Kind: store.InputMessage, Message: proto.TextInput("again")}} {
			if _, err := h.core.AddInputs(t.Context(), id, "", [32]byte{}, []core.InputEvent{input}); err != nil {
				t.Fatal(err)
			}
		}
	}
	newest := h.call("GET", "/sessions/"+id, "").body
	_, link, _ := strings.Cut(newest, `href="/sessions/`+id+`?turn=`)
	link, _, _ = strings.Cut(link, `"`)
	if !strings.Contains(newest, `id="turn-26"`) || strings.Contains(newest, `id="turn-6"`) {
		t.Error("newest: want Turns 7 to 26")
	}
	earlier := h.call("GET", "/sessions/"+id+"?turn="+link, "").body
	if !strings.Contains(earlier, `id="turn-6"`) || !strings.Contains(earlier, `id="turn-1"`) || strings.Contains(earlier, `id="turn-7"`) || !strings.Contains(earlier, "Newest Turns") {
		t.Error("earlier: want Turns 1 to 6 and a way back")
	}
	if got := h.call("GET", "/sessions/"+id+"?turn="+first, "").body; !strings.Contains(got, `id="turn-1"`) || strings.Contains(got, `id="turn-2"`) || !strings.Contains(got, "Steer Turn 26") && !strings.Contains(got, "Add to Turn 26") {
		t.Error("first: want Turn 1 alone, and the box for Turn 26")
	}
	other := h.begun(h.agent(), "other-key")
	if got := h.call("GET", "/sessions/"+other+"?turn="+first, ""); got.status != 404 {
		t.Errorf("a Turn of another Session: got %d, want 404", got.status)
	}
}

// Without the durable Core, and beyond this machine, nothing of Sessions is there.
func TestPagesWithoutSessions(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Sessions = nil })
	for _, path := range []string{"/sessions", "/sessions/none", "/api/v1/lab/sessions/none/live", "/api/v1/lab/sessions/none/screen"} {
		if got := h.call("GET", path, ""); got.status != 404 {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
	}
	if got := h.call("GET", "/runs", ""); got.status != 200 || strings.Contains(got.body, "Sessions") {
		t.Errorf("history: got %d, want it without a word of Sessions", got.status)
	}
}

// hostile-inputs U-1: what an agent, a message or a Turn says is shown as text.
func TestScriptInASessionStaysText(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	const canary = `<script>owned()</script>`
	agent, err := h.core.CreateAgent(t.Context(), []byte(`{"name":"`+canary+`","description":"\"><b>","model":"`+canary+`","x_agents_core":{"harness":"scripted"}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := h.call("POST", "/api/v1/lab/sessions", note(`"agent":"`+agent.ID+`","text":"`+canary+`"`))
	_, id, _ := strings.Cut(got.body, `"session":"`)
	id, _, _ = strings.Cut(id, `"`)
	for _, path := range []string{"/sessions", "/sessions/" + id, "/api/v1/lab/sessions/" + id + "/screen"} {
		got := h.call("GET", path, "")
		if got.status != 200 || strings.Contains(got.body, canary) || strings.Contains(got.body, `"><b>`) || !strings.Contains(got.body, "&lt;script&gt;") {
			t.Errorf("%s: got %d, want the canary as text", path, got.status)
		}
	}
}

// A stream does not keep a stop waiting.
func TestStopEndsLive(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id := h.begun(h.agent(), "first-key")
	c := h.dial()
	defer c.Close()
	if _, err := c.Write([]byte(request("GET", "/api/v1/lab/sessions/"+id+"/live", h.addr, "", "Authorization: Bearer "+apiKey))); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("got %q (%v), want 200", line, err)
	}
	started := time.Now()
	h.stop()
	if waited := time.Since(started); waited > 3*time.Second {
		t.Errorf("stop: took %s, want it at once", waited)
	}
}

// behaviour 8.5: each code that Core gives a failed Turn has a sentence of its own on the page.
func TestEveryTurnCodeHasItsSentence(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, code := range []string{core.CodeInterrupted, core.CodeUnavailable, core.CodeModelProviderRequired, core.CodeDisconnected, core.CodePreparationEnded,
		core.CodeStartFailed, core.CodeRecoveryFailed, core.CodeDeliveryUnknown, core.CodeStreamIncomplete, core.CodeEngineFailed, core.CodeInvalidResult,
		core.CodeCancelUnconfirmed, core.CodeCancelOutcome, core.CodeInputPrefix + "rejected", core.CodeInputUnknown, core.CodeInvalidInput, core.CodeInputUnsupported,
		core.CodeInputNotApplied, core.CodeCallInvalid, core.CodeResultInvalid, core.CodeResultUnconfirmed, core.CodeNotSupported, core.CodePersistence,
		core.CodeStateUnavailable, core.CodeStateChanged} {
		var page strings.Builder
		turn := frontend.TurnView{ID: "t", Number: 1, Status: frontend.TurnFailed, Code: code}
		view := frontend.SessionView{ID: "s", State: frontend.SessionFailed, Turns: []frontend.TurnView{turn}, Last: &turn}
		if err := frontend.SessionPage(view).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		_, sentence, _ := strings.Cut(page.String(), `<span class="says">Turn 1 failed. `)
		sentence, _, _ = strings.Cut(sentence, "</span>")
		if other, twice := seen[sentence]; twice || sentence == "" || strings.HasPrefix(sentence, "The Turn failed.") {
			t.Errorf("%s: got %q, as %q has; want a sentence of its own", code, sentence, other)
		}
		seen[sentence] = code
	}
}
