package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// Where Core's public API lies (behaviour 8.6), and its description, for which no key is needed.
const (
	coreAPIPrefix = "/v1/"
	openAPIPath   = "/v1/openapi.json"
)

// maxCoreBody bounds the body of a request to Core's API, in bytes (behaviour 8.6).
const maxCoreBody = 1 << 20

// API is what the server needs of Core's public API: a handler for each route of the table. They find the parts of the
// address as path values, ask for version, key and body themselves, in the contract's order, and word their own refusals.
type API interface {
	CreateAgent(http.ResponseWriter, *http.Request)
	ListAgents(http.ResponseWriter, *http.Request)
	GetAgent(http.ResponseWriter, *http.Request)
	UpdateAgent(http.ResponseWriter, *http.Request)
	DeleteAgent(http.ResponseWriter, *http.Request)
	CreateSession(http.ResponseWriter, *http.Request)
	ListSessions(http.ResponseWriter, *http.Request)
	GetSession(http.ResponseWriter, *http.Request)
	UpdateSession(http.ResponseWriter, *http.Request)
	DeleteSession(http.ResponseWriter, *http.Request)
	AddEvents(http.ResponseWriter, *http.Request)
	StreamEvents(http.ResponseWriter, *http.Request)
	ListTurns(http.ResponseWriter, *http.Request)
	GetTurn(http.ResponseWriter, *http.Request)
	ListItemsOfTurn(http.ResponseWriter, *http.Request)
	ListItems(http.ResponseWriter, *http.Request)
	GetEnvironment(http.ResponseWriter, *http.Request)
	OpenAPI(http.ResponseWriter, *http.Request)

	// Refuse answers in the API's words for what the server refuses by itself.
	Refuse(w http.ResponseWriter, status int, code, message string)
}

// coreAPI mounts an API in echo.
type coreAPI struct{ API }

// does gives echo's form of a handler.
func (a coreAPI) does(handle func(API, http.ResponseWriter, *http.Request)) echo.HandlerFunc {
	return func(c echo.Context) error {
		for _, name := range c.ParamNames() {
			if strings.Contains(c.Param(name), "/") {
				return echo.ErrNotFound // echo lets the last part of an address be several
			}
			c.Request().SetPathValue(name, c.Param(name))
		}
		handle(a.API, c.Response(), c.Request())
		return nil
	}
}

// answersFor tells whether an address is one of Core's API, known or not.
func (a coreAPI) answersFor(path string) bool {
	return a.API != nil && strings.HasPrefix(path, coreAPIPrefix)
}

// refuseOtherMethods keeps an address that is also of the form of another route, as /v1/agents/sessions is of
// /v1/agents/:id, from being taken for that one where only the other takes the method.
func (s *Server) refuseOtherMethods(routes []Route) {
	for path, allow := range s.allow {
		if !s.api.answersFor(path) {
			continue
		}
		for _, r := range routes {
			if r.Group == GroupCore && !slices.Contains(strings.Split(allow, ", "), r.Method) {
				s.echo.Add(r.Method, path, func(echo.Context) error { return echo.ErrMethodNotAllowed })
			}
		}
	}
}
