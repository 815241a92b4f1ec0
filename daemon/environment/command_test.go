//go:build unix

package environment_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/daemon/environment"
	"parley/daemon/workspace"
)

// wire 3.8.4
func TestSetupTellsHowItEnded(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	for _, row := range []struct {
		command string
		state   environment.State
		code    int
		tail    string
	}{
		{"echo out; echo err >&2", environment.Completed, 0, "out\nerr\n"},
		{"echo no; exit 1", environment.Failed, 1, "no\n"},
		{"exit 255", environment.Failed, 255, ""},
		{"no-such-program", environment.Failed, 127, "*"},
		{"kill -9 $$", environment.Failed, 0, ""},
		{"", environment.Rejected, 0, ""},
		{"true\x00", environment.Rejected, 0, ""},
	} {
		got := b.Setup(t.Context(), row.command, "")
		want(t, row.command, got, row.state, row.code, nil)
		if row.tail != "*" && string(got.Tail) != row.tail {
			t.Errorf("%q: got tail %q, want %q", row.command, got.Tail, row.tail)
		}
	}
}

// wire 3.8.3
func TestSetupRunsInAFolderOfTheWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	put(t, filepath.Join(b.workspace.Dir(), "a/b/file"), "", 0o644)
	for name, target := range map[string]string{"link": "a", "out": "/"} {
		if err := os.Symlink(target, filepath.Join(b.workspace.Dir(), name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		cwd   string
		dir   string
		cause error
	}{
		{"", "", nil}, {"/workspace", "", nil}, {"/workspace/a/b", "a/b", nil},
		{"/workspace/", "", workspace.ErrPath}, {"/workspace/..", "", workspace.ErrPath}, {"/", "", workspace.ErrPath},
		{"/tmp", "", workspace.ErrPath}, {"a", "", workspace.ErrPath},
		{"/workspace/link", "", workspace.ErrUnsafe}, {"/workspace/link/b", "", workspace.ErrUnsafe}, {"/workspace/out/tmp", "", workspace.ErrUnsafe},
		{"/workspace/missing", "", workspace.ErrNotFound}, {"/workspace/a/b/file", "", workspace.ErrNotDirectory},
	} {
		mark := filepath.Join(b.outer, "ran")
		got := b.Setup(t.Context(), "pwd -P; touch "+mark, row.cwd)
		_, err := os.Lstat(mark)
		if row.cause != nil {
			want(t, row.cwd, got, environment.Rejected, 0, row.cause)
			if err == nil {
				t.Errorf("%q: the command ran", row.cwd)
			}
			continue
		}
		want(t, row.cwd, got, environment.Completed, 0, nil)
		if dir := filepath.Join(b.workspace.Dir(), row.dir); string(got.Tail) != dir+"\n" {
			t.Errorf("%q: got %q, want %q", row.cwd, got.Tail, dir)
		}
		if err := os.Remove(mark); err != nil {
			t.Fatal(err)
		}
	}
}

// behaviour 7.1
func TestInterruptedStepIsUnknownAndEnded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, command string }{
		{"sleeps", "echo $$ >pids; exec sleep 600"},
		{"has children", "sleep 600 & echo $! >pids; echo $$ >>pids; wait"},
		{"ends with success when asked", "trap 'exit 0' TERM; echo $$ >pids; while :; do sleep 0.02; done"},
		{"left the group", "setsid sh -c 'echo $$ >pids; exec sleep 600' & wait"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, systemPath)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				awaitFile(t, filepath.Join(b.workspace.Dir(), "pids"))
				cancel()
			}()
			want(t, row.name, b.Setup(ctx, row.command, ""), environment.Unknown, 0, environment.ErrInterrupted)
			gone(t, b)
		})
	}
}

// A command that does not listen is ended after the grace time.
func TestDeafStepIsEnded(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		awaitFile(t, filepath.Join(b.workspace.Dir(), "pids"))
		cancel()
	}()
	start := time.Now()
	want(t, "deaf", b.Setup(ctx, "trap '' TERM; echo $$ >pids; while :; do sleep 0.1; done", ""), environment.Unknown, 0, environment.ErrInterrupted)
	if took := time.Since(start); took < 3*time.Second {
		t.Errorf("it was ended after %v, want 3 s to end by itself", took)
	}
	gone(t, b)
}

