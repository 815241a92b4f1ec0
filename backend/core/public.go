package core

import (
	"encoding/json"
	"time"

	"parley/backend/store"
)

// Types of the public events that are about a Session, a Turn, an Environment (behaviour 8.6).
const (
	EventSessionCreated    = "agent.session.created"
	EventSessionInProgress = "agent.session.in_progress"
	EventSessionIdle       = "agent.session.idle"
	EventSessionRequires   = "agent.session.requires_action"
	EventSessionFailed     = "agent.session.failed"

	EventTurnCreated    = "agent.session.turn.created"
	EventTurnInProgress = "agent.session.turn.in_progress"
	EventTurnCompleted  = "agent.session.turn.completed"
	EventTurnFailed     = "agent.session.turn.failed"
	EventTurnCancelled  = "agent.session.turn.cancelled"

	EventItemAdded   = "agent.session.turn.item.added"
	EventItemDone    = "agent.session.turn.item.done"
	EventPartAdded   = "agent.session.turn.content_part.added"
	EventPartDone    = "agent.session.turn.content_part.done"
	EventTextDelta   = "agent.session.turn.output_text.delta"
	EventTextDone    = "agent.session.turn.output_text.done"
	EventCommandText = "agent.output.command_execution_output.delta"

	EventSubagentCreated = "agent.session.subagent.created"
	EventSubagentActive  = "agent.session.subagent.active"
	EventSubagentClosed  = "agent.session.subagent.closed"

	EventEnvironmentPending      = "agent.session.environment.pending"
	EventEnvironmentConnected    = "agent.session.environment.connected"
	EventEnvironmentDisconnected = "agent.session.environment.disconnected"
	EventEnvironmentFailed       = "agent.session.environment.failed"
)

// TurnDocument is a Turn as the API shows it (behaviour 8.6). The part below x_agents_core is this program's: what Core
// observed, apart from the public status.
type TurnDocument struct {
	ID          string          `json:"id"`
	AgentID     *string         `json:"agent_id"`
	SubagentID  *string         `json:"subagent_id"`
	SessionID   string          `json:"session_id"`
	Object      string          `json:"object"`
	Status      string          `json:"status"`
	CreatedAt   int64           `json:"created_at"` // Unix seconds, as all times of the API
	StartedAt   *int64          `json:"started_at"`
	CompletedAt *int64          `json:"completed_at"`
	Error       *TurnError      `json:"error"`
	Usage       json.RawMessage `json:"usage"` // null: unknown
	Core        TurnCore        `json:"x_agents_core"`
}

// TurnError is the public error; its code is always internal_error.
type TurnError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// FailedTurn is the error of a Turn that failed, and of a Session whose latest Turn did. What Core knows of the cause is
// in the Turn's part of this program.
func FailedTurn() *TurnError {
	return &TurnError{Code: "internal_error", Message: "The Turn did not complete."}
}

// TurnCore is what Core knows beside the public status.
type TurnCore struct {
	Seq         int64           `json:"seq"`
	RunID       string          `json:"run_id,omitempty"`
	DeviceID    string          `json:"device_id,omitempty"`
	ErrorCode   string          `json:"error_code,omitempty"`
	CancelAsked *int64          `json:"cancel_asked_at_ms,omitempty"`
	Outcome     json.RawMessage `json:"outcome,omitempty"`
}

// DocumentOfTurn writes a Turn for the API.
func DocumentOfTurn(t store.Turn) TurnDocument {
	d := TurnDocument{ID: t.ID, SessionID: t.SessionID, Object: "agent.session.turn", Status: string(t.Status),
		CreatedAt: t.Created.Unix(), StartedAt: seconds(t.Started), CompletedAt: seconds(t.Completed), Usage: t.Usage,
		Core: TurnCore{Seq: t.Seq, RunID: t.RunID, DeviceID: t.DeviceID, ErrorCode: t.ErrorCode, Outcome: t.Outcome}}
	if t.Status == store.TurnFailed {
		d.Error = FailedTurn()
	}
	if !t.Cancel.IsZero() {
		asked := t.Cancel.UnixMilli()
		d.Core.CancelAsked = &asked
	}
	if len(d.Usage) == 0 {
		d.Usage = json.RawMessage("null")
	}
	return d
}

func seconds(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	unix := t.Unix()
	return &unix
}

// turnEvent tells a Turn's status.
func turnEvent(kind string, t store.Turn, at time.Time) store.Event {
	return event(kind, t.ID, at, map[string]any{"session_id": t.SessionID, "turn": DocumentOfTurn(t)})
}

// sessionEvent tells a Session's status.
func sessionEvent(kind, session string, at time.Time) store.Event {
	return event(kind, "", at, map[string]any{"session_id": session})
}

// event writes one public event; its payload repeats the type.
func event(kind, turn string, at time.Time, body map[string]any) store.Event {
	body["type"] = kind
	payload, err := json.Marshal(body)
	if err != nil { // only values of our own that can be written get here
		payload = []byte(`{"type":"` + kind + `"}`)
	}
	return store.Event{TurnID: turn, Type: kind, Payload: payload, At: at}
}
