package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/daemon"
)

// profileFile writes a profile of a device that no Core knows.
func profileFile(t *testing.T, serverURL string) string {
	t.Helper()
	text, err := json.Marshal(daemon.Profile{ServerURL: serverURL, RuntimeID: "r", RunnerCredential: "synthetic-credential", DeviceName: "x"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "profile.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// behaviour 3.2: a Runtime that cannot begin says once why and what to do, and nothing else.
func TestConnectThatCannotBegin(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	foreign := httptest.NewServer(http.NotFoundHandler())
	defer foreign.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	lab := serve(t, folder, "--no-daemon")
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no profile":      {nil, 2, "expected --profile FILE"},
		"missing profile": {[]string{"--profile", filepath.Join(folder, "none.json")}, 1, "none.json: no such file or directory; on the lab's machine, parley core device create NAME --out FILE makes one"},
		"no lab":          {[]string{"--profile", profileFile(t, gone.URL+"/api/v1")}, 1, "no Core answers at " + strings.TrimPrefix(gone.URL, "http://") + "; start the lab (parley serve), or make the profile again if it moved"},
		"no root":         {[]string{"--profile", profileFile(t, lab.URL)}, 1, strings.TrimPrefix(lab.URL, "http://") + " is not a Core: server_url must be the address of a lab and end in /api/v1"},
		"another server":  {[]string{"--profile", profileFile(t, foreign.URL+"/api/v1")}, 1, strings.TrimPrefix(foreign.URL, "http://") + " is not a Core"},
		"another place":   {[]string{"--profile", profileFile(t, lab.URL+"/x/api/v1")}, 1, strings.TrimPrefix(lab.URL, "http://") + " is not a Core"},
		"unknown device":  {[]string{"--profile", profileFile(t, lab.URL+"/api/v1")}, 1, "code unknown_device: no device has this id; create one with parley core device create"},
	} {
		got := execute(t, append([]string{"daemon", "connect", "--data", t.TempDir()}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.says) || strings.Count(got.stderr, "\n") != 1 || strings.Contains(got.stderr, "synthetic-credential") {
			t.Errorf("%s: got exit %d and %q, want %d and the one line %q", name, got.code, got.stderr, tt.code, tt.says)
		}
	}
	stop(t, lab)
	for _, want := range []string{"msg=\"runtime refused\"", "code=unknown_device device=r"} {
		if !strings.Contains(lab.log.String(), want) {
			t.Errorf("got %s in the lab's log, want %s", lab.log, want)
		}
	}
}

// stop ends a lab, so that its log can be read.
func stop(t *testing.T, s *serving) {
	t.Helper()
	if err := s.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.wait(t); code != 0 {
		t.Errorf("the lab ended with %d\n%s", code, s.log)
	}
}

// behaviour 3.4: of two Runtimes with one profile each is told what the other does to it, and the lab's log too.
func TestTwoRuntimesWithOneProfile(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	first := r.connect()
	second := r.connect()
	says := `level=WARN msg="another Runtime connected with this profile; each Runtime needs its own: parley core device create" device=` + r.profile.RuntimeID
	await(t, says, first.log.String)
	await(t, says, second.log.String)
	first.kill()
	second.kill()
	stop(t, r.lab)
	if want := `cause="replaced by a newer connection"`; !strings.Contains(r.lab.log.String(), want) {
		t.Errorf("got %s in the lab's log, want %s", r.lab.log, want)
	}
}

// await looks until a text is there, for at most half a minute.
func await(t *testing.T, text string, look func() string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for seen := look(); !strings.Contains(seen, text); seen = look() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			t.Fatalf("got %s, want %s", seen, text)
		}
	}
}

// behaviour 2.3: a Runtime enrolls itself with what executor create printed, or with the token alone, gets the same
// profile again, and connects with it; what is refused is told once.
func TestEnrolledRuntimeConnects(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	room := t.TempDir()
	place := func(name string) string { return filepath.Join(room, name) }
	const environment = "0e7d2b94-51c8-4a6f-b3d0-9f48c1e6a275"
	done(t, "core", "executor", "create", "--data", r.folder, "--environment", environment, "--session", testSession, "--workspace", room, "--out", place("executor.json"))
	said := done(t, "daemon", "enroll", "--url", r.lab.URL, "--token-file", place("executor.json"), "--out", place("profile.json"))
	profile, err := daemon.ReadProfile(place("profile.json"))
	if err != nil || profile.EnvironmentID != environment || profile.SessionID != testSession || profile.WorkspaceDirectory != room || profile.ServerURL != r.lab.URL+"/api/v1" {
		t.Fatalf("got %+v (%v), want the binding", profile, err)
	}
	if strings.Contains(said, profile.RunnerCredential) || !strings.Contains(said, profile.RuntimeID) || !strings.Contains(said, "parley daemon connect --profile") {
		t.Errorf("got %q, want the device and what comes next, without the token", said)
	}
	if err := os.WriteFile(place("token"), []byte(profile.RunnerCredential+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := members(t, done(t, "daemon", "enroll", "--url", r.lab.URL+"/api/v1", "--token-file", place("token"), "--environment", environment))
	if again["runtime_id"] != profile.RuntimeID {
		t.Errorf("again: got %v, want the same device", again)
	}
	r.file, r.profile = place("profile.json"), profile
	r.connect().kill()
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"nothing":           {nil, 2, "--url and --token-file"},
		"no url":            {[]string{"--url", "lab.example", "--token-file", place("token")}, 2, "--url"},
		"no environment":    {[]string{"--url", r.lab.URL, "--token-file", place("token")}, 2, "--environment: expected a UUID"},
		"two environments":  {[]string{"--url", r.lab.URL, "--token-file", place("executor.json"), "--environment", testEnvironment}, 2, environment},
		"other environment": {[]string{"--url", r.lab.URL, "--token-file", place("token"), "--environment", testEnvironment}, 1, "401 Unauthorized, code bad_credential: the executor token is not known, was revoked, or is for another Environment"},
		"a file":            {[]string{"--url", r.lab.URL, "--token-file", place("executor.json"), "--out", place("profile.json")}, 1, "it exists"},
		"no token":          {[]string{"--url", r.lab.URL, "--token-file", place("profile.json")}, 1, "expected the JSON that"},
	} {
		got := execute(t, append([]string{"daemon", "enroll"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.says) || strings.Count(got.stderr, "\n") != 1 || strings.Contains(got.stderr, profile.RunnerCredential) {
			t.Errorf("%s: got exit %d, %q, want %d and %q", name, got.code, got.stderr, tt.code, tt.says)
		}
	}
}
