package server

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"parley/runner/schema"
)

const schemaSuffix = ".schema.json"

// Program is how a lab names itself at /healthz, so that a start which finds its port taken can tell by whom.
const Program = "parley"

type healthReport struct {
	Status  string `json:"status"`
	Program string `json:"program"`
}

func (s *Server) health(c echo.Context) error {
	return writeJSON(c, http.StatusOK, healthReport{Status: "ok", Program: Program})
}

// schemaIndex lists the published schemas with their addresses.
func (s *Server) schemaIndex(c echo.Context) error {
	type entry struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Path  string `json:"path"`
	}
	list := []entry{}
	for _, name := range schema.Names() {
		list = append(list, entry{name, schema.Title(name), "/schemas/" + name + schemaSuffix})
	}
	return writeJSON(c, http.StatusOK, map[string][]entry{"schemas": list})
}

func (s *Server) schemaFile(c echo.Context) error {
	name, ok := strings.CutSuffix(c.Param("file"), schemaSuffix)
	text, known := schema.Get(name)
	if !ok || !known {
		return refuse(CodeNotFound, "no schema has this name; /schemas/ lists them")
	}
	return writeDocument(c, http.StatusOK, text)
}

func (s *Server) static(c echo.Context) error {
	s.assets.ServeHTTP(c.Response(), c.Request())
	return nil
}
