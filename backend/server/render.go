package server

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"parley/frontend"
)

// render writes a component into memory before the status, so that a failure in it is still an error.
func render(c echo.Context, status int, component templ.Component) error {
	var page bytes.Buffer
	if err := component.Render(c.Request().Context(), &page); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	return c.HTMLBlob(status, page.Bytes())
}

// problemPage is the page of a problem: how to open the lab, or what went wrong and what to do.
func problemPage(lab frontend.Lab, p *problem) templ.Component {
	row := rowFor(p.Code)
	if p.Code == CodeNoCredential {
		return frontend.SignInPage()
	}
	view := frontend.ErrorView{Lab: lab, Status: row.Status, Code: string(p.Code), What: row.What, Why: row.Why + " " + row.Next}
	if p.Detail != "" {
		view.Why = row.Why + " (" + p.Detail + ") " + row.Next
	}
	if row.Status == http.StatusUnauthorized {
		view.Means = "Nothing was read or changed."
	}
	if p.Code != CodeLinkSpent { // nothing opens without a credential
		view.Next = []frontend.Link{{Path: "/runner", Word: "Open the runner lab"}, {Path: "/runs", Word: "Look in the history"}}
	}
	return frontend.ErrorPage(view)
}
