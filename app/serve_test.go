package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/app"
	"parley/app/data"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func noEnvironment(string) string { return "" }

// running is a lab inside the test's own process.
type running struct {
	app.Ready
	log *lines
	end func() error // stops it and gives what Serve returned
}

// lines is a stream that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs Serve until its first line of output.
func start(t *testing.T, c app.Config) (*running, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stdout, writer := io.Pipe()
	r := &running{log: &lines{}}
	c.Stdin, c.Stdout, c.Stderr, c.Addr = strings.NewReader(""), writer, r.log, "127.0.0.1:0"
	if c.Getenv == nil {
		c.Getenv = noEnvironment
	}
	served := make(chan error, 1)
	go func() { served <- app.Serve(ctx, c); writer.Close() }()
	r.end = sync.OnceValue(func() error { cancel(); return <-served })
	t.Cleanup(func() {
		if err := r.end(); err != nil {
			t.Errorf("serve: %v\n%s", err, r.log)
		}
	})
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadString('\n')
	if err != nil {
		t.Fatalf("no first line: %v; %v", err, r.end())
	}
	rest := make(chan string, 1)
	go func() { text, _ := io.ReadAll(reader); rest <- string(text) }()
	if c.JSON {
		if err := json.Unmarshal([]byte(line), &r.Ready); err != nil {
			t.Fatal(err)
		}
		return r, line
	}
	t.Cleanup(func() { r.end(); <-rest })
	return r, line
}

func TestServeTellsPeopleInText(t *testing.T) {
	t.Parallel()
	r, line := start(t, app.Config{Data: t.TempDir(), NoOpen: true})
	if !strings.HasPrefix(line, "Parley runs at http://127.0.0.1:") {
		t.Errorf("got first line %q", line)
	}
	if strings.Contains(r.log.String(), "token=") {
		t.Error("the log holds the token")
	}
}

// What another process of the owner finds out about a folder.
func TestRunningGivesAFreshLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, _, found, err := app.Running(filepath.Join(folder, "none"), noEnvironment); found || err != nil {
		t.Errorf("no folder: got found %t (%v), want none", found, err)
	}
	if _, _, found, err := app.Running(folder, noEnvironment); found || err != nil {
		t.Errorf("no lab: got found %t (%v), want none", found, err)
	}
	r, _ := start(t, app.Config{Data: folder, NoOpen: true, JSON: true})
	link, pid, found, err := app.Running(folder, noEnvironment)
	if err != nil || !found || pid != os.Getpid() || !strings.HasPrefix(link, r.URL+"/open?token=") || link == r.OpenURL {
		t.Fatalf("got %q, pid %d, found %t (%v), want a fresh link of this process", link, pid, found, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, url := range []string{link, r.OpenURL} { // each is good once
		response, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusSeeOther {
			t.Errorf("got %d, want 303", response.StatusCode)
		}
	}
	err = app.Serve(t.Context(), app.Config{Data: folder, Addr: "127.0.0.1:0", NoOpen: true, Getenv: noEnvironment,
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	var refused *app.RunningError
	if !errors.As(err, &refused) || refused.Held.Holder.PID != os.Getpid() || refused.OpenURL == "" {
		t.Errorf("second lab: got %v, want a RunningError with a link", err)
	}
	if err := r.end(); err != nil {
		t.Error(err)
	}
	if _, _, found, err := app.Running(folder, noEnvironment); found || err != nil {
		t.Errorf("after the stop: got found %t (%v), want none", found, err)
	}
}

// performance B10: a start waits for a lab that is just ending.
func TestServeWaitsForALabThatEnds(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	folder, err := data.Existing(path)
	if err != nil {
		t.Fatal(err)
	}
	ending, err := folder.Acquire(1, time.Now()) // holds, and has no address any more
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-time.After(200 * time.Millisecond)
		ending.Release()
	}()
	start(t, app.Config{Data: path, NoOpen: true, JSON: true})
}

// The browser gets a link of its own; a browser that cannot be opened stops nothing.
func TestServeOpensTheBrowser(t *testing.T) {
	tools := t.TempDir()
	pipe := filepath.Join(tools, "opened")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+pipe+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	screen := func(name string) string { return map[string]string{"DISPLAY": ":0"}[name] }
	r, _ := start(t, app.Config{Data: t.TempDir(), JSON: true, Getenv: screen})
	link, err := os.ReadFile(pipe) // waits for the opener
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(link)); !strings.HasPrefix(got, r.URL+"/open?token=") || got == r.OpenURL {
		t.Errorf("opened %q, want a link of its own to %s", got, r.URL)
	}
}

func TestServeWithoutABrowserGoesOn(t *testing.T) {
	t.Parallel()
	r, _ := start(t, app.Config{Data: t.TempDir(), JSON: true})
	response, err := http.Get(r.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err := r.end(); err != nil || !strings.Contains(r.log.String(), "browser was not opened") {
		t.Errorf("got %v and log %s, want a clean stop and a word about the browser", err, r.log)
	}
}

func TestServeNeedsItsStreams(t *testing.T) {
	t.Parallel()
	if err := app.Serve(t.Context(), app.Config{}); err == nil {
		t.Error("got no error, want one")
	}
}
