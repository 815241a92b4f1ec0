package api

import "net/http"

// The handlers, one a route of behaviour 8.6.

// CreateAgent answers POST /v1/agents.
func (a *API) CreateAgent(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.createAgent) }

// ListAgents answers GET /v1/agents.
func (a *API) ListAgents(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.listAgents) }

// GetAgent answers GET /v1/agents/{id}.
func (a *API) GetAgent(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.getAgent) }

// UpdateAgent answers POST /v1/agents/{id}: the body is the whole new configuration.
func (a *API) UpdateAgent(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.updateAgent) }

// DeleteAgent answers DELETE /v1/agents/{id}.
func (a *API) DeleteAgent(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.deleteAgent) }

// CreateSession answers POST /v1/agents/sessions.
func (a *API) CreateSession(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.createSession) }

// ListSessions answers GET /v1/agents/sessions.
func (a *API) ListSessions(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.listSessions) }

// GetSession answers GET /v1/agents/sessions/{id}.
func (a *API) GetSession(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.getSession) }

// UpdateSession answers POST /v1/agents/sessions/{id}: it replaces the metadata.
func (a *API) UpdateSession(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.updateSession) }

// DeleteSession answers DELETE /v1/agents/sessions/{id}.
func (a *API) DeleteSession(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.deleteSession) }

// AddEvents answers POST /v1/agents/sessions/{id}/events.
func (a *API) AddEvents(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.addEvents) }

// StreamEvents answers GET /v1/agents/sessions/{id}/events.
func (a *API) StreamEvents(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.streamEvents) }

// ListTurns answers GET /v1/agents/sessions/{id}/turns.
func (a *API) ListTurns(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.listTurns) }

// GetTurn answers GET /v1/agents/sessions/{id}/turns/{turn}.
func (a *API) GetTurn(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.getTurn) }

// ListItems answers GET /v1/agents/sessions/{id}/items.
func (a *API) ListItems(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.listItems) }

// ListItemsOfTurn answers GET /v1/agents/sessions/{id}/turns/{turn}/items.
func (a *API) ListItemsOfTurn(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.listItemsOfTurn) }

// GetEnvironment answers GET /v1/agents/environments/{id}.
func (a *API) GetEnvironment(w http.ResponseWriter, r *http.Request) { a.do(w, r, a.getEnvironment) }
