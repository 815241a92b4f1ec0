package main_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// began begins a Session with a script and gives its id.
func began(t *testing.T, folder, script string) string {
	t.Helper()
	var session struct{ ID string }
	if err := json.Unmarshal([]byte(done(t, "session", "new", "--script", script, "--message", "ahoy", "--json", "--data", folder)), &session); err != nil {
		t.Fatal(err)
	}
	return session.ID
}

// behaviour 8.6: a whole conversation on the command line, against a lab that runs.
func TestSessionCommands(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	serve(t, folder)
	if got := done(t, "session", "list", "--data", folder); !strings.Contains(got, "No Session yet") {
		t.Errorf("got %q", got)
	}
	id := began(t, folder, "function")
	tail := done(t, "session", "tail", id, "--until-idle", "--data", folder)
	for _, want := range []string{"   1  session.created\n", `"ahoy"`, "function_call lookup", "session.requires_action\n"} {
		if !strings.Contains(tail, want) {
			t.Errorf("tail: got %q, want %q in it", tail, want)
		}
	}
	var shown struct {
		Required []struct {
			CallID string `json:"call_id"`
		} `json:"required_actions"`
	}
	if err := json.Unmarshal([]byte(done(t, "session", "show", id, "--json", "--data", folder)), &shown); err != nil || len(shown.Required) != 1 {
		t.Fatalf("got %+v (%v), want one call", shown, err)
	}
	call := shown.Required[0].CallID
	if got := done(t, "session", "show", id, "--data", folder); !strings.Contains(got, "parley session answer "+id+" "+call+" TEXT") {
		t.Errorf("got %q, want how to answer", got)
	}
	if got := execute(t, "session", "answer", id, "other", "x", "--data", folder); got.code != 1 || !strings.Contains(got.stderr, "it waits for "+call) {
		t.Errorf("got exit %d and %q, want 1 and the open call", got.code, got.stderr)
	}
	done(t, "session", "answer", id, call, "no such berth", "--failed", "--data", folder)
	tail = done(t, "session", "tail", id, "--until-idle", "--json", "--after", "7", "--data", folder)
	var last struct {
		ID    int64
		Event string
		Data  map[string]any
	}
	for line := range strings.Lines(tail) {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
	}
	if last.Event != "agent.session.idle" || last.Data["session_id"] != id || !strings.HasPrefix(tail, `{"id":8,`) || !strings.Contains(tail, "no such berth") {
		t.Errorf("got %q, want the events from 8 to idle", tail)
	}
	if got := done(t, "session", "send", id, "again", "--json", "--data", folder); object(t, got)["taken"] != true {
		t.Errorf("got %q", got)
	}
	tail = done(t, "session", "tail", id, "--until-idle", "--data", folder)
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	asked, _, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), " ")
	done(t, "session", "cancel", id, "--data", folder)
	if tail = done(t, "session", "tail", id, "--until-idle", "--after", asked, "--data", folder); !strings.Contains(tail, "turn.cancelled") {
		t.Errorf("got %q, want the cancelled Turn", tail)
	}
	if got := done(t, "session", "list", "--data", folder); !strings.Contains(got, id+"  function  idle") {
		t.Errorf("got %q, want the Session", got)
	}
	for _, args := range [][]string{
		{"session", "show", "none"}, {"session", "send", "none", "x"}, {"session", "tail", "none"}, {"session", "new", "--agent", "none", "--message", "x"},
	} {
		if got := execute(t, append(args, "--data", folder)...); got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "(not_found)") {
			t.Errorf("%q: got exit %d, %q and %q, want 1 and not_found", args, got.code, got.stdout, got.stderr)
		}
	}
}

// object reads a JSON object.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("got %q: %v", text, err)
	}
	return got
}

