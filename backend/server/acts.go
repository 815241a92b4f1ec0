package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"parley/backend/store"
	"parley/frontend"
)

// fileTime bounds filing a record, also after the client went away or the server began to stop.
const fileTime = 5 * time.Second

// errCancelled is the cause of a run that the page cancelled.
var errCancelled = errors.New("cancelled from the page")

var errActName = errors.New("the Parley-Act name is taken")

// acts does what the page asks of the runner, by the same functions as the contract's routes, and files each act as one
// record.
type acts struct {
	runner Runner
	store  Records
	lab    frontend.Lab
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	running map[string]context.CancelCauseFunc // acts by the name that the page gave them; under mu
}

func newActs(o Options) *acts {
	return &acts{runner: o.Runner, store: o.Store, lab: o.Lab, now: o.Now, log: o.Log,
		running: map[string]context.CancelCauseFunc{}}
}

func (h *acts) negotiate(c echo.Context) error {
	return h.perform(c, frontend.ActNegotiate, func(ctx context.Context, data []byte) deed {
		return negotiated(h.runner.Negotiate(ctx, data))
	})
}

func (h *acts) validate(c echo.Context) error {
	return h.perform(c, frontend.ActValidate, func(ctx context.Context, data []byte) deed {
		return validated(h.runner.Validate(ctx, data))
	})
}

// run asks the paid policy exactly as the contract's route does (runner 7.3).
func (h *acts) run(c echo.Context) error {
	caller := CallerOf(c.Request())
	return h.perform(c, frontend.ActRun, func(ctx context.Context, data []byte) deed {
		return ran(h.runner.Run(ctx, data, paidPolicy(caller)))
	})
}

// inspect answers an editor; it stores nothing.
func (h *acts) inspect(c echo.Context) error {
	data, err := receive(c, jsonType, maxDocument)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, h.runner.Inspect(c.Request().Context(), data))
}

// perform reads, acts, files and shows. A record that cannot be filed is shown all the same, and says so.
func (h *acts) perform(c echo.Context, act frontend.Act, do func(context.Context, []byte) deed) error {
	data, err := receive(c, jsonType, maxDocument)
	if err != nil {
		return err
	}
	ctx, done, err := h.begin(c.Request())
	if err != nil {
		return err
	}
	defer done()
	started := h.now()
	result := do(ctx, data)
	record := frontend.Record{Act: act, At: h.now(), Elapsed: h.now().Sub(started),
		Request: data, Answer: result.answer, Receipt: result.receipt}
	filed, err := h.file(ctx, record, result)
	if err != nil {
		h.log.Error("record was not filed", "act", string(act), "error", err)
		row := rowFor(problemOf(err).Code)
		record.Unstored = row.Why
	} else {
		record.ID = filed.ID
		c.Response().Header().Set("Parley-Record", filed.ID)
	}
	return render(c, http.StatusOK, frontend.Report(frontend.ReportOf(h.lab, record)))
}

func (h *acts) file(ctx context.Context, r frontend.Record, d deed) (store.Summary, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fileTime)
	defer cancel()
	summary := d.facts
	summary.Act, summary.At, summary.Elapsed = store.Act(r.Act), r.At, r.Elapsed
	return h.store.FileRecord(ctx, store.Record{Summary: summary, Request: r.Request, Answer: r.Answer, Receipt: r.Receipt})
}

// begin makes an act cancellable by its name, if it has one, until done is called.
func (h *acts) begin(r *http.Request) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	end := func() { cancel(nil) }
	name := r.Header.Get("Parley-Act")
	if name == "" {
		return ctx, end, nil
	}
	if !isActName(name) {
		end()
		return nil, nil, refuse(CodeBadRequest, "Parley-Act: expected up to 64 letters, digits, - and _")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running[name] != nil {
		end()
		return nil, nil, &problem{Code: CodeActRunning, cause: errActName}
	}
	h.running[name] = cancel
	return ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.running, name)
		end()
	}, nil
}

// cancel ends a running act; its answer still comes, on the act's own request.
func (h *acts) cancel(c echo.Context) error {
	h.mu.Lock()
	cancel := h.running[c.Param("act")]
	h.mu.Unlock()
	if cancel == nil {
		return refuse(CodeNotFound, "no running act has this name")
	}
	cancel(errCancelled)
	return c.NoContent(http.StatusNoContent)
}

func isActName(s string) bool {
	ok, err := regexp.MatchString(`^[A-Za-z0-9_-]{1,64}$`, s)
	return ok && err == nil
}
