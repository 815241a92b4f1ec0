package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"parley/backend/store"
)

const defaultPage = 50

// records shows what was filed. Nothing here changes a record; nothing can.
type records struct{ store Records }

// recordLine is one record of the list.
type recordLine struct {
	ID          string    `json:"id"`
	Seq         int64     `json:"seq"`
	Act         string    `json:"act"`
	At          time.Time `json:"at"`
	ElapsedUS   int64     `json:"elapsed_us"`
	Verdict     string    `json:"verdict"`
	ExitCode    int       `json:"exit_code"`
	EngineCalls *int      `json:"engine_calls"` // null: not known
	Task        string    `json:"task,omitempty"`
	Trial       int       `json:"trial,omitempty"`
	Digest      string    `json:"canonical_digest,omitempty"`
}

func lineOf(s store.Summary) recordLine {
	return recordLine{ID: s.ID, Seq: s.Seq, Act: string(s.Act), At: s.At, ElapsedUS: s.Elapsed.Microseconds(),
		Verdict: s.Verdict, ExitCode: s.ExitCode, EngineCalls: s.EngineCalls, Task: s.Task, Trial: s.Trial, Digest: s.Digest}
}

// recordPage is the answer of the list; before asks for the next page and is 0 at the end.
type recordPage struct {
	Records []recordLine `json:"records"`
	Before  int64        `json:"before,omitzero"`
}

func (h *records) list(c echo.Context) error {
	before, err := number(c, "before", 0)
	if err != nil {
		return err
	}
	limit, err := number(c, "limit", defaultPage)
	if err != nil {
		return err
	}
	limit = min(max(limit, 1), store.MaxPage)
	rows, err := h.store.Records(c.Request().Context(), before, int(limit))
	if err != nil {
		return err
	}
	page := recordPage{Records: []recordLine{}, Before: nextKey(rows, int(limit))}
	for _, row := range rows {
		page.Records = append(page.Records, lineOf(row))
	}
	return writeJSON(c, http.StatusOK, page)
}

// nextKey is the key of the following page. A full page ending at the first record has none.
func nextKey(rows []store.Summary, limit int) int64 {
	if len(rows) < limit || rows[len(rows)-1].Seq <= 1 {
		return 0
	}
	return rows[len(rows)-1].Seq
}

func (h *records) request(c echo.Context) error {
	return h.download(c, "request", func(r store.Record) []byte { return r.Request })
}

func (h *records) answer(c echo.Context) error {
	return h.download(c, "answer", func(r store.Record) []byte { return r.Answer })
}

func (h *records) receipt(c echo.Context) error {
	return h.download(c, "receipt", func(r store.Record) []byte { return r.Receipt })
}

// download gives stored bytes unchanged, as a file to keep, never as something to render.
func (h *records) download(c echo.Context, part string, of func(store.Record) []byte) error {
	record, err := h.store.Record(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	data := of(record)
	if data == nil {
		return refuse(CodeNotFound, "the record has no "+part)
	}
	attach(c, record.ID, part)
	return writeDocument(c, http.StatusOK, data)
}

// attach names the file after the record; an id has only letters and digits.
func attach(c echo.Context, id, part string) {
	c.Response().Header().Set("Content-Disposition", `attachment; filename="parley-`+id+"-"+part+`.json"`)
}

func (h *records) export(c echo.Context) error {
	record, err := h.store.Record(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	text, err := exportOf(record)
	if err != nil {
		return err
	}
	attach(c, record.ID, "record")
	return writeDocument(c, http.StatusOK, text)
}

// number reads a whole number from the query.
func number(c echo.Context, name string, absent int64) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, refuse(CodeBadRequest, name+": expected a whole number, 0 or more")
	}
	return n, nil
}