func TestSessionCommandLines(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{
		{"new"}, {"new", "--agent", "a", "--script", "hello"}, {"new", "--agent", "a"}, {"new", "--script", "nothing"}, {"show"}, {"send", "x"},
		{"cancel"}, {"answer", "x", "y"}, {"tail"}, {"tail", "x", "--live", "--after", "3"}, {"list", "x"}, {"nothing"},
	} {
		got := execute(t, append([]string{"session"}, args...)...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "--help") {
			t.Errorf("%q: got exit %d and %q, want 2 and where help is", args, got.code, got.stderr)
		}
	}
	for _, args := range [][]string{{"new", "--script", "hello"}, {"list"}, {"show", "x"}, {"send", "x", "y"}, {"cancel", "x"}, {"answer", "x", "y", "z"}, {"tail", "x"}} {
		got := execute(t, append(append([]string{"session"}, args...), "--data", folder)...)
		if got.code != 1 || !strings.Contains(got.stderr, "no lab runs on this data folder") {
			t.Errorf("%q: got exit %d and %q, want 1 and what to do", args, got.code, got.stderr)
		}
	}
	for _, args := range [][]string{{}, {"new"}, {"list"}, {"show"}, {"send"}, {"cancel"}, {"answer"}, {"tail"}} {
		if got := execute(t, append([]string{"help", "session"}, args...)...); got.code != 0 || !strings.Contains(got.stdout, "Examples:") {
			t.Errorf("help %q: got exit %d, want help with examples", args, got.code)
		}
	}
}

// A key made beside a lab that runs is valid at once, and after its revocation no more.
func TestCoreKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := serve(t, folder)
	key := members(t, done(t, "core", "key", "create", "ci", "--data", folder))
	status := func() int {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/v1/agents", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key["api_key"])
		r.Header.Set("OpenAI-Beta", "agents=v1")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := status(); got != 200 || key["name"] != "ci" || !strings.HasPrefix(key["api_key"], "parley_") {
		t.Errorf("got %d with %v, want 200", got, key)
	}
	if found := filesWith(t, folder, key["api_key"]); len(found) > 0 {
		t.Errorf("the key stands in %v", found)
	}
	list := done(t, "core", "key", "list", "--data", folder)
	if !strings.Contains(list, key["key_id"]) || !strings.Contains(list, "valid") || strings.Contains(list, "never") || strings.Contains(list, key["api_key"]) {
		t.Errorf("got %q, want the key, valid and used", list)
	}
	done(t, "core", "key", "revoke", key["key_id"], "--data", folder)
	if got := status(); got != 401 {
		t.Errorf("revoked: got %d, want 401", got)
	}
	if got := done(t, "core", "key", "list", "--json", "--data", folder); !strings.Contains(got, `"revoked_at"`) {
		t.Errorf("got %q, want the revocation", got)
	}
	if got := execute(t, "core", "key", "revoke", "none", "--data", folder); got.code != 1 || !strings.Contains(got.stderr, "parley core key list") {
		t.Errorf("got exit %d and %q, want 1 and what to do", got.code, got.stderr)
	}
	out := filepath.Join(t.TempDir(), "key.json")
	done(t, "core", "key", "create", "other", "--out", out, "--data", folder)
	if again := execute(t, "core", "key", "create", "other", "--out", out, "--data", folder); again.code != 1 || !strings.Contains(again.stderr, "it exists") {
		t.Errorf("got exit %d and %q, want 1: a file is not overwritten", again.code, again.stderr)
	}
	if got := execute(t, "core", "key", "create", " ", "--data", folder); got.code != 2 {
		t.Errorf("no name: got exit %d and %q, want 2", got.code, got.stderr)
	}
	for _, args := range [][]string{{}, {"create"}, {"list"}, {"revoke"}} {
		if got := execute(t, append([]string{"help", "core", "key"}, args...)...); got.code != 0 || !strings.Contains(got.stdout, "Examples:") {
			t.Errorf("help %q: got exit %d, want help with examples", args, got.code)
		}
	}
}
