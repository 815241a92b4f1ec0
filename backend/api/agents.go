package api

import (
	"bytes"
	"encoding/json"
	"net/http"

	"parley/backend/store"
)

// agentHead is what an agent's document has before its configuration.
type agentHead struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	CreatedAt int64  `json:"created_at,omitempty"` // of an agent, not of the copy that a Session keeps
	UpdatedAt int64  `json:"updated_at,omitempty"`
}

func documentOfAgent(a store.Agent) (any, error) {
	return spliced(agentHead{ID: a.ID, Object: "agent", CreatedAt: a.Created.Unix(), UpdatedAt: a.Updated.Unix()}, a.Config)
}

// spliced puts a head before the members of a stored object, whose text stays as it is. The names of the two differ.
func spliced(head any, object []byte) (json.RawMessage, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	rest := bytes.TrimSpace(bytes.TrimSpace(object)[1:])
	if len(rest) > 1 { // more than the closing brace
		text = append(text[:len(text)-1], ',')
	} else {
		text = text[:len(text)-1]
	}
	return append(text, rest...), nil
}

func (a *API) createAgent(c *call) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	agent, err := a.core.CreateAgent(c.context(), data)
	if err != nil {
		return err
	}
	return c.writeAgent(agent)
}

func (c *call) writeAgent(agent store.Agent) error {
	document, err := documentOfAgent(agent)
	if err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, document)
}

func (a *API) listAgents(c *call) error {
	page, _, err := c.page()
	if err != nil {
		return err
	}
	agents, more, err := a.core.Agents(c.context(), page)
	if err != nil {
		return pageFault(err, page, func() error { return nil })
	}
	return writeList(c, agents, more, func(a store.Agent) string { return a.ID }, documentOfAgent)
}

func (a *API) getAgent(c *call) error {
	agent, err := a.core.Agent(c.context(), c.id("id"))
	if err != nil {
		return err
	}
	return c.writeAgent(agent)
}

func (a *API) updateAgent(c *call) error {
	data, err := c.body()
	if err != nil {
		return err
	}
	agent, err := a.core.UpdateAgent(c.context(), c.id("id"), data)
	if err != nil {
		return err
	}
	return c.writeAgent(agent)
}

// deletedDocument says what is gone.
type deletedDocument struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

func (a *API) deleteAgent(c *call) error {
	if err := a.core.DeleteAgent(c.context(), c.id("id")); err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, deletedDocument{ID: c.id("id"), Object: "agent.deleted", Deleted: true})
}
