package frontend_test

import (
	"regexp"
	"slices"
	"testing"

	"parley/examples"
	"parley/frontend"
	"parley/runner"
	"parley/runner/admission"
)

// Every sample has a name for an address, words for a menu and a document, and every shipped request is a sample.
func TestSamples(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range frontend.Samples() {
		names = append(names, s.Name)
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`).MatchString(s.Name) || s.Title == "" || s.About == "" || len(s.Body) == 0 {
			t.Errorf("sample %q: got an incomplete row, want name, title, about and body", s.Name)
		}
	}
	slices.Sort(names)
	if want := examples.RunnerNames(); !slices.Equal(names, want) {
		t.Errorf("samples: got %v, want the files %v", names, want)
	}
	if _, known := frontend.SampleNamed("no-such-sample"); known {
		t.Error("unknown sample: got one, want none")
	}
}

// ux-anchors 7: what each sample shows, as the runner judges it.
func TestSamplesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		status   runner.Status
		findings int // more than zero: at least so many
	}{
		"unit": {runner.Compatible, 0}, "failing-check": {runner.Compatible, 0}, "negotiation": {runner.Compatible, 0},
		"exact-numbers": {runner.Compatible, 0}, "unsupported-version": {runner.VersionUnsupported, 0},
		"unsupported-capability": {runner.CapUnsupported, 0}, "paid-profile": {runner.CapUnsupported, 0},
		"several-errors": {runner.RequestInvalid, 5}, "captured-errors": {runner.Compatible, 2}, "trial-out-of-range": {runner.Compatible, 1},
	} {
		s, _ := frontend.SampleNamed(name)
		if got := admission.Negotiate(s.Body).Status; got != want.status {
			t.Errorf("%s: got %s, want %s", name, got, want.status)
		}
		if got := len(admission.Inspect(s.Body).Findings); got != want.findings {
			t.Errorf("%s: got %d findings, want %d", name, got, want.findings)
		}
	}
}
