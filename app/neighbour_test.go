package app_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/app"
)

// Whoever has the port is asked for a moment only, and believed only when it answers as a lab does.
func TestStrangersOnThePortAreNotTakenForALab(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"not found":     http.NotFound,
		"another":       func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"status":"ok"}`) },
		"no JSON":       func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "parley") },
		"a failing lab": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"program":"parley"}`, 500) },
		"elsewhere":     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/lab", http.StatusFound) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, strings.Repeat(" ", 1024))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.HandleFunc("/", handler)
			mux.HandleFunc("/lab", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"program":"parley"}`) })
			stranger := httptest.NewServer(mux)
			defer stranger.Close()
			refused(t, stranger.Listener.Addr().String())
		})
	}
}

func TestASilentStrangerOnThePortIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	started := time.Now()
	refused(t, silent.Addr().String())
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("refused after %s, want about half a second", took)
	}
}

func refused(t *testing.T, addr string) {
	t.Helper()
	err := app.Serve(t.Context(), app.Config{Addr: addr, Data: t.TempDir(), NoOpen: true, Getenv: noEnvironment,
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	var taken *app.AddressError
	if !errors.As(err, &taken) || !strings.Contains(taken.Why, "in use by another program") {
		t.Errorf("got %v, want a port in use by another program", err)
	}
}
