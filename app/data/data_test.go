package data_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app/data"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func enter(t *testing.T, path string) data.Folder {
	t.Helper()
	folder, err := data.Enter(path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// design 3: --data, else PARLEY_DATA, else the XDG data home.
func TestPlaceFollowsTheOrder(t *testing.T) {
	t.Parallel()
	full := map[string]string{"PARLEY_DATA": "/env", "XDG_DATA_HOME": "/xdg", "HOME": "/home/ann"}
	without := func(names ...string) func(string) string {
		return func(name string) string {
			for _, n := range names {
				if n == name {
					return ""
				}
			}
			return full[name]
		}
	}
	for _, tt := range []struct {
		name, given string
		getenv      func(string) string
		want        string
	}{
		{"given", "/given", without(), "/given"},
		{"environment", "", without(), "/env"},
		{"XDG", "", without("PARLEY_DATA"), "/xdg/parley"},
		{"home", "", without("PARLEY_DATA", "XDG_DATA_HOME"), "/home/ann/.local/share/parley"},
		{"relative XDG is ignored", "", func(name string) string {
			return map[string]string{"XDG_DATA_HOME": "rel", "HOME": "/home/ann"}[name]
		}, "/home/ann/.local/share/parley"},
		{"nothing", "", func(string) string { return "" }, ""},
	} {
		got, err := data.Place(tt.given, tt.getenv)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: got %q (%v), want %q", tt.name, got, err, tt.want)
		}
	}
	if got, err := data.Place("rel", without()); err != nil || !filepath.IsAbs(got) {
		t.Errorf("relative: got %q (%v), want an absolute path", got, err)
	}
}

func TestEnterKeepsOthersOut(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "folder")
	enter(t, path)
	checkMode(t, path, 0o700)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if _, err := data.Enter(path, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	checkMode(t, path, 0o700)
	if !strings.Contains(log.String(), "was open to others") {
		t.Errorf("log %q does not say that the folder was tightened", &log)
	}
}

// hostile-inputs 2: everything of ours is its owner's alone; what a person keeps beside it is left alone.
func TestEnterClosesEveryFileOfOurs(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	ours := []string{"lock", "parley.db", "parley.db-wal", "parley.db-shm", "credentials/session.key", "credentials/api-key"}
	if err := os.Mkdir(filepath.Join(path, "credentials"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(ours, "letter.txt") {
		if err := os.WriteFile(filepath.Join(path, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := data.Existing(path)
	if err != nil {
		t.Fatal(err)
	}
	if loose, err := folder.Loose(); err != nil || len(loose) != len(ours)+2 {
		t.Errorf("before: got %v (%v), want the folder, the credentials and %d files", loose, err, len(ours))
	}
	var log bytes.Buffer
	if _, err := data.Enter(path, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	checkMode(t, filepath.Join(path, "credentials"), 0o700)
	for _, name := range ours {
		checkMode(t, filepath.Join(path, name), 0o600)
		if !strings.Contains(log.String(), filepath.Join(path, name)) {
			t.Errorf("the log does not name %s", name)
		}
	}
	checkMode(t, filepath.Join(path, "letter.txt"), 0o644)
	if loose, err := folder.Loose(); err != nil || len(loose) != 0 {
		t.Errorf("after: got %v (%v), want none", loose, err)
	}
}

func TestFileInPlaceOfFolderIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := data.Enter(path, quiet()); err == nil {
		t.Error("enter: got no error, want one")
	}
	if _, err := data.Existing(path); err == nil {
		t.Error("existing: got no error, want one")
	}
	if _, err := data.Existing(path + "-none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("existing, none there: got %v, want fs.ErrNotExist", err)
	}
}

func TestCredentialsAreMadeOnceAndPrivate(t *testing.T) {
	t.Parallel()
	folder := enter(t, t.TempDir())
	first, err := folder.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	room := filepath.Join(folder.Path(), "credentials")
	checkMode(t, room, 0o700)
	for _, name := range []string{"session.key", "api-key"} {
		checkMode(t, filepath.Join(room, name), 0o600)
	}
	if entries, err := os.ReadDir(room); err != nil || len(entries) != 2 {
		t.Errorf("got %d files (%v), want two and nothing temporary", len(entries), err)
	}
	second, err := folder.Credentials()
	if err != nil || second.APIKey != first.APIKey || !bytes.Equal(second.SessionKey, first.SessionKey) {
		t.Errorf("second time: got other credentials (%v), want the same", err)
	}
	key, err := folder.SessionKey()
	if err != nil || len(key) != 32 || !bytes.Equal(key, first.SessionKey) {
		t.Errorf("session key: got %d bytes (%v), want the 32 of the credentials", len(key), err)
	}
	other, err := enter(t, t.TempDir()).Credentials()
	if err != nil || other.APIKey == first.APIKey || bytes.Equal(other.SessionKey, first.SessionKey) {
		t.Errorf("another folder: got the same credentials (%v)", err)
	}
}

func TestDamagedCredentialIsRefused(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"session.key": "short", "api-key": "\n"} {
		folder := enter(t, t.TempDir())
		if _, err := folder.Credentials(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder.Path(), "credentials", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := folder.Credentials(); err == nil || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("%s: got %v, want a refusal that says what to do", name, err)
		}
	}
}

func TestLockIsExclusiveAndNamesItsHolder(t *testing.T) {
	t.Parallel()
	folder := enter(t, t.TempDir())
	if held, err := folder.Held(); held || err != nil {
		t.Fatalf("before: got held %t (%v), want free", held, err)
	}
	lock, err := folder.Acquire(4711, time.UnixMilli(99))
	if err != nil {
		t.Fatal(err)
	}
	checkMode(t, filepath.Join(folder.Path(), "lock"), 0o600)
	if err := lock.Announce("http://127.0.0.1:7007"); err != nil {
		t.Fatal(err)
	}
	_, err = folder.Acquire(4712, time.UnixMilli(100))
	var held *data.HeldError
	if !errors.As(err, &held) || held.Holder != (data.Holder{PID: 4711, URL: "http://127.0.0.1:7007", StartedAtMS: 99, StartID: lock.StartID()}) {
		t.Fatalf("second: got %v, want a HeldError with the holder", err)
	}
	if !strings.Contains(err.Error(), "4711") || !strings.Contains(err.Error(), "--data") {
		t.Errorf("message %q lacks the pid or what to do", err)
	}
	if now, err := folder.Held(); !now || err != nil {
		t.Errorf("meanwhile: got held %t (%v), want held", now, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := folder.Acquire(4713, time.UnixMilli(101))
	if err != nil {
		t.Fatalf("after release: got %v, want the lock", err)
	}
	if again.StartID() == lock.StartID() || len(again.StartID()) < 20 {
		t.Errorf("got start ids %q and %q, want two random ones", lock.StartID(), again.StartID())
	}
	if holder, err := folder.Holder(); err != nil || holder.PID != 4713 || holder.URL != "" {
		t.Errorf("got holder %+v (%v), want 4713 without an address", holder, err)
	}
	again.Release()
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != want {
		t.Errorf("mode of %q: got %o, want %o", path, info.Mode().Perm(), want)
	}
}
