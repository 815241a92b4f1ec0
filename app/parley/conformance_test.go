package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"parley/daemon/wiretest"
)

func TestConformanceCommandLines(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "profile.json")
	behaviours := filepath.Join(t.TempDir(), "behaviours.yaml")
	for file, text := range map[string]string{empty: "{}", behaviours: "no-such-behaviour: {kind: x}\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"core"}, 2, "expected --profile"},
		{[]string{"core", "x"}, 2, "expected no argument"},
		{[]string{"harness"}, 2, "unknown command"},
		{[]string{"core", "--profile", "no-such-file"}, 1, "read profile"},
		{[]string{"core", "--profile", empty}, 1, "expected server_url, runtime_id and runner_credential"},
		{[]string{"runtime", "--behaviours", behaviours}, 1, `behaviour "no-such-behaviour": expected one of`},
		{[]string{"runtime", "--listen", "nowhere"}, 1, "listen for the Runtime under test"},
		{[]string{"runtime", "--only", "no_such_scenario", "--start", "true"}, 1, `scenario "no_such_scenario"`},
	} {
		got := execute(t, append([]string{"conformance"}, tt.args...)...)
		if got.code != tt.code || got.stdout != "" || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%q: got exit %d, output %q, message %q, want %d, none, %q", tt.args, got.code, got.stdout, got.stderr, tt.code, tt.want)
		}
	}
}

func TestConformanceListsScenarios(t *testing.T) {
	t.Parallel()
	got := execute(t, "conformance", "list")
	if got.code != 0 || !strings.Contains(got.stdout, "cancellation_waits_for_settlement") || strings.Count(got.stdout, "\n") < 30 {
		t.Errorf("got exit %d, %q, want every scenario", got.code, got.stdout)
	}
}

// From outside our Core passes everything that needs no driver; what cannot be run is told, and counts unless allowed.
func TestConformanceCoreFromOutside(t *testing.T) {
	t.Parallel()
	profile, _, _ := ownCore(t)
	file := filepath.Join(t.TempDir(), "profile.json")
	data, err := json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	got := execute(t, "conformance", "core", "--profile", file, "--json", "--allow-skips")
	var report wiretest.Report
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != 0 {
		t.Fatalf("got exit %d, %q, %q (%v), want 0 and one document", got.code, got.stdout, got.stderr, err)
	}
	if report.Side != wiretest.Core || report.Passed < 15 || report.Failed != 0 || report.NotRun < 20 {
		t.Errorf("got %d passed, %d failed, %d not run, want what a peer can see passed", report.Passed, report.Failed, report.NotRun)
	}
	got = execute(t, "conformance", "core", "--profile", file, "--only", "bootstrap_table", "--only", "run_completes")
	if got.code != 1 || !strings.Contains(got.stdout, "passed         bootstrap_table") || !strings.Contains(got.stdout, "there is no driver") ||
		strings.Contains(got.stdout+got.stderr, profile.RunnerCredential) {
		t.Errorf("got exit %d, %q, %q, want 1, because one could not be run", got.code, got.stdout, got.stderr)
	}
}

// A Runtime that somebody else starts stays for all scenarios: it dials anew for each.
func TestConformanceRuntimeThatStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "profile.json")
	command := exec.Command(binary(t), "conformance", "runtime", "--profile-out", file, "--only", "cancel_of_no_run",
		"--only", "run_completes", "--only", "version_older", "--only", "version_build")
	var stdout bytes.Buffer
	command.Stdout = &stdout
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "Waiting for the Runtime at http://127.0.0.1:") {
		t.Errorf("got %q (%v), want where it waits", line, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		var profile wiretest.Profile
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &profile)
		}
		if err != nil {
			ended <- err
			return
		}
		r, err := ourRuntime(profile, folder)
		if err != nil {
			ended <- err
			return
		}
		ended <- r.Run(ctx)
	}()
	rest, err := lines.ReadString(0) // to the end
	if err == nil {
		t.Error("got a message that does not end")
	}
	if err := command.Wait(); err == nil {
		t.Error("got exit 0, want 1: one of the scenarios that end a Runtime could not be run")
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("got the Runtime ended with %v, want its refused version", err)
	}
	for _, want := range []string{"passed         cancel_of_no_run", "passed         run_completes", "passed         version_build",
		"not run        version_older", "3 passed, 0 failed, 1 not run"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("got %s and %s, want %q", stdout.String(), rest, want)
		}
	}
}

// What a driver says is told at the step that needed it.
func TestConformanceCoreTellsWhatItsDriverSays(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the driver of this test is a line of a Unix shell")
	}
	profile, _, _ := ownCore(t)
	file := filepath.Join(t.TempDir(), "profile.json")
	data, err := json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	const drive = `read line; echo '{}'; while read line; do echo '{"error":"cannot do that"}'; done`
	got := execute(t, "conformance", "core", "--profile", file, "--only", "cancel_of_no_run", "--drive", drive)
	if got.code != 1 || !strings.Contains(got.stdout, "step 1 of 3: core sends prompt_cancel") || !strings.Contains(got.stdout, "driver: cannot do that") {
		t.Errorf("got exit %d, %q, %q, want the driver's refusal at step 1", got.code, got.stdout, got.stderr)
	}
}
