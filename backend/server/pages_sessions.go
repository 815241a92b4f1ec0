package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"parley/backend/core"
	"parley/backend/store"
	"parley/frontend"
)

// Bounds of what a page of a Session shows at once.
const (
	shownSessions = 50
	shownTurns    = 20
	shownAgents   = 100
	shownText     = 1 << 20 // of all items together, in bytes; the newest come first
	shownItem     = 64 << 10
)

// sessions lists them; ?after= a Session goes on with older ones.
func (h *pages) sessionList(c echo.Context) error {
	ctx, after := c.Request().Context(), c.QueryParam("after")
	view := frontend.SessionsView{Lab: h.labNow(ctx), Now: h.now().Local(), First: after == ""}
	list, more, err := h.sessions.Sessions(ctx, "", store.Page{After: after, Limit: shownSessions})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return err
	case err != nil:
		view.Error = rowFor(problemOf(err).Code).Why
	}
	for _, s := range list {
		view.Rows = append(view.Rows, frontend.SessionRow{ID: s.ID, Agent: agentOf(s.AgentID, s.Agent).Name,
			State: frontend.SessionState(s.Status), Turns: s.Turns, LastActive: s.LastActive.Local()})
	}
	if more {
		view.Older = "/sessions?after=" + url.QueryEscape(list[len(list)-1].ID)
	}
	agents, left, err := h.sessions.Agents(ctx, store.Page{Limit: shownAgents})
	if err != nil {
		view.AgentsError = rowFor(problemOf(err).Code).Why
	}
	for _, a := range agents {
		view.Agents = append(view.Agents, agentOf(a.ID, a.Config).AgentChoice)
	}
	view.Left = left
	slices.SortFunc(view.Agents, func(a, b frontend.AgentChoice) int { return strings.Compare(a.Name, b.Name) })
	if len(list) > 0 && slices.ContainsFunc(view.Agents, func(a frontend.AgentChoice) bool { return a.ID == list[0].AgentID }) {
		view.Recent = list[0].AgentID
	}
	return render(c, http.StatusOK, frontend.SessionsPage(view))
}

// session shows one Session; ?turn= a Turn shows that one and those before it where it is not among the newest.
func (h *pages) session(c echo.Context) error {
	view, err := h.sessionView(c.Request().Context(), c.Param("id"), c.QueryParam("turn"), 0)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, frontend.SessionPage(view))
}

// sessionLive answers with the parts of an open page that change; ?from= the number of the first Turn that may have.
func (h *pages) sessionLive(c echo.Context) error {
	from, err := number(c, "from", 0)
	if err != nil {
		return err
	}
	view, err := h.sessionView(c.Request().Context(), c.Param("id"), "", max(from, 1))
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, frontend.SessionLive(view))
}

// sessionView reads a Session. What is read later may be newer, never older, than its number of the last event.
func (h *pages) sessionView(ctx context.Context, id, turn string, from int64) (frontend.SessionView, error) {
	s, err := h.sessions.Session(ctx, id)
	if err != nil {
		return frontend.SessionView{}, err
	}
	agent := agentOf(s.AgentID, s.Agent)
	view := frontend.SessionView{Lab: h.lab, Now: h.now().Local(), ID: s.ID, Agent: agent.AgentChoice, Model: agent.model,
		State: frontend.SessionState(s.Status), Created: s.Created.Local(), LastActive: s.LastActive.Local(), Count: s.Session.Turns,
		DeviceID: s.DeviceID, Seq: s.Events}
	if err := h.addRuntime(ctx, &view, s); err != nil {
		return view, err
	}
	if view.Environment, err = h.environmentView(ctx, s.EnvironmentID); err != nil {
		return view, err
	}
	usage, err := h.sessions.Usage(ctx, s.Session)
	if err != nil {
		return view, err
	}
	view.Usage = usageView(usage)
	return view, h.addTurns(ctx, &view, s, turn, from)
}

// addRuntime finds the device that works for the Session among the Runtimes.
func (h *pages) addRuntime(ctx context.Context, view *frontend.SessionView, s core.SessionView) error {
	if h.core == nil {
		return nil
	}
	all := h.runtimesView(ctx)
	view.Lab.Rail = all.Lab.Rail
	if s.Active != nil && s.Active.DeviceID != "" {
		view.DeviceID = s.Active.DeviceID
	}
	for _, r := range all.Runtimes {
		if r.ID == view.DeviceID {
			view.Runtime = &r
		}
	}
	return nil
}

