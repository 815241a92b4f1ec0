package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/gateway"
)

// members reads a JSON object of strings.
func members(t *testing.T, text string) map[string]string {
	t.Helper()
	var got map[string]string
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("got %q: %v, want one JSON object of strings", text, err)
	}
	return got
}

// done runs a command that must end well.
func done(t *testing.T, args ...string) string {
	t.Helper()
	got := execute(t, args...)
	if got.code != 0 || got.stderr != "" {
		t.Fatalf("%q: got exit %d and %q, want 0 and silence", args, got.code, got.stderr)
	}
	return got.stdout
}

// made runs a command that creates something beside no lab; it may leave notes on standard error.
func made(t *testing.T, args ...string) string {
	t.Helper()
	got := execute(t, args...)
	if got.code != 0 || strings.Trim(got.stderr, "\n") != "" && !strings.HasPrefix(got.stderr, "note: ") {
		t.Fatalf("%q: got exit %d and %q, want 0 and notes alone", args, got.code, got.stderr)
	}
	return got.stdout
}

// devices lists what core device list --json shows, by id.
func devices(t *testing.T, folder string) map[string]map[string]any {
	t.Helper()
	var list struct{ Devices []map[string]any }
	if err := json.Unmarshal([]byte(done(t, "core", "device", "list", "--json", "--data", folder)), &list); err != nil {
		t.Fatal(err)
	}
	byID := map[string]map[string]any{}
	for _, d := range list.Devices {
		byID[d["runtime_id"].(string)] = d
	}
	return byID
}

func filesWith(t *testing.T, folder, text string) []string {
	t.Helper()
	var found []string
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// behaviour 2.2: the profile is printed once; the lab keeps the SHA-256 only. Folder and database are made as serve makes
// them, for their owner alone.
func TestDeviceCreatePrintsTheProfileOnce(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	got := members(t, made(t, "core", "device", "create", " quay east ", "--data", folder))
	want := []string{"device_name", "runner_credential", "runtime_id", "server_url"}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) || got["device_name"] != "quay east" ||
		got["server_url"] != "http://127.0.0.1:7007/api/v1" || len(got["runner_credential"]) != 43 {
		t.Errorf("got %v, want %v, the name trimmed, the default address and 32 bytes", got, want)
	}
	secret := got["runner_credential"]
	if found := filesWith(t, folder, secret); len(found) != 0 {
		t.Errorf("the credential is in %q, want it nowhere", found)
	}
	if found := filesWith(t, folder, gateway.Digest(secret)); !slices.Equal(found, []string{"parley.db"}) {
		t.Errorf("the digest is in %q, want it in the database", found)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, "parley.db"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v (%v), want mode %o", path, info, err, want)
		}
	}
	for _, args := range [][]string{{"core", "device", "list", "--data", folder}, {"core", "device", "list", "--json", "--data", folder}} {
		if out := done(t, args...); strings.Contains(out, secret) || !strings.Contains(out, got["runtime_id"]) {
			t.Errorf("%q: got %s, want the device without its credential", args, out)
		}
	}
	if serve(t, folder).URL == "" {
		t.Error("a lab does not start on the folder")
	}
}

// behaviour 2.2: a bound device has its binding in the profile; --server-url is an origin.
func TestDeviceCreateTakesBindingAndAddress(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	for given, want := range map[string]string{
		"https://lab.example": "https://lab.example/api/v1", "http://[::1]:7007/": "http://[::1]:7007/api/v1",
		"https://lab.example:8443/api/v1": "https://lab.example:8443/api/v1",
	} {
		if got := members(t, made(t, "core", "device", "create", "x", "--data", folder, "--server-url", given)); got["server_url"] != want {
			t.Errorf("%s: got %s, want %s", given, got["server_url"], want)
		}
	}
	bound := []string{"core", "device", "create", "x", "--data", folder, "--environment", testEnvironment, "--session", testSession, "--workspace", "/srv/<work>"}
	got := members(t, made(t, bound...))
	if got["environment_id"] != testEnvironment || got["session_id"] != testSession || got["workspace_directory"] != "/srv/<work>" {
		t.Errorf("got %v, want the binding", got)
	}
	if again := execute(t, bound...); again.code != 1 || !strings.Contains(again.stderr, got["runtime_id"]) || again.stdout != "" {
		t.Errorf("again: got exit %d, %q, want 1 and the device that has the Environment", again.code, again.stderr)
	}
}

