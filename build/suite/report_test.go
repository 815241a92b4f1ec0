package main

import (
	"strings"
	"testing"
)

// skippedRun is a run of one passing and one skipped test.
const skippedRun = `{"Action":"run","Package":"parley/x","Test":"TestA"}
{"Action":"output","Package":"parley/x","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"parley/x","Test":"TestA","Elapsed":0.1}
{"Action":"output","Package":"parley/x","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Package":"parley/x","Test":"TestB","Output":"    x_test.go:9: no browser\n"}
{"Action":"output","Package":"parley/x","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"parley/x","Test":"TestB"}
{"Action":"pass","Package":"parley/x","Elapsed":0.2}
`

func TestFinishJudgesSkips(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		listed map[string]string
		strict bool
		want   bool
	}{
		{"a person's run", nil, false, true},
		{"strict, not listed", nil, true, false},
		{"strict, listed", map[string]string{"parley/x.TestB": "needs a browser"}, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			report := newReport(&out)
			if err := report.read(strings.NewReader(skippedRun)); err != nil {
				t.Fatalf("read: got %v, want no error", err)
			}
			if got := report.finish(tc.listed, tc.strict); got != tc.want {
				t.Errorf("finish: got %v, want %v", got, tc.want)
			}
			for _, want := range []string{"parley/x.TestB: x_test.go:9: no browser", "2 tests, 1 skipped"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output lacks %q:\n%s", want, out.String())
				}
			}
			if strings.Contains(out.String(), "noise") {
				t.Errorf("output of a passing test was printed:\n%s", out.String())
			}
		})
	}
}

func TestReadShowsFailuresAndFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, events, want string }{
		{"failed test", `{"Action":"output","Package":"p","Test":"T","Output":"got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"T"}`, "got 1, want 2"},
		{"failed build", `{"Action":"build-output","ImportPath":"p","Output":"x.go:1: undefined: y\n"}`, "undefined: y"},
		{"panic of a package", `{"Action":"output","Package":"p","Output":"panic: no\n"}
{"Action":"fail","Package":"p"}`, "panic: no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := newReport(&out).read(strings.NewReader(tc.events)); err != nil {
				t.Fatalf("read: got %v, want no error", err)
			}
			if !strings.Contains(out.String(), tc.want) {
				t.Errorf("got %q, want it to contain %q", out.String(), tc.want)
			}
		})
	}
}

func TestReadRefusesWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	if err := newReport(&strings.Builder{}).read(strings.NewReader("plain text")); err == nil {
		t.Error("read of plain text: got no error, want one")
	}
}
