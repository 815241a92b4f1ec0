package api

import (
	"bytes"
	"crypto/sha256"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"parley/backend/core"
)

// creation is the body that makes a Session.
type creation struct {
	Agent       string            `json:"agent"`
	Environment *environmentAsked `json:"environment"`
	Input       jsontext.Value    `json:"input"`
	Metadata    map[string]string `json:"metadata"`
	Stream      bool              `json:"stream"`
}

// environmentAsked is where the Session's work is to happen.
type environmentAsked struct {
	Type           string           `json:"type"`
	DeviceID       string           `json:"device_id"`
	Workspace      string           `json:"workspace_directory"`
	Initialization []jsontext.Value `json:"initialization"`
}

func (a *API) createSession(c *call) error {
	key, err := c.idempotencyKey()
	if err != nil {
		return err
	}
	data, err := c.body()
	if err != nil {
		return err
	}
	var asked creation
	if err := core.Read(data, &asked); err != nil {
		return err
	}
	session, err := asked.session()
	if err != nil {
		return err
	}
	session.Key, session.Digest = key, sha256.Sum256(data)
	made, err := a.core.CreateSession(c.context(), session)
	if err != nil {
		return err
	}
	if asked.Stream {
		return a.stream(c, made.ID, 0)
	}
	return a.writeSession(c, made)
}

func (asked creation) session() (core.NewSession, error) {
	n := core.NewSession{AgentID: asked.Agent, Metadata: asked.Metadata}
	if asked.Agent == "" {
		return n, refuseParam(codeInvalid, "agent", "expected the id of an agent")
	}
	var err error
	if n.Environment, err = asked.Environment.environment(); err != nil {
		return n, err
	}
	n.Inputs, err = readInput(asked.Input)
	return n, err
}

// environment gives nil for none.
func (e *environmentAsked) environment() (*core.NewEnvironment, error) {
	switch {
	case e == nil:
		return nil, nil
	case e.Type == "none":
		if e.DeviceID != "" || e.Workspace != "" || e.Initialization != nil {
			return nil, refuseParam(codeInvalid, "environment", "type none has no other member")
		}
		return nil, nil
	case e.Type != core.SelfHosted:
		return nil, refuseParam(codeInvalid, "environment.type", "expected none or "+core.SelfHosted)
	}
	n := &core.NewEnvironment{DeviceID: e.DeviceID, Workspace: e.Workspace}
	if e.Initialization != nil {
		n.Steps = arrayOf(e.Initialization)
	}
	return n, nil
}

// arrayOf writes values as the JSON array that they came from.
func arrayOf(values []jsontext.Value) []byte {
	text := []byte{'['}
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, bytes.TrimSpace(value)...)
	}
	return append(text, ']')
}

func (a *API) writeSession(c *call, v core.SessionView) error {
	document, err := a.documentOfSession(c.context(), v)
	if err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, document)
}

func (a *API) listSessions(c *call) error {
	page, values, err := c.page("agent_id")
	if err != nil {
		return err
	}
	sessions, more, err := a.core.Sessions(c.context(), values.Get("agent_id"), page)
	if err != nil {
		return pageFault(err, page, func() error { return nil })
	}
	return writeList(c, sessions, more, func(v core.SessionView) string { return v.ID },
		func(v core.SessionView) (any, error) { return a.documentOfSession(c.context(), v) })
}

func (a *API) getSession(c *call) error {
	session, err := a.core.Session(c.context(), c.id("id"))
	if err != nil {
		return err
	}
	return a.writeSession(c, session)
}

func (a *API) updateSession(c *call) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	var asked struct {
		Metadata *map[string]string `json:"metadata"`
	}
	if err := core.Read(data, &asked); err != nil {
		return err
	}
	if asked.Metadata == nil {
		return refuseParam(codeInvalid, "metadata", "expected an object of texts")
	}
	session, err := a.core.UpdateSession(c.context(), c.id("id"), *asked.Metadata)
	if err != nil {
		return err
	}
	return a.writeSession(c, session)
}

func (a *API) deleteSession(c *call) error {
	if err := a.core.DeleteSession(c.context(), c.id("id")); err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, deletedDocument{ID: c.id("id"), Object: "agent.session.deleted", Deleted: true})
}
