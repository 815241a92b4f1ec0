package wiretest_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"parley/daemon/wiretest"
)

// A Core that cannot be tested is told once, before the first scenario. // behaviour 2.1, 10
func TestCoreThatCannotBeReached(t *testing.T) {
	t.Parallel()
	core, err := wiretest.Listen("127.0.0.1:0", wiretest.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + free.Addr().String() + "/api/v1"
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*wiretest.Profile)
		want   string
	}{
		{"nobody listens", func(p *wiretest.Profile) { p.ServerURL = nobody }, "no Core answers at " + nobody},
		{"another credential", func(p *wiretest.Profile) { p.RunnerCredential = "x" }, `refuses device "runtime": 401 bad_credential`},
		{"another device", func(p *wiretest.Profile) { p.RuntimeID = "x" }, `refuses device "x": 401 unknown_device`},
		{"another address", func(p *wiretest.Profile) { p.ServerURL = strings.TrimSuffix(p.ServerURL, "/v1") }, "expected an origin and /api/v1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			profile := core.Profile()
			tt.change(&profile)
			report, err := wiretest.RunCore(t.Context(), wiretest.CoreOptions{Profile: profile})
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(report.Results) != 0 {
				t.Errorf("got %v and %d results, want %q and none", err, len(report.Results), tt.want)
			}
		})
	}
}

// A Runtime whose process ends before it dials is told once, with how it ended; one that ends later fails the step.
func TestRuntimeThatEnds(t *testing.T) {
	t.Parallel()
	core, err := wiretest.Listen("127.0.0.1:0", wiretest.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	ended := make(chan struct{})
	close(ended)
	report, err := wiretest.RunRuntime(t.Context(), wiretest.RuntimeOptions{Core: core, Behaviours: wiretest.DefaultBehaviours(),
		Start: func(context.Context, wiretest.Profile) (wiretest.Started, error) {
			return wiretest.Started{Stop: func() {}, Ended: ended, How: func() (string, string) { return "ended with exit 3", "no such workspace" }}, nil
		}})
	var failed *wiretest.StartError
	if !errors.As(err, &failed) || err.Error() != "the start command ended with exit 3 before it dialled: no such workspace" || len(report.Results) != 0 {
		t.Errorf("got %v and %d results, want how it ended and none", err, len(report.Results))
	}
}
