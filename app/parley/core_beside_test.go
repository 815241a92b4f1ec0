package main_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"parley/app/data"
	"parley/backend/gateway"
	"parley/backend/server"
	"parley/backend/store"
	"parley/frontend"
	"parley/runner/attempt"
)

// runningLab is a lab of this process on a folder: it holds the lock, the database and a port. It gives its address.
func runningLab(t *testing.T, path string) string {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	folder, err := data.Enter(path, log)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := folder.Acquire(os.Getpid(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), folder.Database())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	machine, err := gateway.NewMachine(gateway.MachineConfig{Devices: s, PublicURL: func() string { return "ws://" + addr },
		Accept: func(w http.ResponseWriter, _ *http.Request, _ gateway.Device) {
			w.WriteHeader(http.StatusNotImplemented)
		},
		Online: func(string) bool { return false }, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	runner, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := server.New(server.Options{Runner: runner, Store: s, SessionKey: make([]byte, 32), Start: "start", APIKey: "parley_key",
		Port: "1", Lab: frontend.Lab{Version: "1"}, Data: path, Now: time.Now, Log: log, Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	face := server.NewFace(context.Background(), handler, log)
	served := make(chan error, 1)
	go func() { served <- face.Serve(listener) }()
	if err := lock.Announce("http://" + addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for what, err := range map[string]error{"stop": face.Stop(ctx), "serve": <-served, "close": s.Close(), "release": lock.Release()} {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	return "http://" + addr
}

// post sends a body with a bearer and gives status and body of the answer.
func post(t *testing.T, url, bearer, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// behaviour 2.2 and design 3: a device that is made beside a running lab connects to it at once, and is refused at once
// when it is revoked there.
func TestDeviceCommandsWorkBesideARunningLab(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	url := runningLab(t, folder)
	profile := members(t, done(t, "core", "device", "create", "quay-east", "--data", folder))
	if profile["server_url"] != url+"/api/v1" {
		t.Errorf("got server_url %s, want that of the running lab, %s", profile["server_url"], url)
	}
	bootstrap := profile["server_url"] + "/agent-daemon/bootstrap"
	body := `{"device_id":"` + profile["runtime_id"] + `"}`
	if status, text := post(t, bootstrap, profile["runner_credential"], body); status != http.StatusOK || !strings.Contains(text, "ws"+strings.TrimPrefix(url, "http")) {
		t.Errorf("bootstrap: got %d %s, want 200 with the WebSocket's address", status, text)
	}
	done(t, "core", "device", "revoke", profile["runtime_id"], "--data", folder)
	if status, text := post(t, bootstrap, profile["runner_credential"], body); status != http.StatusUnauthorized || !strings.Contains(text, "bad_credential") {
		t.Errorf("after revocation: got %d %s, want 401 bad_credential", status, text)
	}
	// The last step: a process that reads its own database's files gives SQLite's locks on them away.
	if found := filesWith(t, folder, profile["runner_credential"]); len(found) != 0 {
		t.Errorf("the credential is in %q, want it in no file, the log of the database included", found)
	}
}

// behaviour 2.3: so do executor credentials, and their device.
func TestExecutorCommandsWorkBesideARunningLab(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	url := runningLab(t, folder) + "/api/v1/agent-daemon/enroll"
	first := members(t, done(t, "core", "executor", "create", "--environment", testEnvironment, "--session", testSession, "--workspace", "/w", "--data", folder))
	body := `{"environment_id":"` + testEnvironment + `"}`
	if status, text := post(t, url, first["executor_token"], body); status != http.StatusOK || !strings.Contains(text, `"session_id":"`+testSession+`"`) {
		t.Errorf("enroll: got %d %s, want 200 with the binding", status, text)
	}
	second := members(t, done(t, "core", "executor", "rotate", first["key_id"], "--data", folder))
	for token, want := range map[string]int{first["executor_token"]: 401, second["executor_token"]: 200} {
		if status, text := post(t, url, token, body); status != want {
			t.Errorf("after rotation: got %d %s, want %d", status, text, want)
		}
	}
	if list := devices(t, folder); len(list) != 1 {
		t.Errorf("got devices %v, want one", list)
	}
}
