package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/daemon/wiretest"
)

// conforms runs a suite as a process and expects that everything passed.
func conforms(t *testing.T, args ...string) wiretest.Report {
	t.Helper()
	got := execute(t, append([]string{"conformance"}, append(args, "--json")...)...)
	var report wiretest.Report
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatalf("exit %d, no report: %v\n%s%s", got.code, err, got.stdout, got.stderr)
	}
	for _, result := range report.Results {
		if result.Verdict == wiretest.Failed {
			t.Error(textOf(result))
		}
	}
	if report.Failed > 0 || report.Passed == 0 {
		t.Errorf("%d failed, %d passed", report.Failed, report.Passed)
	}
	return report
}

// behaviour 9.5, 10: the lab in one process, the suite in another.
func TestLabConformsAsCore(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	report := conforms(t, "core", "--profile", r.file, "--drive", binary(t)+" core drive --data "+r.folder,
		"--revoke", binary(t)+" core device revoke "+r.profile.RuntimeID+" --data "+r.folder, "--allow-skips")
	if report.NotRun != 1 { // the one that takes a minute
		t.Errorf("%d scenarios not run, want 1", report.NotRun)
	}
}

// behaviour 9.5, 10: a Runtime in one process, the suite in another.
func TestDaemonConformsAsRuntime(t *testing.T) {
	t.Parallel()
	workspace := filepath.Join(t.TempDir(), "workspace")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	report := conforms(t, "runtime", "--workspace", workspace, "--wake", "true", "--start",
		binary(t)+` daemon connect --profile "$PARLEY_PROFILE" --wake-after 100ms --data `+t.TempDir())
	if report.NotRun != 0 {
		t.Errorf("%d scenarios not run, want none", report.NotRun)
	}
}
