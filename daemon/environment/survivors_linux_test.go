package environment_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/daemon/environment"
)

// mutating is a shell that goes on changing the workspace, with its number in "pids"; before is what it does first.
func mutating(before string) string {
	return before + ` echo $$ >>pids; while :; do echo x >>trace; sleep 0.01; done`
}

// A daemon that is killed during a setup leaves nothing that changes the workspace beside the next one. While other tests
// run steps, this process would adopt what the killed one leaves, and end it.
func TestKilledDaemonsStepIsEnded(t *testing.T) {
	clean := "env -i /bin/sh -c '%s'"
	for _, row := range []struct{ name, command string }{
		{"the command itself", mutating("")},
		{"deaf", mutating(`trap "" TERM;`)},
		{"cleaned", fmt.Sprintf("exec "+clean, mutating(""))},
		{"a cleaned child", fmt.Sprintf(clean+" & wait", mutating(""))},
		{"left the group", fmt.Sprintf("setsid sh -c '%s' & sleep 600", mutating(""))},
		{"left the group, without a parent", fmt.Sprintf("(setsid sh -c '%s' &); sleep 600", mutating(""))},
		{"left the group, cleaned", fmt.Sprintf("setsid "+clean+" & sleep 600", mutating(""))},
		{"left the group, cleaned, deaf", fmt.Sprintf("setsid "+clean+" & sleep 600", mutating(`trap "" TERM;`))},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			child, _ := startDaemon(t, dir, row.command)
			awaitFile(t, filepath.Join(dir, "trace"))
			kill(t, child)
			nextDaemon(t, dir)
		})
	}
}

// The command has ended, and the daemon is killed while it ends what the command left: neither leader nor mark are there.
func TestDaemonIsKilledWhileItEndsAStep(t *testing.T) {
	for _, way := range []string{"", "setsid "} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			child, _ := startDaemon(t, dir, way+"env -i /bin/sh -c '"+mutating(`trap "" TERM;`)+"' & until test -s pids; do :; done")
			awaitFile(t, filepath.Join(dir, "trace"))
			awaitRecord(t, dir, strings.TrimSpace(read(t, filepath.Join(dir, "pids"))))
			kill(t, child)
			nextDaemon(t, dir)
		})
	}
}

// awaitRecord waits until the record names the process.
func awaitRecord(t *testing.T, dir, pid string) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-ticker.C {
		if data, err := os.ReadFile(filepath.Join(dir, "e", "step.json")); err == nil && bytes.Contains(data, []byte(`"pid":`+pid+",")) {
			return
		}
	}
	t.Fatalf("process %s was not recorded within 20 s", pid)
}

// nextDaemon opens the folder and checks that nothing of the last step goes on.
func nextDaemon(t *testing.T, dir string) {
	t.Helper()
	e, err := openIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	before := read(t, filepath.Join(dir, "trace"))
	for pid := range strings.FieldsSeq(read(t, filepath.Join(dir, "pids"))) {
		if runs(pid) {
			t.Errorf("process %s still runs", pid)
			number, _ := strconv.Atoi(pid)
			_ = syscall.Kill(number, syscall.SIGKILL)
		}
	}
	<-time.After(50 * time.Millisecond) // five changes of what goes on
	if after := read(t, filepath.Join(dir, "trace")); len(after) != len(before) {
		t.Error("the workspace changed after the next daemon was there")
	}
	if _, err := os.Stat(filepath.Join(dir, "e", "step.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("record: got %v, want it removed", err)
	}
}

func runs(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

// bystander starts a process that no step started, for the time of the test.
func bystander(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
}

// What a record says is believed only of the very process: same boot, same start, a mark of ours. Were it believed
// otherwise, this test would end the one process that it started, and no other: nothing else carries its mark.
func TestRecordOfAnotherProcessIsNotBelieved(t *testing.T) {
	t.Parallel()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	here := strings.TrimSpace(string(boot))
	type birth struct {
		PID   int    `json:"pid"`
		Start uint64 `json:"start"`
	}
	for _, row := range []struct {
		name  string
		boot  string
		mark  string // NAME, with which the process was started
		later uint64
		ends  bool
	}{
		{name: "the process", boot: here, ends: true},
		{name: "by its mark", boot: here, mark: "PARLEY_STEP", later: 1, ends: true},
		{name: "a reused number", boot: here, later: 1},
		{name: "another boot", boot: "another", mark: "PARLEY_STEP"},
		{name: "no boot", mark: "PARLEY_STEP"},
		{name: "a foreign mark", boot: here, mark: "PARLEY_FOREIGN"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, value := t.TempDir(), rand.Text()
			command := exec.Command("sleep", "600")
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if row.mark != "" {
				command.Env = []string{row.mark + "=" + value}
			}
			bystander(t, command)
			pid := command.Process.Pid
			data, err := json.Marshal(map[string]any{"boot": row.boot, "mark": cmp.Or(row.mark, "PARLEY_STEP") + "=" + value,
				"group": pid, "processes": []birth{{pid, startOf(t, pid) + row.later}}})
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "e", "step.json"), string(data), 0o600)
			e, err := openIn(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if ended := !runs(strconv.Itoa(pid)); ended != row.ends {
				t.Errorf("ended: got %v, want %v", ended, row.ends)
			}
			if _, err := os.Stat(filepath.Join(dir, "e", "step.json")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("record: got %v, want it removed", err)
			}
		})
	}
}

