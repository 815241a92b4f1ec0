package daemon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/daemon"
	"parley/daemon/harness"
)

const (
	environmentID = "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30"
	sessionID     = "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8"
	credential    = "synthetic-credential"
)

// behaviour 2.2, wire 0.2: what cannot be bound is refused before anything is connected; which part, what it was, what to
// do.
func TestUnfitBindingsAreNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*daemon.Profile)
		says   []string
	}{
		"Environment":  {func(p *daemon.Profile) { p.EnvironmentID = "env-1" }, []string{"Environment", `"env-1"`, "--environment"}},
		"Session":      {func(p *daemon.Profile) { p.SessionID = "ses-1" }, []string{"Session", `"ses-1"`, "--session"}},
		"capitals":     {func(p *daemon.Profile) { p.SessionID = strings.ToUpper(sessionID) }, []string{"Session", "lower case", strings.ToUpper(sessionID)}},
		"a long id":    {func(p *daemon.Profile) { p.SessionID = strings.Repeat("x", 5000) }, []string{`"` + strings.Repeat("x", 64) + `"`}},
		"no workspace": {func(p *daemon.Profile) { p.WorkspaceDirectory = "" }, []string{"--workspace"}},
		"missing":      {func(p *daemon.Profile) { p.WorkspaceDirectory = filepath.Join(folder, "none") }, []string{"none", "create it or choose another with --workspace"}},
		"a file":       {func(p *daemon.Profile) { p.WorkspaceDirectory = file }, []string{file, "choose another with --workspace"}},
		"server_url":   {func(p *daemon.Profile) { p.ServerURL = "http://127.0.0.1:7007" }, []string{"127.0.0.1:7007 is not a Core", "end in /api/v1"}},
	} {
		profile := daemon.Profile{ServerURL: "http://127.0.0.1:7007/api/v1", RuntimeID: "r", RunnerCredential: credential,
			EnvironmentID: environmentID, SessionID: sessionID, WorkspaceDirectory: folder}
		tt.change(&profile)
		runtime, err := daemon.New(daemon.Config{Profile: profile, Folder: t.TempDir(), Registry: harness.NewRegistry()})
		if err == nil {
			t.Errorf("%s: got a Runtime, want a refusal", name)
			_ = runtime.Close()
			continue
		}
		for _, want := range tt.says {
			if !strings.Contains(err.Error(), want) || len(err.Error()) > 400 || strings.Contains(err.Error(), credential) {
				t.Errorf("%s: got %q, want %q in it, and no credential", name, err, want)
			}
		}
	}
}

// behaviour 2.2: a profile that is not there, or is none, says how to get one and repeats nothing of it.
func TestProfileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, tt := range map[string]struct{ content, says string }{
		"missing":     {"", "parley core device create NAME --out FILE makes one"},
		"no JSON":     {credential, "expected the JSON that"},
		"unknown key": {`{"server_url":"u","runtime_id":"r","runner_credential":"` + credential + `","x":1}`, "expected the JSON that"},
		"no id":       {`{"server_url":"u","runner_credential":"` + credential + `"}`, `"runtime_id" is missing`},
		"too long":    {strings.Repeat(" ", 17<<10), "more than 16384 bytes"},
	} {
		path := filepath.Join(folder, name)
		if tt.content != "" {
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := daemon.ReadProfile(path)
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), credential) {
			t.Errorf("%s: got %v, want %q and the file, without the credential", name, err, tt.says)
		}
	}
}
