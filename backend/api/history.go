package api

import (
	"net/http"

	"parley/backend/core"
	"parley/backend/store"
)

// hasSession tells whether there is a Session.
func (a *API) hasSession(c *call) func() error {
	return func() error {
		_, err := a.core.Session(c.context(), c.id("id"))
		return err
	}
}

func (a *API) listTurns(c *call) error {
	page, _, err := c.page()
	if err != nil {
		return err
	}
	turns, more, err := a.core.Turns(c.context(), c.id("id"), page)
	if err != nil {
		return pageFault(err, page, a.hasSession(c))
	}
	return writeList(c, turns, more, func(t store.Turn) string { return t.ID },
		func(t store.Turn) (any, error) { return core.DocumentOfTurn(t), nil })
}

// turn gives the Turn of an address; one of another Session does not exist there.
func (a *API) turn(c *call) (store.Turn, error) {
	turn, err := a.core.Turn(c.context(), c.id("turn"))
	if err == nil && turn.SessionID != c.id("id") {
		err = refuse(codeNotFound, "the Session has no Turn of this id")
	}
	return turn, err
}

func (a *API) getTurn(c *call) error {
	turn, err := a.turn(c)
	if err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, core.DocumentOfTurn(turn))
}

// itemHead is what an item's document has before what the journal keeps of it.
type itemHead struct {
	Object      string `json:"object"`
	SessionID   string `json:"session_id"`
	TurnID      string `json:"turn_id"`
	OutputIndex int64  `json:"output_index"` // -1: an input of the user
}

func documentOfItem(i store.Item) (any, error) {
	return spliced(itemHead{Object: "agent.session.item", SessionID: i.SessionID, TurnID: i.TurnID, OutputIndex: i.Index}, i.Payload)
}

func (c *call) writeItems(items []store.Item, more bool) error {
	return writeList(c, items, more, func(i store.Item) string { return i.ID }, documentOfItem)
}

func (a *API) listItems(c *call) error {
	page, _, err := c.page()
	if err != nil {
		return err
	}
	items, more, err := a.core.Items(c.context(), c.id("id"), page)
	if err != nil {
		return pageFault(err, page, a.hasSession(c))
	}
	return c.writeItems(items, more)
}

func (a *API) listItemsOfTurn(c *call) error {
	page, _, err := c.page()
	if err != nil {
		return err
	}
	turn, err := a.turn(c)
	if err != nil {
		return err
	}
	items, more, err := a.core.ItemsOfTurn(c.context(), turn.ID, page)
	if err != nil {
		return pageFault(err, page, func() error { return nil })
	}
	return c.writeItems(items, more)
}

func (a *API) getEnvironment(c *call) error {
	environment, err := a.core.Environment(c.context(), c.id("id"))
	if err != nil {
		return err
	}
	return writeJSON(c.w, http.StatusOK, core.DocumentOfEnvironment(environment))
}