func startOf(t *testing.T, pid int) uint64 {
	t.Helper()
	fields := strings.Fields(read(t, fmt.Sprintf("/proc/%d/stat", pid)))
	start, err := strconv.ParseUint(fields[21], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return start
}

// Half a record is what a power failure leaves; it stops nobody.
func TestDamagedRecordIsDropped(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", `{"boot":`, "null", "{}"} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "e", "step.json"), content, 0o600)
		e, err := openIn(dir)
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// hidden is a process that cannot be found by group, mark or parent.
func hidden(way string) string {
	return "(" + way + " env -i /bin/sh -c 'echo $$ >>pids; exec sleep 600' </dev/null >/dev/null 2>&1 &); until test -s pids; do sleep 0.01; done"
}

// A process that leaves the group, cleans its environment and loses its parent is ended all the same. This test runs
// alone: of several steps in one process it would not be known whose the orphan is.
func TestHiddenProcessIsEnded(t *testing.T) {
	for _, row := range []struct{ name, command string }{
		{"new session", hidden("setsid")},
		{"new session, twice", hidden("setsid setsid -f")},
		{"new group only", "bash -mc '" + strings.ReplaceAll(hidden(""), "'", `'"'"'`) + "'"},
		{"deaf", strings.Replace(hidden("setsid"), "exec sleep 600", `trap "" TERM; while :; do sleep 0.05; done`, 1)},
	} {
		b := newBench(t, systemPath)
		got := b.Setup(t.Context(), row.command, "")
		want(t, row.name, got, environment.Completed, 0, nil)
		if len(got.LeftBehind) > 0 {
			t.Errorf("%s: got %v left behind, want none", row.name, got.LeftBehind)
		}
		gone(t, b)
		if children := childrenHere(t); len(children) > 0 {
			t.Errorf("%s: got the children %v, want every adopted process reaped", row.name, children)
		}
	}
	b := newBench(t, systemPath)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		awaitFile(t, filepath.Join(b.workspace.Dir(), "pids"))
		cancel()
	}()
	want(t, "interrupted", b.Setup(ctx, hidden("setsid")+"; sleep 600", ""), environment.Unknown, 0, environment.ErrInterrupted)
	gone(t, b)
}

// Orphans that end while a long step runs do not wait for its end to be reaped, whosever they are.
func TestOrphansAreReapedWhileTheStepRuns(t *testing.T) {
	bystander(t, exec.Command("sleep", "600"))
	b := newBench(t, systemPath)
	command := `for i in 1 2 3; do (setsid env -i true &); done; until test -e stop; do sleep 0.02; done`
	ended := make(chan environment.Outcome, 1)
	go func() { ended <- b.Setup(t.Context(), command, "") }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	most, now := 0, 0
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-ticker.C {
		now = len(childrenHere(t))
		most = max(most, now)
		if most > 2 && now == 2 {
			break
		}
	}
	put(t, filepath.Join(b.workspace.Dir(), "stop"), "", 0o600)
	want(t, "setup", <-ended, environment.Completed, 0, nil)
	if most <= 2 || now != 2 {
		t.Errorf("got %d children after %d, want the command and the bystander after some more", now, most)
	}
}

// childrenHere are the children of this process, by number.
func childrenHere(t *testing.T) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // gone
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, strings.Split(name, "/")[2])
		}
	}
	return found
}

// Programs that are not of the step are never touched. While one of them runs, an orphan is named, not ended.
func TestBystandersAreSpared(t *testing.T) {
	var spared []*exec.Cmd
	start := func(attributes *syscall.SysProcAttr) {
		command := exec.Command("sleep", "600")
		command.SysProcAttr = attributes
		bystander(t, command)
		spared = append(spared, command)
	}
	start(nil) // before the step as well
	b := newBench(t, systemPath)
	ended := make(chan environment.Outcome, 1)
	go func() {
		ended <- b.Setup(t.Context(), hidden("setsid")+"; until test -e stop; do sleep 0.02; done", "")
	}()
	awaitFile(t, filepath.Join(b.workspace.Dir(), "pids"))
	for _, attributes := range []*syscall.SysProcAttr{nil, {Setpgid: true}, {Setsid: true}} {
		start(attributes)
	}
	// One that another program left, as a browser is left by its opener.
	out, err := exec.Command("/bin/sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!").Output()
	if err != nil {
		t.Fatal(err)
	}
	left := adopted(t, string(out))
	put(t, filepath.Join(b.workspace.Dir(), "stop"), "", 0o600)
	got := <-ended
	want(t, "setup", got, environment.Completed, 0, nil)
	orphan := adopted(t, read(t, filepath.Join(b.workspace.Dir(), "pids")))
	if !slices.Equal(got.LeftBehind, []int{orphan}) {
		t.Errorf("left behind: got %v, want the orphan %d alone", got.LeftBehind, orphan)
	}
	for _, command := range spared {
		if pid := command.Process.Pid; !runs(strconv.Itoa(pid)) {
			t.Errorf("process %d, started here, was ended", pid)
		}
	}
	for _, pid := range []int{left, orphan} {
		if !runs(strconv.Itoa(pid)) {
			t.Errorf("process %d, whose parent is not known, was ended", pid)
		}
	}
}

// adopted is the number of a process that this one is the parent of by now; it is ended with the test.
func adopted(t *testing.T, line string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	})
	return pid
}

// What could not be found again is not begun.
func TestCommandIsRecordedBeforeItRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, systemPath)
	record := filepath.Join(b.dir, "step.json")
	want(t, "recorded", b.Setup(t.Context(), `grep '"pid":'$$, `+record, ""), environment.Completed, 0, nil)
	if _, err := os.Stat(record); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("record after the end: got %v, want none", err)
	}
	put(t, filepath.Join(record+".new", "in-the-way"), "", 0o600)
	want(t, "not recorded", b.Setup(t.Context(), "touch ran", ""), environment.Failed, 0, nil)
	if got := contents(t, b.workspace.Dir()); got != "" {
		t.Errorf("workspace: got %s, want that nothing ran", got)
	}
}
