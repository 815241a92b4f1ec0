package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"parley/backend/store"
	"parley/frontend"
)

// pages turns stored values into view structs and shows them.
type pages struct {
	store      Store
	core       Core     // nil: no Runtimes
	sessions   Sessions // nil: no Sessions
	lab        frontend.Lab
	data       string // the data folder, for people
	now        func() time.Time
	credential *credential
}

func (h *pages) home(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/runner") }

// open exchanges the token. A browser that came from a page of another origin is sent on by a page of ours: after a
// redirect it would still count as coming from there, and would leave the new cookie out.
func (h *pages) open(c echo.Context) error {
	cookie, err := h.credential.exchange(c.QueryParam("token"))
	if err != nil {
		if h.credential.admits(c.Request()) {
			return c.Redirect(http.StatusSeeOther, "/runner") // the link was used before, in this very browser
		}
		return &problem{Code: CodeLinkSpent, cause: err}
	}
	c.SetCookie(cookie)
	if CallerOf(c.Request()).isOwnFetch() {
		return c.Redirect(http.StatusSeeOther, "/runner")
	}
	return c.HTML(http.StatusOK, `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Parley</title>`+
		`<meta http-equiv="refresh" content="0; url=/runner"></head><body><a href="/runner">Open the lab</a></body></html>`)
}

func (h *pages) runner(c echo.Context) error {
	if id := c.QueryParam("from"); id != "" {
		return h.runnerFrom(c, id)
	}
	return h.showRunner(c, frontend.RunnerView{Draft: frontend.DefaultDraft, Path: "/runner"})
}

// runnerFrom opens the request of a stored record.
func (h *pages) runnerFrom(c echo.Context, id string) error {
	record, err := h.store.Record(c.Request().Context(), id)
	if err != nil {
		return err
	}
	return h.showRunner(c, frontend.RunnerView{Draft: frontend.RecordDraft(record.ID), Path: "/runner?from=" + record.ID,
		Base: string(record.Request), Title: "record " + record.ID})
}

// runnerNamed opens a sample with the edits that were made to it, or a draft.
func (h *pages) runnerNamed(c echo.Context) error {
	name := c.Param("name")
	if !isDraftName(name) {
		return refuse(CodeNotFound, "no draft or sample can have this name")
	}
	view := frontend.RunnerView{Draft: name, Path: "/runner/" + name}
	sample, known := frontend.SampleNamed(name)
	if !known {
		if _, err := h.store.Draft(c.Request().Context(), name); err != nil {
			return err
		}
		return h.showRunner(c, view)
	}
	view.Base, view.Title = string(sample.Body), "sample "+sample.Name
	return h.showRunner(c, view)
}

func (h *pages) showRunner(c echo.Context, view frontend.RunnerView) error {
	ctx := c.Request().Context()
	view.Lab, view.Text = h.labNow(ctx), view.Base
	switch draft, err := h.store.Draft(ctx, view.Draft); {
	case err == nil:
		view.Text = string(draft.Body)
	case !errors.Is(err, store.ErrNotFound):
		view.Notice = "The draft could not be read: " + rowFor(problemOf(err).Code).Why
	}
	recent, err := h.store.Records(ctx, 0, frontend.RecentRecords)
	if err != nil {
		view.RecentError = rowFor(problemOf(err).Code).Why
	}
	view.Recent = rowsOf(recent)
	return render(c, http.StatusOK, frontend.RunnerPage(view))
}

func (h *pages) history(c echo.Context) error {
	before, err := number(c, "before", 0)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	view := frontend.HistoryView{Lab: h.labNow(ctx), First: before == 0, Total: -1}
	rows, err := h.store.Records(ctx, before, defaultPage)
	if err != nil {
		view.Error = rowFor(problemOf(err).Code).Why
	}
	view.Rows = rowsOf(rows)
	if key := nextKey(rows, defaultPage); key > 0 {
		view.Older = "/runs?before=" + strconv.FormatInt(key, 10)
	}
	// Records are numbered without gaps and never deleted, so the newest number is their count.
	switch latest, err := h.store.LatestRecord(ctx, ""); {
	case err == nil:
		view.Total = int(latest.Seq)
	case errors.Is(err, store.ErrNotFound):
		view.Total = 0
	}
	return render(c, http.StatusOK, frontend.HistoryPage(view))
}

// record shows one record; latest is resolved once, to the address that stays (ux-anchors U9).
func (h *pages) record(c echo.Context) error {
	id, ctx := c.Param("id"), c.Request().Context()
	if id == "latest" {
		latest, err := h.store.LatestRecord(ctx, "")
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/runs/"+latest.ID)
	}
	stored, err := h.store.Record(ctx, id)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, frontend.RecordPage(frontend.RecordOf(h.labNow(ctx), recordOf(stored))))
}

func recordOf(r store.Record) frontend.Record {
	return frontend.Record{ID: r.ID, Act: frontend.Act(r.Act), At: r.At.Local(), Elapsed: r.Elapsed,
		Request: r.Request, Answer: r.Answer, Receipt: r.Receipt}
}

func rowsOf(list []store.Summary) []frontend.RecordRow {
	rows := []frontend.RecordRow{}
	for _, s := range list {
		rows = append(rows, frontend.RowOf(frontend.RowFacts{ID: s.ID, At: s.At.Local(), Act: frontend.Act(s.Act),
			Verdict: s.Verdict, Exit: &s.ExitCode, Calls: s.EngineCalls, Task: s.Task, Trial: s.Trial}))
	}
	return rows
}
