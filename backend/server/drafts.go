package server

import (
	"net/http"
	"regexp"
	"time"

	"github.com/labstack/echo/v4"

	"parley/backend/store"
)

// drafts keeps the editor's texts between visits. A text is data: it is neither parsed nor rendered here.
type drafts struct {
	store Drafts
	now   func() time.Time
}

func (h *drafts) read(c echo.Context) error {
	name, err := draftName(c)
	if err != nil {
		return err
	}
	draft, err := h.store.Draft(c.Request().Context(), name)
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, textType+"; charset=utf-8", draft.Body)
}

func (h *drafts) save(c echo.Context) error {
	name, err := draftName(c)
	if err != nil {
		return err
	}
	body, err := receive(c, textType, maxDocument)
	if err != nil {
		return err
	}
	if err := h.store.SaveDraft(c.Request().Context(), store.Draft{Name: name, Body: body, Updated: h.now()}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (h *drafts) remove(c echo.Context) error {
	name, err := draftName(c)
	if err != nil {
		return err
	}
	if err := h.store.DeleteDraft(c.Request().Context(), name); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func draftName(c echo.Context) (string, error) {
	name := c.Param("name")
	if !isDraftName(name) {
		return "", refuse(CodeBadRequest, "name: expected 1 to 64 lower-case letters, digits and hyphens, not a hyphen first")
	}
	return name, nil
}

func isDraftName(s string) bool {
	ok, err := regexp.MatchString(`^[a-z0-9][a-z0-9-]{0,63}$`, s)
	return ok && err == nil
}
