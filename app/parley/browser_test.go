package main_test

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// opener writes a script that records its arguments in a pipe, says something on standard error and exits.
func opener(t *testing.T, name string, exit string) (script, pipe string) {
	t.Helper()
	tools := t.TempDir()
	script, pipe = filepath.Join(tools, name), filepath.Join(tools, "seen")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + pipe + "\n" + exit + "\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script, pipe
}

// withBrowser is a command whose environment has no screen and the given BROWSER.
func withBrowser(t *testing.T, browser string, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary(t), args...)
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); name != "DISPLAY" && name != "WAYLAND_DISPLAY" && name != "BROWSER" {
			command.Env = append(command.Env, pair)
		}
	}
	command.Env = append(command.Env, "BROWSER="+browser)
	return command
}

func opens(t *testing.T, link string) bool {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode == http.StatusSeeOther
}

// BROWSER is a list of commands with arguments, as xdg-open reads it; no shell sees them, and no screen is needed.
func TestServeHonoursBROWSER(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, after string // of the script in BROWSER
		want          []string
	}{
		"a command":           {"", "", []string{"LINK"}},
		"arguments":           {"", " --new-tab a;b", []string{"--new-tab", "a;b", "LINK"}},
		"a place of the link": {"", " --url=%s --last", []string{"--url=LINK", "--last"}},
		"a missing one first": {"no-such-browser --x:", "", []string{"LINK"}},
		"a failing one first": {"false::", ":false", []string{"LINK"}},
		"no shell":            {"", " $(id) `id`", []string{"$(id)", "`id`", "LINK"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, pipe := opener(t, "browser", "exit 0")
			command := withBrowser(t, tt.before+script+tt.after, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir())
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			seen, err := os.ReadFile(pipe) // waits for the opener
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(string(seen), "\n"), "\n")
			for i, argument := range got {
				before, link, ok := strings.Cut(argument, "http://")
				if !ok {
					continue
				}
				got[i] = before + "LINK"
				if !opens(t, "http://"+link) {
					t.Errorf("the link in %q opens nothing", argument)
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got arguments %q, want %q", got, tt.want)
			}
			command.Process.Signal(syscall.SIGTERM)
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A browser that does not open is told with its command, its complaint and a link that is good; the log holds no token.
func TestServeSaysWhyTheBrowserWasNotOpened(t *testing.T) {
	t.Parallel()
	script, pipe := opener(t, "browser", `printf 'cannot show %s:\033 no luck\nmore\n' "$1" >&2; exit 3`)
	command := withBrowser(t, script, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	var log bytes.Buffer
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(pipe); err != nil { // waits for the opener
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "The browser was not opened") {
	}
	if got, want := lines.Text(), "The browser was not opened: "+script+": exit status 3: cannot show the link:  no luck"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	lines.Scan() // says what the next line is
	lines.Scan()
	if link := strings.TrimSpace(lines.Text()); !opens(t, link) {
		t.Errorf("the link %q opens nothing", link)
	}
	command.Process.Signal(syscall.SIGTERM)
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), "token=") || !strings.Contains(log.String(), "no luck") {
		t.Errorf("got log %s, want the complaint and no token", log.String())
	}
}

// design 4: a second serve is refused, and a person gets the page of the first.
func TestSecondServeOpensTheFirstForAPerson(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := serve(t, folder)
	for name, tt := range map[string]struct {
		flags []string
		exit  string // of the opener
		says  string // "": the opener is left alone
	}{
		"a person":            {nil, "exit 0", "that lab was opened in the browser, with "},
		"a browser that ends": {nil, "echo broken >&2; exit 1", ": exit status 1: broken"},
		"a person's wish":     {[]string{"--no-open"}, "exit 0", ""},
		"a program":           {[]string{"--json"}, "exit 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			script, seen := opener(t, "browser", tt.exit)
			if err := os.Remove(seen); err != nil { // a file this time: the program waits for the opener
				t.Fatal(err)
			}
			got := finish(t, withBrowser(t, script, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", folder}, tt.flags...)...), nil)
			message := string(got.stderr)
			if got.code != 1 || len(got.stdout) > 0 || !strings.Contains(message, "in use by the parley with pid ") || !strings.Contains(message, tt.says) {
				t.Errorf("got exit %d, output %q, message %q, want 1, none, a refusal that says %q", got.code, got.stdout, message, tt.says)
			}
			opened, err := os.ReadFile(seen)
			if (err == nil) != (tt.says != "") {
				t.Errorf("got opener called with %q (%v), want called %t", opened, err, tt.says != "")
			}
			_, printed, _ := strings.Cut(message, first.URL)
			for _, link := range []string{first.URL + strings.TrimSpace(printed), strings.TrimSpace(string(opened))} {
				if link != "" && !opens(t, link) {
					t.Errorf("the link %q opens nothing", link)
				}
			}
		})
	}
}

// A port that one of our labs has is told from one that a stranger has.
func TestServeNamesALabThatHasThePort(t *testing.T) {
	t.Parallel()
	first := serve(t, t.TempDir())
	addr := strings.TrimPrefix(first.URL, "http://")
	got := execute(t, "serve", "--no-open", "--addr", addr, "--data", t.TempDir())
	if got.code != 1 || !strings.Contains(got.stderr, "in use by a Parley lab") || !strings.Contains(got.stderr, "--addr 127.0.0.1:0") {
		t.Errorf("got exit %d, %q, want 1 with the lab and a free port", got.code, got.stderr)
	}
	report := execute(t, "doctor", "--addr", addr, "--data", t.TempDir())
	if report.code != 1 || !strings.Contains(report.stdout, "in use by a Parley lab") {
		t.Errorf("doctor: got exit %d, %q, want 1 with the lab", report.code, report.stdout)
	}
}
