package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app"
)

// serving is a `parley serve --json` that said it is ready.
type serving struct {
	app.Ready
	command *exec.Cmd
	stdin   io.WriteCloser
	log     *bytes.Buffer
	ended   chan error
}

// serve starts the program on a folder and reads the first line of its output, which must be the readiness line.
func serve(t *testing.T, folder string, flags ...string) *serving {
	t.Helper()
	return serveWith(t, folder, func(*exec.Cmd) {}, flags...)
}

// serveWith lets the test change the command before it starts.
func serveWith(t *testing.T, folder string, change func(*exec.Cmd), flags ...string) *serving {
	t.Helper()
	args := append([]string{"serve", "--json", "--no-open", "--addr", "127.0.0.1:0", "--data", folder}, flags...)
	s := &serving{command: exec.Command(binary(t), args...), log: &bytes.Buffer{}, ended: make(chan error, 1)}
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.stdin, err = s.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	s.command.Stderr = s.log
	change(s.command)
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() { s.command.Process.Kill() })
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		s.command.Wait()
		t.Fatalf("no readiness line: %v\n%s", err, s.log)
	}
	if err := json.Unmarshal([]byte(line), &s.Ready); err != nil {
		t.Fatalf("first line %q is not the readiness line: %v", line, err)
	}
	go func() { s.ended <- s.command.Wait() }()
	return s
}

// wait gives the exit code, -1 for a signal.
func (s *serving) wait(t *testing.T) int {
	t.Helper()
	select {
	case err := <-s.ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0
	case <-time.After(15 * time.Second):
		t.Fatalf("the lab did not end\n%s", s.log)
		return 0
	}
}

func (s *serving) get(t *testing.T, path string) (int, string) {
	t.Helper()
	key, err := os.ReadFile(s.APIKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// ran is a command that ended.
type ran struct {
	code           int
	stdout, stderr string
}

func execute(t *testing.T, args ...string) ran {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary(t), args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// design 3: one line with exactly these members, and what it says is true.
func TestServeSaysThatItIsReady(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	s := serve(t, folder)
	if s.PID != s.command.Process.Pid || s.Data != folder || s.APIKeyFile != filepath.Join(folder, "credentials", "api-key") ||
		!strings.HasPrefix(s.OpenURL, s.URL+"/open?token=") {
		t.Errorf("got %+v", s.Ready)
	}
	if status, body := s.get(t, "/healthz"); status != 200 {
		t.Errorf("healthz: got %d %s", status, body)
	}
	if status, body := s.get(t, "/api/v1/lab/state"); status != 200 || !strings.Contains(body, folder) {
		t.Errorf("state: got %d %s", status, body)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(s.OpenURL)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther || len(response.Cookies()) != 1 {
		t.Errorf("open_url: got %d with %d cookies, want 303 with one", response.StatusCode, len(response.Cookies()))
	}
}

// hostile-inputs 2 and ux-anchors S8: everything in the folder is for its owner alone.
func TestFilesAreForTheOwnerAlone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lab")
	s := serve(t, folder)
	files := 0
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s: got mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil || files < 4 {
		t.Errorf("looked at %d files (%v), want lock, database and two credentials at least", files, err)
	}
	s.command.Process.Signal(syscall.SIGTERM)
	s.wait(t)
}

// design 4: a second lab on the folder is refused with the pid of the first and a link to it.
func TestSecondServeIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := serve(t, folder)
	second := execute(t, "serve", "--json", "--no-open", "--addr", "127.0.0.1:0", "--data", folder)
	if second.code != 1 || second.stdout != "" {
		t.Errorf("got exit %d and output %q, want 1 and none", second.code, second.stdout)
	}
	if !strings.Contains(second.stderr, fmt.Sprint("pid ", first.PID)) {
		t.Errorf("message %q lacks the pid %d", second.stderr, first.PID)
	}
	_, token, _ := strings.Cut(second.stderr, first.URL)
	link := first.URL + strings.TrimSpace(token)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Errorf("the fresh link: got %d, want 303", response.StatusCode)
	}
}

// A link that was used, or not, opens nothing after a restart on the same port; a cookie goes on.
func TestLinksEndWithTheStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := serve(t, folder)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	open := func(path string, cookies ...*http.Cookie) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cookies {
			r.AddCookie(c)
		}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response
	}
	opened := open(first.OpenURL)
	if opened.StatusCode != http.StatusSeeOther {
		t.Fatalf("first use: got %d, want 303", opened.StatusCode)
	}
	first.command.Process.Signal(syscall.SIGTERM)
	first.wait(t)
	again := serve(t, folder, "--addr", strings.TrimPrefix(first.URL, "http://"))
	if got := open(first.OpenURL).StatusCode; got != http.StatusUnauthorized {
		t.Errorf("after a restart: got %d, want 401", got)
	}
	if got := open(again.URL+"/runner", opened.Cookies()...).StatusCode; got != http.StatusOK {
		t.Errorf("the cookie after a restart: got %d, want 200", got)
	}
	if got := open(again.OpenURL).StatusCode; got != http.StatusSeeOther {
		t.Errorf("the new link: got %d, want 303", got)
	}
}