// H11: with --out the profile appears whole, for its owner only, and in place of nothing.
func TestDeviceCreateWritesAFile(t *testing.T) {
	t.Parallel()
	folder, room := filepath.Join(t.TempDir(), "lab"), t.TempDir()
	file := filepath.Join(room, "profile.json")
	said := made(t, "core", "device", "create", "x", "--data", folder, "--out", file)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := members(t, string(content))
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || strings.Contains(said, got["runner_credential"]) || !strings.Contains(said, got["runtime_id"]) {
		t.Errorf("got %v (%v) and %q, want mode 600 and the credential in the file only", info, err, said)
	}
	report := members(t, made(t, "core", "device", "create", "y", "--json", "--data", folder, "--out", filepath.Join(room, "y.json")))
	if names := slices.Sorted(maps.Keys(report)); !slices.Equal(names, []string{"device_name", "profile", "runtime_id"}) {
		t.Errorf("with --json: got %v, want name, place and id", report)
	}
	for _, out := range []string{file, room, filepath.Join(room, "none", "x.json")} {
		if again := execute(t, "core", "device", "create", "z", "--data", folder, "--out", out); again.code != 1 || again.stdout != "" {
			t.Errorf("--out %s: got exit %d, %q, want 1 and nothing", out, again.code, again.stdout)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the file changed (%v)", err)
	}
	if left, err := os.ReadDir(room); err != nil || len(left) != 2 || len(devices(t, folder)) != 2 {
		t.Errorf("got files %v (%v) and %d devices, want two of each", left, err, len(devices(t, folder)))
	}
}

// Where the profile cannot be handed over nobody has the credential, and the device is revoked again.
func TestDeviceCreateUndoesWhatNobodyHas(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("this system has no device that is always full: %v", err)
	}
	defer full.Close()
	folder := filepath.Join(t.TempDir(), "lab")
	for _, args := range [][]string{{"device", "create", "x"}, {"executor", "create", "--environment", testEnvironment, "--session", testSession, "--workspace", "/w"}} {
		command := exec.CommandContext(t.Context(), binary(t), append([]string{"core"}, append(args, "--data", folder)...)...)
		var said bytes.Buffer
		command.Stdout, command.Stderr = full, &said
		if err := command.Run(); command.ProcessState.ExitCode() != 1 || !strings.Contains(said.String(), "revoked") {
			t.Errorf("%q: got %v, %q, want exit 1 and that it is revoked", args, err, said.String())
		}
	}
	for id, d := range devices(t, folder) {
		if d["revoked_at"] == nil {
			t.Errorf("device %s: got %v, want it revoked", id, d)
		}
	}
	if list := done(t, "core", "executor", "list", "--data", folder); !strings.Contains(list, "revoked") || strings.Contains(list, "valid") {
		t.Errorf("executors: got %s, want one, revoked", list)
	}
}

// behaviour 2.2: an executor credential is handed over once, its rotation too.
func TestExecutorCredentialCommands(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	first := members(t, done(t, "core", "executor", "create", "--environment", testEnvironment, "--session", testSession, "--workspace", "/w", "--data", folder))
	second := members(t, done(t, "core", "executor", "rotate", first["key_id"], "--data", folder))
	if names := slices.Sorted(maps.Keys(first)); !slices.Equal(names, []string{"environment_id", "executor_token", "key_id"}) {
		t.Errorf("got %v, want key, environment and token", first)
	}
	if second["key_id"] != first["key_id"] || second["environment_id"] != testEnvironment || second["executor_token"] == first["executor_token"] {
		t.Errorf("rotated: got %v after %v, want the same key and another token", second, first)
	}
	for range 2 {
		if said := done(t, "core", "executor", "revoke", first["key_id"], "--data", folder); !strings.Contains(said, "revoked") {
			t.Errorf("revoke: got %q", said)
		}
	}
	if got := execute(t, "core", "executor", "rotate", first["key_id"], "--data", folder); got.code != 1 || !strings.Contains(got.stderr, "revoked") {
		t.Errorf("rotate after that: got exit %d, %q, want 1 and why", got.code, got.stderr)
	}
	for _, args := range [][]string{{"list"}, {"list", "--json"}} {
		out := done(t, append([]string{"core", "executor", "--data", folder}, args...)...)
		if !strings.Contains(out, first["key_id"]) || strings.Contains(out, first["executor_token"]) || strings.Contains(out, second["executor_token"]) {
			t.Errorf("%q: got %s, want the key without its tokens", args, out)
		}
	}
}

