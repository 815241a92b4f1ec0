package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/labstack/echo/v4"

	"parley/frontend"
)

// Options are what a Server needs. All but Exposed, Machine, Core and API are required, and those of the lab are ignored when it is set.
type Options struct {
	Runner     Runner
	Store      Store
	SessionKey []byte // seals cookies and open links
	Start      string // random id of this start of the lab: links of another start open nothing
	APIKey     string // bearer of programs
	Port       string // that is listened on, decimal
	Lab        frontend.Lab
	Data       string // the data folder, for people
	Now        func() time.Time
	Log        *slog.Logger
	Exposed    bool     // listening beyond this machine: only the offline runner contract, the machine connection and Core's API answer
	Machine    Machine  // nil: there is no machine connection, and its addresses do not exist
	Core       Core     // nil: there are no routes to Runtimes
	Sessions   Sessions // nil: there are no routes to Sessions
	API        API      // nil: there is no public API of Core, and its addresses do not exist
}

// Server is the handler of everything. It may be used by many requests at the same time.
type Server struct {
	echo    *echo.Echo
	exposed bool
	log     *slog.Logger
	allow   map[string]string
	lab     frontend.Lab

	credential *credential
	contract   *contract
	machine    machine
	api        coreAPI
	runtimes   runtimes
	sessions   sessions
	acts       *acts
	records    *records
	drafts     *drafts
	state      *state
	pages      *pages
	assets     http.Handler
}

// New builds the server from its table.
func New(o Options) (*Server, error) {
	if o.Runner == nil || o.Now == nil || o.Log == nil {
		return nil, errors.New("make server: runner, clock and log are required")
	}
	if !o.Exposed && (o.Store == nil || len(o.SessionKey) < 32 || o.Start == "" || o.APIKey == "" || o.Port == "") {
		return nil, errors.New("make server: store, session key of 32 bytes, start id, API key and port are required")
	}
	o.Lab.Core = o.Core != nil && !o.Exposed
	o.Lab.Sessions = o.Sessions != nil && !o.Exposed
	s := &Server{echo: echo.New(), exposed: o.Exposed, log: o.Log, lab: o.Lab, assets: frontend.Assets()}
	s.credential = newCredential(o.SessionKey, o.Start, o.APIKey, o.Port, o.Now)
	s.contract = &contract{runner: o.Runner}
	s.machine = machine{o.Machine}
	s.api = coreAPI{o.API}
	s.runtimes = runtimes{o.Core}
	s.sessions = sessions{o.Sessions}
	s.acts = newActs(o)
	s.records = &records{store: o.Store}
	s.drafts = &drafts{store: o.Store, now: o.Now}
	s.state = newState(o)
	s.pages = &pages{store: o.Store, core: o.Core, sessions: o.Sessions, lab: o.Lab, data: o.Data, now: o.Now, credential: s.credential}
	s.mount()
	return s, nil
}

func (s *Server) mount() {
	routes := s.served()
	s.allow = allowed(routes)
	s.echo.HTTPErrorHandler = s.fail
	for path := range s.allow {
		if s.machine.answersFor(path) {
			continue
		}
		// Echo would answer OPTIONS by itself, with 204; the contract says 405 for every other method.
		s.echo.OPTIONS(path, func(echo.Context) error { return echo.ErrMethodNotAllowed })
	}
	s.refuseOtherMethods(routes)
	for _, r := range routes {
		handle := s.contained(s.logged(s.guard(r.Group, r.handle)))
		s.echo.Add(r.Method, r.Path, handle)
		if r.Group == GroupMachine {
			s.echo.RouteNotFound(r.Path, handle) // every other method: the route refuses it in its own words
		}
	}
}

// ServeHTTP sets the headers that every answer carries and routes.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	s.echo.ServeHTTP(w, r)
}

// contained ends the connection of a handler that panicked: what happened is not known, so nothing is answered. The log
// gets the place but not the value, which may be a part of somebody's document (hostile-inputs U-2).
func (s *Server) contained(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			s.log.Error("handler panicked", "method", c.Request().Method, "path", c.Request().URL.Path,
				"kind", fmt.Sprintf("%T", value), "stack", string(debug.Stack()))
			panic(http.ErrAbortHandler)
		}()
		return next(c)
	}
}

// logged writes one line a request at level debug: the path without its query, which may hold a token.
func (s *Server) logged(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !s.log.Enabled(r.Context(), slog.LevelDebug) {
			return next(c)
		}
		started := time.Now()
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		s.log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", c.Response().Status, "elapsed", time.Since(started))
		return nil
	}
}
