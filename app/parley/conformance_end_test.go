package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/wiretest"
)

// suiteProfile writes a profile for the program.
func suiteProfile(t *testing.T, profile wiretest.Profile) string {
	t.Helper()
	data, err := json.Marshal(profile)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "profile.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What a suite needs and does not get is told once, and the suite stops.
func TestConformanceStopsAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are lines of a Unix shell")
	}
	profile, _, _ := ownCore(t)
	known := suiteProfile(t, profile)
	profile.RunnerCredential = "another"
	unknown := suiteProfile(t, profile)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"runtime", "--start", "false"}, "the start command ended with exit 1 before it dialled\n"},
		{[]string{"runtime", "--start", "no-such-program-here"}, "the start command ended with exit 127 before it dialled: "},
		{[]string{"runtime", "--start", "echo first; echo 'no such workspace' >&2; exit 1"}, "before it dialled: no such workspace\n"},
		{[]string{"core", "--profile", known, "--drive", "echo 'what a pity' >&2; exit 3"}, "the driver ended with exit 3: what a pity\n"},
		{[]string{"core", "--profile", unknown}, "401 bad_credential"},
	} {
		got := execute(t, append(append([]string{"conformance"}, tt.args...), "--json")...)
		if got.code != 1 || !strings.Contains(got.stderr, tt.want) || strings.Contains(got.stdout, `"failed":`) && !strings.Contains(got.stdout, `"failed": 0`) {
			t.Errorf("%q: got exit %d, %q, %q, want 1 and %q", tt.args, got.code, got.stdout, got.stderr, tt.want)
		}
	}
}

// intruder is a driver that connects as the same device before Core acts for the first time.
type intruder struct {
	wiretest.CoreDriver
	connect func()
}

func (d *intruder) Do(ctx context.Context, act wiretest.Act) error {
	d.connect()
	return d.CoreDriver.Do(ctx, act)
}

// A second Runtime on the device of the suite is named, and the Core is not blamed for it. // behaviour 3.4
func TestConformanceCoreNamesAnotherRuntime(t *testing.T) {
	t.Parallel()
	profile, driver, _ := ownCore(t)
	address := "ws" + strings.TrimPrefix(profile.ServerURL, "http") + "/agent-daemon/ws?device_id=" + profile.RuntimeID + "&version=" + proto.Version
	var sockets socket.Establisher
	var other *socket.Conn
	connect := sync.OnceFunc(func() {
		var err error
		if other, err = sockets.Dial(t.Context(), address, http.Header{"Authorization": {"Bearer " + profile.RunnerCredential}}); err != nil {
			t.Error(err)
		}
	})
	o := wiretest.CoreOptions{Profile: profile, Only: []string{"run_completes", "cancel_of_no_run"}, Driver: &intruder{driver, connect}}
	report, err := wiretest.RunCore(t.Context(), o)
	if !errors.Is(err, wiretest.ErrDeviceInUse) || len(report.Results) != 0 || other == nil {
		t.Fatalf("got %v and %d results, want the other Runtime named", err, len(report.Results))
	}
	defer other.Close(proto.CloseNormal, "")
	if report, err = wiretest.RunCore(t.Context(), o); !errors.Is(err, wiretest.ErrDeviceInUse) || len(report.Results) != 0 {
		t.Errorf("while it is connected: got %v and %d results, want it named before the first scenario", err, len(report.Results))
	}
}

// A reader of a report can look at the scenario, what its values mean and what a behaviour has to do.
func TestConformanceShows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"show", "run_completes"}, []string{"run_completes.yaml\n   1  name: run_completes\n", "openings/started.yaml\n   1  # The common", "`$others: any`", "`{$any: SAMPLE}`"}},
		{[]string{"show", "version_older.yaml"}, []string{"   1  name: version_older\n"}},
		{[]string{"show", "openings/ready"}, []string{"openings/ready.yaml\n   1  # An admission"}},
		{[]string{"show", "--format"}, []string{"| `unordered: [frames]` |"}},
		{[]string{"behaviours"}, []string{"hold-cancel   streams until it is cancelled; the cancel settles after one second", "              cancel_repeated\n"}},
	} {
		got := execute(t, append([]string{"conformance"}, tt.args...)...)
		for _, want := range tt.want {
			if got.code != 0 || !strings.Contains(got.stdout, want) {
				t.Errorf("%q: got exit %d, %s, want %q", tt.args, got.code, got.stdout, want)
			}
		}
	}
	for name, code := range map[string]int{"no_such": 1, "../parse": 1, "--format=x": 2} {
		if got := execute(t, "conformance", "show", name); got.code != code || got.stdout != "" || !strings.Contains(got.stderr, "parley conformance") {
			t.Errorf("%s: got exit %d, %q, %q, want %d and where the names are", name, got.code, got.stdout, got.stderr, code)
		}
	}
}
