package server

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"parley/frontend"
)

// runtimes shows the Runtimes; an address with a device opens that one.
func (h *pages) runtimes(c echo.Context) error {
	view := h.runtimesView(c.Request().Context())
	view.Selected = c.Param("device")
	status := http.StatusOK
	if view.Missing() {
		status = http.StatusNotFound
	}
	return render(c, status, frontend.RuntimesPage(view))
}

// runtimesLive answers with the parts of the screen that change; a device that is gone is said in them.
func (h *pages) runtimesLive(c echo.Context) error {
	view := h.runtimesView(c.Request().Context())
	view.Selected = c.QueryParam("device")
	return render(c, http.StatusOK, frontend.RuntimesLive(view))
}

// railLive answers with the rail's part of a page.
func (h *pages) railLive(c echo.Context) error {
	return render(c, http.StatusOK, frontend.RailPart(h.labNow(c.Request().Context())))
}

// labNow is the lab with what the rail says of its Runtimes.
func (h *pages) labNow(ctx context.Context) frontend.Lab {
	if h.core == nil {
		return h.lab
	}
	return h.runtimesView(ctx).Lab
}

func (h *pages) runtimesView(ctx context.Context) frontend.RuntimesView {
	view := frontend.RuntimesView{Lab: h.lab, Now: h.now().Local(), Data: h.data}
	all, err := h.core.Runtimes(ctx)
	if err != nil {
		view.Error = rowFor(problemOf(err).Code).Why
	}
	view.Revoked = all.Revoked
	for _, r := range all.List {
		view.Runtimes = append(view.Runtimes, runtimeView(r))
	}
	view.Lab.Rail = frontend.RailOf(view)
	return view
}

func runtimeView(r Runtime) frontend.RuntimeView {
	view := frontend.RuntimeView{ID: r.DeviceID, Name: r.Name, Own: r.Own, Online: r.Online, LastSeen: local(r.LastSeen),
		State: r.State, StateSince: local(r.StateSince), Failures: r.Failures, NextAttempt: local(r.NextAttempt), LastError: r.LastError,
		Declared: r.Declared}
	if c := r.Connection; c != nil {
		view.Connection = &frontend.ConnectionView{Since: local(c.Since), Build: c.Build, Active: c.Active, In: c.In, Out: c.Out, Dropped: c.Dropped}
	}
	if e := r.LastEnd; e != nil {
		view.LastEnd = &frontend.EndView{At: local(e.At), ByCore: e.ByCore, Code: e.Code, Why: e.Why}
	}
	for _, k := range r.Kinds {
		view.Kinds = append(view.Kinds, frontend.KindView{Name: k.Kind, Available: k.Available, Version: k.Version, Capabilities: k.Capabilities})
	}
	return view
}

// local leaves a time that is not known as it is.
func local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Local()
}
