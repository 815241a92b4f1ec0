package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/backend/server"
	"parley/backend/store"
	"parley/frontend"
	"parley/runner/attempt"
)

// bare is a server without a socket, for tests with a clock of their own.
type bare struct {
	t       *testing.T
	handler http.Handler
}

func newHandler(t *testing.T) *bare {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	service, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	records, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { records.Close() })
	handler, err := server.New(server.Options{Runner: service, Store: records, SessionKey: []byte(sessionKey), Start: startID, APIKey: apiKey,
		Port: "80", Lab: frontend.Lab{Version: "1.2.3"}, Now: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return &bare{t, handler}
}

func (b *bare) get(url, cookie string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	r.RemoteAddr = "127.0.0.1:5"
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
