package server

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// state answers what a program wants to know about a running lab.
type state struct {
	version string
	data    string
	started time.Time
	log     *slog.Logger

	mu    sync.Mutex
	pages map[string]int // pages that reported ready, by screen; under mu
}

func newState(o Options) *state {
	return &state{version: o.Lab.Version, data: o.Data, started: o.Now(), log: o.Log, pages: map[string]int{}}
}

// screens lists the screens that may report, so that a counter cannot grow without bound.
func screens() []string { return []string{"runner", "runs", "runtimes", "sessions"} }

// ready takes a page's word that it is shown and usable.
func (h *state) ready(c echo.Context) error {
	data, err := receive(c, jsonType, maxNote)
	if err != nil {
		return err
	}
	var note struct {
		Screen string `json:"screen"`
		Theme  string `json:"theme"`
	}
	if err := json.Unmarshal(data, &note); err != nil {
		return refuse(CodeBadRequest, "body: expected an object with screen and theme")
	}
	if !slices.Contains(screens(), note.Screen) || !slices.Contains([]string{"", "light", "dark"}, note.Theme) {
		return refuse(CodeBadRequest, "screen or theme: expected one that exists")
	}
	h.mu.Lock()
	h.pages[note.Screen]++
	h.mu.Unlock()
	h.log.Info("page ready", "screen", note.Screen, "theme", note.Theme)
	return c.NoContent(http.StatusNoContent)
}

func (h *state) read(c echo.Context) error {
	h.mu.Lock()
	ready := maps.Clone(h.pages)
	h.mu.Unlock()
	return writeJSON(c, http.StatusOK, struct {
		Version   string         `json:"version"`
		StartedAt time.Time      `json:"started_at"`
		Data      string         `json:"data"`
		Ready     map[string]int `json:"ready"`
	}{h.version, h.started.UTC(), h.data, ready})
}
