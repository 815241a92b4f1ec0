package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// fail is the one place where an error becomes an answer and, where it is the lab's own fault, a line in the log.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		s.log.Error("answer was cut short", "path", c.Request().URL.Path, "error", err)
		return
	}
	if s.machine.answersFor(c.Request().URL.Path) && errors.Is(err, echo.ErrNotFound) {
		s.machine.NotFound(c.Response(), c.Request())
		return
	}
	p := s.judge(err, c)
	row := rowFor(p.Code)
	if row.Status >= http.StatusInternalServerError {
		s.log.Error("request failed", "method", c.Request().Method, "path", c.Request().URL.Path, "error", err)
	}
	if s.api.answersFor(c.Request().URL.Path) {
		s.api.Refuse(c.Response(), row.Status, string(p.Code), p.message())
		return
	}
	if s.exposed || speaksJSON(c.Request().URL.Path) {
		writeProblem(c, row.Status, p)
		return
	}
	if p.Code == CodeNotLocal {
		_ = c.HTML(row.Status, notLocalPage(row)) // a client that went away cannot be told
		return
	}
	if err := render(c, row.Status, problemPage(s.lab, p)); err != nil {
		s.log.Error("error page was not shown", "path", c.Request().URL.Path, "error", err)
	}
}

// notLocalPage is small and always the same: under a rebound name another site's script can read it, and must learn
// nothing, not even which version this is (hostile-inputs H-1).
func notLocalPage(row Row) string {
	return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Refused</title></head><body><h1>` + row.What +
		`</h1><p>` + row.Why + `</p><p>` + row.Next + `</p><p>` + string(row.Code) + `</p></body></html>`
}

// judge finds the problem behind an error. Addresses and methods that do not exist get the local guard too, so that
// another site learns nothing from the difference.
func (s *Server) judge(err error, c echo.Context) *problem {
	var routing *echo.HTTPError
	if !errors.As(err, &routing) {
		return problemOf(err)
	}
	if !unguarded(c.Request().URL.Path) && !s.exposed && CallerOf(c.Request()).Local() != nil {
		return &problem{Code: CodeNotLocal}
	}
	switch routing.Code {
	case http.StatusMethodNotAllowed:
		c.Response().Header().Set("Allow", s.allow[c.Path()])
		return &problem{Code: CodeMethodNotAllowed}
	case http.StatusNotFound:
		return &problem{Code: CodeNotFound, Detail: s.neighbours(c.Request().URL.Path)}
	}
	return &problem{Code: CodeInternal, cause: err}
}

// neighbours lists the contract's routes for an address among them that does not exist.
func (s *Server) neighbours(path string) string {
	if !strings.HasPrefix(path, "/api/v1/runner/") {
		return ""
	}
	var list []string
	for _, r := range s.served() {
		if r.Group == GroupContract {
			list = append(list, r.Method+" "+r.Path)
		}
	}
	return "the runner contract has " + strings.Join(list, ", ")
}

// unguarded tells the paths whose groups have no local guard.
func unguarded(path string) bool {
	return underAny(path, "/api/v1/runner/", machinePrefix, "/static/", "/schemas/", "/healthz", openAPIPath)
}

func speaksJSON(path string) bool {
	return underAny(path, "/api/", "/v1/", "/static/", "/schemas/", "/healthz")
}

func underAny(path string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// refusal is the body of every JSON answer that is no success.
type refusal struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

func writeProblem(c echo.Context, status int, p *problem) {
	_ = writeJSON(c, status, refusal{p.Code, p.message()}) // the type always encodes
}

func writeJSON(c echo.Context, status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeDocument(c, status, append(text, '\n'))
}
