package server

import (
	"slices"

	"github.com/labstack/echo/v4"
)

// Group says which guard stands in front of a route.
type Group string

// The seven groups.
const (
	GroupContract Group = "runner contract"    // exactly runner 7: no local guard, no credential
	GroupMachine  Group = "machine connection" // exactly behaviour 2: no local guard; each route asks for its own bearer
	GroupCore     Group = "Core's API"         // local guard unless exposed; the API asks for its key and words its refusals
	GroupPublic   Group = "public"             // no guard: nothing of the user's is there
	GroupOpen     Group = "open"               // local guard; exchanges a token for the credential
	GroupLab      Group = "lab"                // local guard and credential; refusals are JSON
	GroupPages    Group = "pages"              // local guard and credential; refusals are pages
)

// Groups lists them with what a caller has to know.
func Groups() []GroupRow {
	return []GroupRow{
		{GroupContract, "none on the route; paid runs ask the rules of the local guard (runner 7.3)"},
		{GroupMachine, "none on the route; each asks for a device's or executor's own credential as bearer, which no page can send on an upgrade (behaviour 2)"},
		{GroupCore, "local, unless the lab listens beyond this machine; an API key as bearer, never a cookie, and OpenAI-Beta: agents=v1 (behaviour 8.6)"},
		{GroupPublic, "none"},
		{GroupOpen, "local, except that another program's page may navigate to it; the token is the credential"},
		{GroupLab, "local, and the session cookie or the API key as bearer; refusals are JSON"},
		{GroupPages, "local, and the session cookie or the API key as bearer; refusals are pages"},
	}
}

// GroupRow is a group and its guard in words.
type GroupRow struct {
	Group Group
	Guard string
}

// guard wraps a handler in its group's guard. It refuses before anything of the request is read or done.
func (s *Server) guard(group Group, next echo.HandlerFunc) echo.HandlerFunc {
	switch group {
	case GroupContract, GroupMachine, GroupPublic:
		return next
	case GroupCore:
		return func(c echo.Context) error {
			if !s.exposed && CallerOf(c.Request()).Local() != nil {
				return refuse(CodeNotLocal, "")
			}
			return next(c)
		}
	case GroupOpen:
		return func(c echo.Context) error {
			if !arrives(CallerOf(c.Request()), c) {
				return refuse(CodeNotLocal, "")
			}
			return next(c)
		}
	}
	return func(c echo.Context) error {
		if CallerOf(c.Request()).Local() != nil {
			return refuse(CodeNotLocal, "")
		}
		if !s.credential.admits(c.Request()) {
			return refuse(CodeNoCredential, "")
		}
		return next(c)
	}
}

// arrives lets a page of another origin navigate to /open: the desktop window starts from a page of its own scheme, and
// so does a link in another program's page. The token protects the route; nothing else is reachable this way.
func arrives(caller Caller, c echo.Context) bool {
	header := c.Request().Header
	if slices.Equal(header["Sec-Fetch-Mode"], []string{"navigate"}) && slices.Equal(header["Sec-Fetch-Dest"], []string{"document"}) {
		caller.FetchSites = nil
	}
	return caller.Local() == nil
}