func (h *pages) environmentView(ctx context.Context, id string) (*frontend.EnvironmentView, error) {
	if id == "" {
		return nil, nil
	}
	e, err := h.sessions.Environment(ctx, id)
	if err != nil {
		return nil, err
	}
	return &frontend.EnvironmentView{ID: e.ID, Type: e.Type, State: string(e.State), Init: string(e.Init), Workspace: e.Workspace,
		DeviceID: e.DeviceID, Code: e.ErrorCode}, nil
}

// addTurns adds the newest Turns, or those up to one that is asked for.
func (h *pages) addTurns(ctx context.Context, view *frontend.SessionView, s core.SessionView, turn string, from int64) error {
	turns, more, err := h.sessions.Turns(ctx, s.ID, store.Page{Limit: shownTurns})
	if err != nil {
		return err
	}
	view.Latest = true
	if turn != "" && !slices.ContainsFunc(turns, func(t store.Turn) bool { return t.ID == turn }) {
		asked, err := h.sessions.Turn(ctx, turn)
		if err != nil {
			return err
		}
		if asked.SessionID != s.ID {
			return refuse(CodeNotFound, "the Turn belongs to another Session")
		}
		if turns, more, err = h.sessions.Turns(ctx, s.ID, store.Page{After: turn, Limit: shownTurns - 1}); err != nil {
			return err
		}
		turns, view.Latest = append([]store.Turn{asked}, turns...), false
	}
	if view.Earlier, err = h.before(ctx, s.ID, turns, more); err != nil {
		return err
	}
	budget := shownText
	for _, t := range turns { // the newest first: what there is room for goes to them
		if t.Seq < from {
			break
		}
		shown, err := h.turnView(ctx, s, t, &budget)
		if err != nil {
			return err
		}
		view.Turns = append(view.Turns, shown)
	}
	slices.Reverse(view.Turns)
	if n := len(view.Turns); view.Latest && n > 0 {
		view.Last = &view.Turns[n-1]
	} else if s.Last != nil {
		last := turnFacts(*s.Last)
		view.Last = &last
	}
	return nil
}

// before gives the id of the Turn before those that are shown.
func (h *pages) before(ctx context.Context, session string, turns []store.Turn, more bool) (string, error) {
	if !more || len(turns) == 0 {
		return "", nil
	}
	next, _, err := h.sessions.Turns(ctx, session, store.Page{After: turns[len(turns)-1].ID, Limit: 1})
	if err != nil || len(next) == 0 {
		return "", err
	}
	return next[0].ID, nil
}

// agentView is an Agent as its document says.
type agentView struct {
	frontend.AgentChoice
	model string
}

// agentOf reads an Agent's document; what cannot be read stays unknown.
func agentOf(id string, document []byte) agentView {
	var config core.AgentConfig
	if json.Unmarshal(document, &config) != nil || config.Name == "" {
		config.Name = id
	}
	return agentView{frontend.AgentChoice{ID: id, Name: config.Name, About: config.Description, Harness: config.Core.Harness}, config.Model}
}

// turnFacts is a Turn without its items.
func turnFacts(t store.Turn) frontend.TurnView {
	return frontend.TurnView{ID: t.ID, Number: t.Seq, Status: frontend.TurnStatus(t.Status), RunID: t.RunID,
		Created: local(t.Created), Started: local(t.Started), Completed: local(t.Completed), Cancel: local(t.Cancel),
		Code: t.ErrorCode, Told: toldOf(t.Outcome, t.ErrorCode), Usage: usageOf(t.Usage)}
}

// toldOf is what an outcome tells of a failure beside its code.
func toldOf(outcome []byte, known string) string {
	var o struct {
		EngineCode   string `json:"engine_error_code"`
		EngineStatus *int   `json:"engine_http_status"`
		Error        string `json:"error"`
		Code         string `json:"error_code"`
	}
	if json.Unmarshal(outcome, &o) != nil {
		return ""
	}
	told := strings.TrimSpace(o.Error)
	for _, code := range []string{o.Code, o.EngineCode} {
		if code != "" && code != known {
			told += " (" + code + ")"
		}
	}
	if o.EngineStatus != nil {
		told += ", HTTP " + strconv.Itoa(*o.EngineStatus)
	}
	return told
}
