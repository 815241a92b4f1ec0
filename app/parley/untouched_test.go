package main_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// doctor changes nothing, whatever the last lab left.
func TestDoctorLeavesTheFolderAsItWas(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"stopped in order": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		folder := t.TempDir()
		s := serve(t, folder)
		act(t, s, "validate", "{}")
		s.command.Process.Signal(signal)
		s.wait(t)
		before := listing(t, folder)
		got := execute(t, "doctor", "--data", folder, "--addr", "127.0.0.1:0")
		if got.code != 0 || !strings.Contains(got.stdout, "sound") {
			t.Errorf("%s: got exit %d, %q, want 0 and a sound store", name, got.code, got.stdout)
		}
		if after := listing(t, folder); after != before {
			t.Errorf("%s: got %s, want %s", name, after, before)
		}
	}
}

// A refused start leaves the database's folder as it was, too.
func TestRefusedServeLeavesNoFilesOfTheDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := serve(t, folder)
	act(t, s, "validate", "{}")
	s.command.Process.Signal(syscall.SIGTERM)
	s.wait(t)
	content, err := os.ReadFile(folder + "/parley.db")
	if err != nil {
		t.Fatal(err)
	}
	content[63] = 99 // user_version
	if err := os.WriteFile(folder+"/parley.db", content, 0o600); err != nil {
		t.Fatal(err)
	}
	before := listing(t, folder)
	if got := execute(t, "serve", "--no-open", "--addr", "127.0.0.1:0", "--data", folder); got.code != 1 || !strings.Contains(got.stderr, "99") {
		t.Errorf("got exit %d, %q, want 1 and the newer version", got.code, got.stderr)
	}
	if after := listing(t, folder); after != before {
		t.Errorf("got %s, want %s", after, before)
	}
}

// hostile-inputs 2: a start closes to others what is open to them.
func TestServeClosesItsFilesToOthers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := serve(t, folder)
	first.command.Process.Signal(syscall.SIGTERM)
	first.wait(t)
	for path, mode := range map[string]os.FileMode{"/parley.db": 0o644, "/credentials": 0o755, "/lock": 0o644} {
		if err := os.Chmod(folder+path, mode); err != nil {
			t.Fatal(err)
		}
	}
	doctor := execute(t, "doctor", "--data", folder, "--addr", "127.0.0.1:0")
	if !strings.Contains(doctor.stdout, "can be used by others") || !strings.Contains(doctor.stdout, "chmod") {
		t.Errorf("doctor: got %q, want a word about the modes", doctor.stdout)
	}
	again := serve(t, folder)
	for path, want := range map[string]os.FileMode{"/parley.db": 0o600, "/credentials": 0o700, "/lock": 0o600} {
		info, err := os.Stat(folder + path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v (%v), want %o", path, info.Mode(), err, want)
		}
	}
	again.command.Process.Signal(syscall.SIGTERM)
	again.wait(t)
	if log := again.log.String(); strings.Count(log, "was open to others") != 3 {
		t.Errorf("got log %s, want a line for each", log)
	}
}

func listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}