// awaitFile waits until a line stands in the file.
func awaitFile(t *testing.T, name string) {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-ticker.C {
		if data, err := os.ReadFile(name); err == nil && bytes.HasSuffix(data, []byte("\n")) {
			return
		}
	}
	t.Errorf("%s was not written within 20 s", name)
}

// gone checks that no process of the file "pids" runs.
func gone(t *testing.T, b *bench) {
	t.Helper()
	for _, line := range strings.Fields(read(t, filepath.Join(b.workspace.Dir(), "pids"))) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		stat, err := os.ReadFile("/proc/" + line + "/stat")
		if err == nil && !bytes.Contains(stat, []byte(") Z ")) {
			t.Errorf("process %d: got %.60s, want it ended", pid, stat)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// What a command leaves behind is ended, and the step has the command's own outcome.
func TestStepEndsWithItsGroup(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	want(t, "background", b.Setup(t.Context(), "sleep 600 & echo $! >pids", ""), environment.Completed, 0, nil)
	gone(t, b)
}

// wire 3.8.5: expiry before application rejects.
func TestStepDoesNotBeginAfterItsContext(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	want(t, "setup", b.Setup(ctx, "touch ran", ""), environment.Rejected, 0, context.Canceled)
	want(t, "npm", b.Npm(ctx, []string{"x"}), environment.Rejected, 0, context.Canceled)
	want(t, "configure", b.Configure(ctx, map[string]string{"A": "b"}), environment.Rejected, 0, context.Canceled)
	want(t, "skill", b.skill(t, ctx, "x", tarOf(entry{name: "a"})), environment.Rejected, 0, context.Canceled)
	want(t, "finalize", b.Finalize(ctx, environment.Sources{}), environment.Rejected, 0, context.Canceled)
	if entries, err := os.ReadDir(b.workspace.Dir()); err != nil || len(entries) != 0 || len(b.Variables()) != 0 {
		t.Errorf("got %v, %v; want nothing applied", entries, err)
	}
}

func TestOutputIsBoundedAndNeverBlocks(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	got := b.Setup(t.Context(), "yes 0123456789 | head -c 5000000; echo; echo end", "")
	want(t, "flood", got, environment.Completed, 0, nil)
	if len(got.Tail) != 64<<10 || !bytes.HasSuffix(got.Tail, []byte("\nend\n")) {
		t.Errorf("got %d bytes ending %q, want the last 65536", len(got.Tail), got.Tail[max(0, len(got.Tail)-10):])
	}
}

// wire 3.8.3
func TestCommandsHaveAClosedEnvironment(t *testing.T) {
	t.Setenv("PARLEY_OUTSIDE", "canary")
	b := newBench(t, systemPath)
	for _, env := range []map[string]string{{"A": "first", "B": "two words\nand a line"}, {"A": "second-value", "HOME": "/elsewhere"}} {
		want(t, "configure", b.Configure(t.Context(), env), environment.Completed, 0, nil)
	}
	command := "env >" + filepath.Join(b.outer, "env") + "; ls /proc/self/fd | wc -l >" + filepath.Join(b.outer, "descriptors")
	want(t, "env", b.Setup(t.Context(), command, ""), environment.Completed, 0, nil)
	got := read(t, filepath.Join(b.outer, "env"))
	for _, line := range []string{"A=second-value\n", "B=two words\nand a line\n", "HOME=/elsewhere\n", "TMPDIR=" + b.dir + "/tmp\n", "LANG=C.UTF-8\n", ":" + systemPath + "\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("environment: got\n%s\nwant %q in it", got, line)
		}
	}
	if strings.Contains(got, "canary") {
		t.Error("a variable of the daemon reached the command")
	}
	if count := strings.TrimSpace(read(t, filepath.Join(b.outer, "descriptors"))); count != "4" { // 0, 1, 2 and the one that lists
		t.Errorf("descriptors: got %s, want 4", count)
	}
	info, err := os.Stat(filepath.Join(b.dir, "env.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("env.json: got %v, %v; want mode 0600", info.Mode(), err)
	}
	b.reopen(t, systemPath)
	if got := b.Variables()["A"]; got != "second-value" {
		t.Errorf("after a restart: got %q, want second-value", got)
	}
}

func TestValuesStayHidden(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	want(t, "configure", b.Configure(t.Context(), map[string]string{"KEY": "canary-secret", "LONG": "canary-secret-and-more"}), environment.Completed, 0, nil)
	got := b.Setup(t.Context(), `echo "a $KEY b $LONG"; exit 3`, "")
	want(t, "echo", got, environment.Failed, 3, nil)
	if string(got.Tail) != "a [hidden] b [hidden]\n" || strings.Contains(got.Err.Error(), "canary") {
		t.Errorf("got %q, %v; want the values hidden", got.Tail, got.Err)
	}
	refused := b.Configure(t.Context(), map[string]string{"BAD": "canary\x00"})
	want(t, "configure", refused, environment.Rejected, 0, environment.ErrRefused)
	if strings.Contains(refused.Err.Error(), "canary") {
		t.Errorf("got %v, want no value in it", refused.Err)
	}
	for _, name := range []string{"", "A=B", "A\n", "A\xff"} {
		want(t, name, b.Configure(t.Context(), map[string]string{"OK": "1", name: "x"}), environment.Rejected, 0, environment.ErrRefused)
	}
	if _, there := b.Variables()["OK"]; there {
		t.Error("a refused step was applied in part")
	}
}

// wire 3.8.3: the programs are called with what they understand, and options cannot be smuggled in.
func TestPackagesAreHandedToTheirPrograms(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	record := `#!/bin/sh
for a in "$@"; do printf '[%s]' "$a"; done; echo
`
	put(t, filepath.Join(programs, "npm"), record, 0o755)
	put(t, filepath.Join(programs, "python3"), record+`mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && echo made >>"$3/count"`, 0o755)
	b := newBench(t, programs+":"+systemPath)
	got := b.Npm(t.Context(), []string{"left-pad@1", "a b"})
	want(t, "npm", got, environment.Completed, 0, nil)
	if line := "[install][--prefix][" + b.dir + "/npm][--no-audit][--no-fund][--][left-pad@1][a b]\n"; string(got.Tail) != line {
		t.Errorf("npm: got %q, want %q", got.Tail, line)
	}
	for range 2 {
		got = b.Python(t.Context(), []string{"six"})
		if got.State != environment.Completed || !strings.HasPrefix(string(got.Tail), "[-m][pip][install][--no-input][--disable-pip-version-check][--][six]\n") {
			t.Errorf("python: got %s, %q, %v", got.State, got.Tail, got.Err)
		}
	}
	if count := strings.Count(read(t, filepath.Join(b.dir, "python", "count")), "made"); count != 1 {
		t.Errorf("virtual environment: made %d times, want once", count)
	}
	for _, packages := range [][]string{nil, {""}, {"-g"}, {"ok", "--prefix=/"}, {"a\nb"}} {
		want(t, "npm", b.Npm(t.Context(), packages), environment.Rejected, 0, environment.ErrRefused)
		want(t, "python", b.Python(t.Context(), packages), environment.Rejected, 0, environment.ErrRefused)
	}
}

func TestMissingProgramIsAFailureBeforeAnythingRan(t *testing.T) {
	t.Parallel()
	b := newBench(t, t.TempDir())
	want(t, "npm", b.Npm(t.Context(), []string{"x"}), environment.Failed, 0, environment.ErrNoProgram)
	want(t, "python", b.Python(t.Context(), []string{"x"}), environment.Failed, 0, environment.ErrNoProgram)
	if _, err := os.Lstat(filepath.Join(b.dir, "python")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("virtual environment: got %v, want none", err)
	}
}

// Programs of installed packages are found by later steps.
func TestInstalledProgramsAreOnThePath(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	put(t, filepath.Join(b.dir, "npm/node_modules/.bin/tool"), "#!/bin/sh\necho from-npm\n", 0o755)
	put(t, filepath.Join(b.dir, "python/bin/pytool"), "#!/bin/sh\necho from-python\n", 0o755)
	got := b.Setup(t.Context(), "tool; pytool", "")
	if string(got.Tail) != "from-npm\nfrom-python\n" {
		t.Errorf("got %q, %v; want both programs found", got.Tail, got.Err)
	}
}