// What lists or revokes makes no folder, and says that nothing is there.
func TestCoreCommandsWithoutALab(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, what := range []string{"device", "executor"} {
		absent := fmt.Sprintf("the data folder %q does not exist", folder)
		if out := done(t, "core", what, "list", "--data", folder); !strings.Contains(out, "create") || !strings.Contains(out, absent) {
			t.Errorf("%s list: got %q, want that %s, and how to make one", what, out, absent)
		}
		if got := execute(t, "core", what, "list", "--json", "--data", folder); got.code != 0 || !strings.Contains(got.stdout, "[]") || !strings.Contains(got.stderr, absent) {
			t.Errorf("%s list --json: got exit %d, %q and %q, want an empty list and that %s", what, got.code, got.stdout, got.stderr, absent)
		}
		if got := execute(t, "core", what, "revoke", "nobody", "--data", folder); got.code != 1 || !strings.Contains(got.stderr, `"nobody"`) || !strings.Contains(got.stderr, absent) {
			t.Errorf("%s revoke: got exit %d, %q, want 1, the id and that %s", what, got.code, got.stderr, absent)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

func TestWrongCoreCommandLines(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{
		{"nothing"}, {"device", "nothing"}, {"device", "create"}, {"device", "create", "a", "b"}, {"device", "create", "a", "--session", "s"},
		{"device", "create", "a", "--server-url", "lab.example"}, {"device", "create", "a", "--server-url", "http://u@lab.example"},
		{"device", "create", "a", "--server-url", "http://lab.example/x"}, {"device", "create", "a", "--server-url", "http://lab.example?token=x"},
		{"device", "revoke"}, {"device", "list", "x"}, {"executor", "create"}, {"executor", "create", "--environment", "e"},
		{"executor", "rotate"}, {"executor", "revoke", "a", "b"}, {"device", "list", "--nothing"},
		{"device", "create", "a", "--environment", "env-1", "--session", testSession, "--workspace", "/w"},
		{"device", "create", "a", "--environment", testEnvironment, "--session", strings.ToUpper(testSession), "--workspace", "/w"},
		{"executor", "create", "--environment", testEnvironment, "--session", "ses-1", "--workspace", "/w"},
	} {
		got := execute(t, append([]string{"core"}, append(args, "--data", folder)...)...)
		if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "--help") {
			t.Errorf("%q: got exit %d, output %q, message %q, want 2, none, and where help is", args, got.code, got.stdout, got.stderr)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a wrong command line made the folder")
	}
	unfit := t.TempDir()
	for _, name := range []string{" ", "a\nb", strings.Repeat("n", 257)} {
		if got := execute(t, "core", "device", "create", name, "--data", unfit); got.code != 2 || got.stdout != "" {
			t.Errorf("name %.10q: got exit %d, %q, want 2 and nothing", name, got.code, got.stderr)
		}
	}
}

// wire 0.2: a binding that no frame could name is refused where it is made, by flag and value.
func TestUnfitBindingsAreNamed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "none")
	for _, command := range [][]string{{"device", "create", "a"}, {"executor", "create"}} {
		for flag, id := range map[string]string{"--environment": "env-1", "--session": "00000000-0000-0000-0000-000000000000"} {
			args := append(append([]string{"core"}, command...), "--data", folder, "--workspace", "/w", "--environment", testEnvironment, "--session", testSession, flag, id)
			want := fmt.Sprintf("%s: expected a UUID in lower case such as 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30, found %q", flag, id)
			if got := execute(t, args...); got.code != 2 || !strings.Contains(got.stderr, want) {
				t.Errorf("%q: got exit %d, %q, want 2 and %s", args, got.code, got.stderr, want)
			}
		}
	}
}

// What a profile cannot say of itself is noted when it is made: that nobody looked for the lab's address, and that
// another device has the name.
func TestDeviceCreateNotes(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	create := func(flags ...string) ran {
		return execute(t, append([]string{"core", "device", "create", "--data", folder, "twin"}, flags...)...)
	}
	first := create()
	if want := "no lab runs on " + folder + ", so the profile names the default address, http://127.0.0.1:7007"; !strings.Contains(first.stderr, want) || strings.Contains(first.stderr, "taken") {
		t.Errorf("got %q, want %s", first.stderr, want)
	}
	id := members(t, first.stdout)["runtime_id"]
	second := create("--server-url", "https://lab.example")
	if want := `the name "twin" is taken by ` + id; !strings.Contains(second.stderr, want) || strings.Contains(second.stderr, "address") {
		t.Errorf("got %q, want %s and nothing of the address", second.stderr, want)
	}
	for id := range devices(t, folder) {
		done(t, "core", "device", "revoke", id, "--data", folder)
	}
	if third := create("--server-url", "https://lab.example"); third.code != 0 || third.stderr != "" {
		t.Errorf("got %q, want no note where all others of the name are revoked", third.stderr)
	}
}

// H11: a place that cannot be written is named as it was given.
func TestUnwritablePlacesAreNamed(t *testing.T) {
	t.Parallel()
	room := t.TempDir()
	file := filepath.Join(room, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		filepath.Join(room, "none", "x.json"): fmt.Sprintf("the folder %q does not exist; create it", filepath.Join(room, "none")),
		filepath.Join(file, "x.json"):         "not a directory",
	} {
		got := execute(t, "core", "device", "create", "x", "--data", filepath.Join(room, "lab"), "--out", out)
		if got.code != 1 || !strings.Contains(got.stderr, fmt.Sprintf("write %q: ", out)) || !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, ".x.json") {
			t.Errorf("got exit %d, %q, want 1, %q and %s", got.code, got.stderr, out, want)
		}
	}
}

func TestCoreHelpShowsExamples(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"device"}, {"device", "create"}, {"device", "list"}, {"device", "revoke"}, {"executor"}, {"executor", "create"},
		{"executor", "rotate"}, {"executor", "list"}, {"executor", "revoke"},
	} {
		got := execute(t, append([]string{"help", "core"}, args...)...)
		if got.code != 0 || !strings.Contains(got.stdout, "Examples:") {
			t.Errorf("%q: got exit %d, %q, want help with examples", args, got.code, got.stdout)
		}
	}
}
