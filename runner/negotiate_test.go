package runner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/cases"
)

func negotiate(t *testing.T, body string) runner.Negotiation {
	t.Helper()
	request, faults := runner.ReadRequest([]byte(body))
	if faults.Any() {
		t.Fatalf("got faults %v, want a request", faults.Findings)
	}
	return runner.Negotiate(request)
}

// runner 2.4: an unsupported version is decided before capabilities; no version is chosen and nothing selected.
func TestVersionComesFirst(t *testing.T) {
	t.Parallel()
	n := negotiate(t, `{"schema_version":"1.0","versions":["1.1"],"required_capabilities":["nobody.has-this"],"optional_capabilities":["z.unknown","a.unknown"]}`)
	if n.Status != runner.VersionUnsupported || n.Negotiation.Version != "" || len(n.Negotiation.Selected) != 0 || len(n.Diagnostics) != 1 {
		t.Errorf("got %+v, want unsupported_version with one diagnostic", n)
	}
	if got := n.Negotiation.UnavailableOptional; !slices.Equal(got, []string{"a.unknown", "z.unknown"}) {
		t.Errorf("got unavailable %v, want both, sorted", got)
	}
}

// runner 2.4: echo lists keep the request's order, the selection is sorted by code point.
func TestEchoKeepsOrderSelectionIsSorted(t *testing.T) {
	t.Parallel()
	n := negotiate(t, `{"schema_version":"1.0","versions":["2.0","1.0"],"required_capabilities":["terminal-result","negotiation"],"optional_capabilities":["exact-unit"]}`)
	if got := fmt.Sprint(n.Negotiation.Required, n.Negotiation.RequestedVersions, n.Negotiation.Selected); got != "[terminal-result negotiation] [2.0 1.0] [exact-unit negotiation terminal-result]" {
		t.Errorf("got %s", got)
	}
	if n.Negotiation.Version != "1.0" || n.Status.ExitCode() != 0 {
		t.Errorf("got version %q exit %d, want 1.0 and 0", n.Negotiation.Version, n.Status.ExitCode())
	}
}

// runner 3.3: up to 64 missing names one by one, then how many remain; a terminal has room for 15 and the remainder.
func TestMissingNamesAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ missing, want, wantRun int }{{1, 1, 1}, {15, 15, 15}, {16, 16, 16}, {17, 17, 16}, {64, 64, 16}, {65, 65, 16}, {300, 65, 16}} {
		var list []string
		for i := range c.missing {
			list = append(list, fmt.Sprintf(`"gone.%d"`, i))
		}
		n := negotiate(t, strings.Replace(cases.M0, `["exact-unit","inline.mock-text"]`, "["+strings.Join(list, ",")+"]", 1))
		if len(n.Diagnostics) != c.want || len(n.Negotiation.Required) != c.missing {
			t.Errorf("%d missing: got %d diagnostics and %d echoed, want %d and all", c.missing, len(n.Diagnostics), len(n.Negotiation.Required), c.want)
		}
		run := n.RunDiagnostics()
		if len(run) != c.wantRun || len(run) > runner.MaxTerminalDiagnostics {
			t.Errorf("%d missing: got %d terminal diagnostics, want %d", c.missing, len(run), c.wantRun)
		}
		if c.missing > 64 && !strings.HasPrefix(n.Diagnostics[64].Message, fmt.Sprintf("%d more", c.missing-64)) {
			t.Errorf("%d missing: got remainder %q", c.missing, n.Diagnostics[64].Message)
		}
		if c.missing > 16 && !strings.HasPrefix(run[15].Message, fmt.Sprintf("%d more", c.missing-15)) {
			t.Errorf("%d missing: got terminal remainder %q", c.missing, run[15].Message)
		}
	}
}

// runner 2.4: what could be read of an invalid request is echoed, the rest is an empty list and never null.
func TestInvalidRequestsEchoWhatWasRead(t *testing.T) {
	t.Parallel()
	request, faults := runner.ReadRequest([]byte(`{"schema_version":"1.0","versions":["1.0"],"required_capabilities":null,"optional_capabilities":["a","a"]}`))
	got := string(runner.Encode(runner.RejectRequest(request, faults)))
	for _, want := range []string{`"status":"invalid_request"`, `"requested_versions":["1.0"]`, `"required_capabilities":[]`, `"optional_capabilities":[]`,
		`"selected_capabilities":[]`, `"unavailable_optional_capabilities":[]`, `"available_capabilities":["negotiation",`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s in it", got, want)
		}
	}
	if strings.Contains(got, `"version"`) || strings.Contains(got, "null,") {
		t.Errorf("got %s, want no chosen version and no null", got)
	}
}

// runner 1.1: only what works is advertised, in the contract's order, as one line.
func TestAdvertisement(t *testing.T) {
	t.Parallel()
	const want = `{"schema_version":"1.0","versions":["1.0"],"capabilities":["negotiation","exact-unit","inline.mock-text","terminal-result"]}` + "\n"
	if got := string(runner.Encode(runner.Advertise())); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
