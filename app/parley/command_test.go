package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
)

// Wrong command lines exit 2 with a message on standard error and nothing on standard output.
func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"nothing"}, {"--nothing"}, {"serve", "--nothing"}, {"serve", "extra"}, {"version", "extra"}, {"doctor", "--data"},
		{"desktop", "x"}, {"help", "nothing"}, {"help", "serve", "extra"}, {"help", "runner", "nothing"}, {"help", "--nothing"},
		{"completion", "nothing"}, {"completion", "bash", "extra"},
	} {
		got := execute(t, args...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "--help") {
			t.Errorf("%q: got exit %d, output %q, message %q, want 2, none, and where help is", args, got.code, got.stdout, got.stderr)
		}
		if strings.Count(got.stderr, "parley:") != 1 || strings.HasPrefix(got.stderr, "parley: parley") {
			t.Errorf("%q: message %q does not name the program once", args, got.stderr)
		}
	}
}

// A mistyped command is told from an argument too many, with what was meant if that can be guessed.
func TestUnknownCommandsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"srve"}, `parley: unknown command "srve" (did you mean serve?); see parley --help`},
		{[]string{"srve", "--data", "x"}, `parley: unknown command "srve" (did you mean serve?); see parley --help`},
		{[]string{"do"}, `parley: unknown command "do" (did you mean doctor?); see parley --help`},
		{[]string{"frobnicate"}, `parley: unknown command "frobnicate"; see parley --help`},
		{[]string{"completion", "bsh"}, `parley: completion: unknown command "bsh" (did you mean bash or fish or zsh?); see parley completion --help`},
		{[]string{"help", "srve"}, `parley: unknown command "srve" (did you mean serve?); see parley --help`},
		{[]string{"help", "runner", "rnu"}, `parley: runner: unknown command "rnu" (did you mean run?); see parley runner --help`},
		{[]string{"serve", "x"}, `parley: serve: expected no argument, found "x"; see parley serve --help`},
		{[]string{"--nothing"}, `parley: unknown flag: --nothing; see parley --help`},
		{[]string{"-v"}, `parley: unknown shorthand flag: 'v' in -v; see parley --help`},
	} {
		got := execute(t, tt.args...)
		if got.code != 2 || got.stdout != "" || got.stderr != tt.want+"\n" {
			t.Errorf("%q: got exit %d, output %q, message %q, want 2, none, %q", tt.args, got.code, got.stdout, got.stderr, tt.want)
		}
	}
}

func TestVersionFlagIsTheFirstLineOfVersion(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(execute(t, "version").stdout, "\n")
	if got := execute(t, "--version"); got.code != 0 || got.stdout != first+"\n" || got.stderr != "" || first == "" {
		t.Errorf("got exit %d, %q and %q, want 0 and %q", got.code, got.stdout, got.stderr, first)
	}
}

func TestHelpShowsExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"help"}, {"help", "serve"}, {"help", "runner", "run"}, {"help", "--help"}, {"serve", "--help"}, {"version", "--help"}, {"doctor", "--help"}, {"desktop", "--help"}} {
		got := execute(t, args...)
		if got.code != 0 || !strings.Contains(got.stdout, "Examples:") || strings.Contains(got.stdout, "stop-with-stdin") {
			t.Errorf("%q: got exit %d, %q, want help with examples", args, got.code, got.stdout)
		}
	}
}

func TestVersionSaysWhatIsSpoken(t *testing.T) {
	t.Parallel()
	var report struct {
		Version, Commit, Go string
		Contracts           []string
		Runner              struct{ Versions, Capabilities []string }
	}
	got := execute(t, "version", "--json")
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil || got.code != 0 {
		t.Fatalf("got exit %d, %q (%v)", got.code, got.stdout, err)
	}
	if report.Version == "" || report.Commit == "" || report.Go == "" || len(report.Runner.Versions) == 0 || len(report.Runner.Capabilities) == 0 {
		t.Errorf("got %+v, want every field", report)
	}
	if text := execute(t, "version"); !strings.HasPrefix(text.stdout, "parley "+report.Version+"\n") {
		t.Errorf("got %q, want the version first", text.stdout)
	}
}

// Doctor changes nothing and has something to do for everything that is not well.
func TestDoctorLooksAndChangesNothing(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	got := execute(t, "doctor", "--json", "--data", folder, "--addr", "127.0.0.1:0")
	var health app.Health
	if err := json.Unmarshal([]byte(got.stdout), &health); err != nil || got.code != 0 {
		t.Fatalf("got exit %d, %q (%v), want 0 and a document", got.code, got.stdout, err)
	}
	for _, c := range health.Checks {
		if c.State != "ok" && c.Do == "" || c.Says == "" {
			t.Errorf("check %+v has nothing to do", c)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("doctor made the folder")
	}
}

func TestDoctorSeesTheRunningLab(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := serve(t, folder)
	got := execute(t, "doctor", "--data", folder, "--addr", strings.TrimPrefix(s.URL, "http://"))
	if got.code != 0 || !strings.Contains(got.stdout, s.URL) || !strings.Contains(got.stdout, "sound") {
		t.Errorf("got exit %d, %q, want 0 with the running lab and a sound store", got.code, got.stdout)
	}
	done(t, "core", "device", "create", "quay-east", "--data", folder)
	for _, want := range []string{"the lab's own Runtime is online, offers scripted", "1 other device may connect, 0 online (quay-east: not connected)", "harnesses a Runtime of this program offers scripted"} {
		await(t, want, func() string { return execute(t, "doctor", "--data", folder, "--addr", "127.0.0.1:0").stdout })
	}
	own, _, _ := strings.Cut(strings.ReplaceAll(got.stdout, folder, ""), " browser ") // paths of other programs follow
	for _, inner := range []string{"lock", "store", "schema", "index", "log"} {
		if strings.Contains(own, inner) {
			t.Errorf("got %q, want no word of the inside such as %q", own, inner)
		}
	}
}

func TestDesktopSaysHowToGetIt(t *testing.T) {
	binary(t) // is built with the old PATH
	t.Setenv("PATH", t.TempDir())
	got := execute(t, "desktop")
	if got.code != 1 || !strings.Contains(got.stderr, "make desktop") {
		t.Errorf("got exit %d, %q, want 1 and how to get it", got.code, got.stderr)
	}
}