// hostile-inputs S-1: what was acknowledged before a kill is there after it, and the lock does not stay.
func TestServeComesBackAfterAKill(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := serve(t, folder)
	id := act(t, s, "validate", "{}")
	s.command.Process.Kill()
	if code := s.wait(t); code != -1 {
		t.Fatalf("got exit %d, want a kill", code)
	}
	again := serve(t, folder)
	if status, body := again.get(t, "/api/v1/lab/records/"+id+"/request"); status != 200 || body != "{}" {
		t.Errorf("the record: got %d %q, want the acknowledged one", status, body)
	}
}

func act(t *testing.T, s *serving, name, body string) (record string) {
	t.Helper()
	key, err := os.ReadFile(s.APIKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/api/v1/lab/runner/"+name, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if record = response.Header.Get("Parley-Record"); record == "" {
		t.Fatalf("got %d and no record", response.StatusCode)
	}
	return record
}

// hostile-inputs S-2 and H10: a database that cannot be used is refused and stays as it is.
func TestUnusableDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"a text": "dear diary\n", "zero length": "", "a damaged file": "SQLite format 3\x00" + strings.Repeat("x", 8192)} {
		folder := t.TempDir()
		path := filepath.Join(folder, "parley.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got := execute(t, "serve", "--no-open", "--addr", "127.0.0.1:0", "--data", folder)
		if got.code != 1 || !strings.Contains(got.stderr, "parley.db") || !strings.Contains(got.stderr, "--data") {
			t.Errorf("%s: got exit %d, %q, want 1 with the file and what to do", name, got.code, got.stderr)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Errorf("%s: the file changed (%v)", name, err)
		}
		if report := execute(t, "doctor", "--data", folder, "--addr", "127.0.0.1:0"); report.code != 1 || !strings.Contains(report.stdout, "broken") {
			t.Errorf("%s: doctor: got exit %d, %q, want 1 and broken", name, report.code, report.stdout)
		}
	}
}

// H6: an address that cannot be bound is an error of the start, with what to do.
func TestAddressesThatCannotBe(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for addr, want := range map[string]struct {
		code int
		says []string
	}{
		taken.Addr().String(): {1, []string{"port " + port, "--addr 127.0.0.1:0"}},
		"0.0.0.0:0":           {2, []string{"--dangerously-listen"}},
		"[::]:0":              {2, []string{"--dangerously-listen"}},
		"some.example:7007":   {2, []string{"literal address"}},
		"127.0.0.1":           {2, []string{"literal address"}},
		"127.0.0.1:port":      {2, []string{"literal address"}},
		"127.0.0.1:700000":    {2, []string{"literal address"}},
	} {
		got := execute(t, "serve", "--no-open", "--json", "--data", t.TempDir(), "--addr", addr)
		if got.code != want.code || got.stdout != "" {
			t.Errorf("%s: got exit %d, output %q, want %d and none", addr, got.code, got.stdout, want.code)
		}
		for _, part := range want.says {
			if !strings.Contains(got.stderr, part) {
				t.Errorf("%s: message %q lacks %q", addr, got.stderr, part)
			}
		}
	}
}

// design 4: listening elsewhere leaves the offline runner routes and health.
func TestDangerousListeningServesTheContractOnly(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--addr", "0.0.0.0:0", "--dangerously-listen")
	if s.OpenURL != "" {
		t.Errorf("got open_url %q, want none", s.OpenURL)
	}
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	s.URL = "http://127.0.0.1:" + port
	for path, want := range map[string]int{"/healthz": 200, "/api/v1/runner/capabilities": 200, "/runner": 404, "/api/v1/lab/state": 404, "/open?token=x": 404} {
		if status, _ := s.get(t, path); status != want {
			t.Errorf("%s: got %d, want %d", path, status, want)
		}
	}
}

func binary(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
