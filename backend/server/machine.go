package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"parley/backend/gateway"
)

// machinePrefix is where the machine connection lies (behaviour 2).
const machinePrefix = "/api/v1/agent-daemon/"

// Machine is what the server needs of the machine connection. Its handlers ask for the method, the bearer and the body
// themselves, in the contract's order, and word their own refusals.
type Machine interface {
	Bootstrap(http.ResponseWriter, *http.Request)
	Status(http.ResponseWriter, *http.Request)
	Connect(http.ResponseWriter, *http.Request)
	Enroll(http.ResponseWriter, *http.Request)
	Connection(http.ResponseWriter, *http.Request)
	NotFound(http.ResponseWriter, *http.Request)
}

var _ Machine = (*gateway.Machine)(nil)

// machine mounts a Machine in echo.
type machine struct{ Machine }

func (m machine) bootstrap(c echo.Context) error  { return handled(c, m.Bootstrap) }
func (m machine) status(c echo.Context) error     { return handled(c, m.Status) }
func (m machine) connect(c echo.Context) error    { return handled(c, m.Connect) }
func (m machine) enroll(c echo.Context) error     { return handled(c, m.Enroll) }
func (m machine) connection(c echo.Context) error { return handled(c, m.Connection) }

func handled(c echo.Context, handle http.HandlerFunc) error {
	handle(c.Response(), c.Request())
	return nil
}

// answersFor tells whether an address is one of the machine connection's, known or not.
func (m machine) answersFor(path string) bool {
	return m.Machine != nil && strings.HasPrefix(path, machinePrefix)
}
