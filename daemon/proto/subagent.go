package proto

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SubagentIdentity introduces a child (wire 3.12).
type SubagentIdentity struct {
	NativeID        string  `json:"native_id"`
	ParentNativeID  string  `json:"parent_native_id"`
	NativeCreatedAt int64   `json:"native_created_at"` // Unix seconds
	ParentTurnID    string  `json:"parent_turn_id"`
	SourceItemID    string  `json:"source_item_id"`
	Name            *string `json:"name"`
	Instructions    *string `json:"instructions"`
}

// SubagentLifecycle tells that a child became active or closed (wire 3.12).
type SubagentLifecycle struct {
	NativeID     string `json:"native_id"`
	EffectID     string `json:"effect_id"`
	Status       string `json:"status"`
	OccurredAtMS int64  `json:"occurred_at_ms"`
}

// SubagentTurn is one state of a child's Turn (wire 3.12).
type SubagentTurn struct {
	NativeID      string `json:"native_id"`
	TurnID        string `json:"turn_id"`
	Status        string `json:"status"`
	CreatedAtMS   int64  `json:"created_at_ms"`
	StartedAtMS   *int64 `json:"started_at_ms"`
	CompletedAtMS *int64 `json:"completed_at_ms"`
	Usage         *Usage `json:"usage"`
}

// SubagentItem is one item of a child, a full snapshot at a position (wire 3.12).
type SubagentItem struct {
	NativeID string         `json:"native_id"`
	TurnID   string         `json:"turn_id"`
	ItemID   string         `json:"item_id"`
	Position int64          `json:"position"`
	Kind     string         `json:"kind"`
	Payload  jsontext.Value `json:"payload"`
}

// SubagentCoordination is a call between agents (wire 3.12).
type SubagentCoordination struct {
	ID              string   `json:"id"`
	Kind            string   `json:"kind"`
	Status          string   `json:"status"`
	ActorID         string   `json:"actor_id"` // "" for the root
	Recipients      []string `json:"recipients"`
	Text            string   `json:"text"`
	Model           *string  `json:"model"`
	ReasoningEffort *string  `json:"reasoning_effort"`
}

func (*SubagentIdentity) Type() Type     { return TypeSubagentIdentity }
func (*SubagentLifecycle) Type() Type    { return TypeSubagentLifecycle }
func (*SubagentTurn) Type() Type         { return TypeSubagentTurn }
func (*SubagentItem) Type() Type         { return TypeSubagentItem }
func (*SubagentCoordination) Type() Type { return TypeSubagentCoordination }

// Kinds of a child's item whose payload is that of a frame.
const (
	ItemCoordination  = "subagent_coordination"
	ItemOutputMessage = "output_message"
	ItemToolCall      = "tool_call"
)

// Kinds of a coordination.
const (
	CoordinateCreate    = "create_subagent_call"
	CoordinateWait      = "wait_for_subagents_call"
	CoordinateSend      = "send_subagent_input_call"
	CoordinateResume    = "resume_subagent_call"
	CoordinateInterrupt = "interrupt_subagent_call"
	CoordinateClose     = "close_subagent_call"
	CoordinateMessage   = "agent_message"
)

// native records a fault of a native identity (wire 3.12).
func (c *checker) native(key, id string) {
	c.text(NativeID(id), key, "1 to 512 bytes without surrounding white space, NUL, CR or LF", id)
}

func (s *SubagentIdentity) check() Faults {
	c := checker{rule: "wire 3.12"}
	c.native("native_id", s.NativeID)
	c.native("parent_native_id", s.ParentNativeID)
	c.text(s.NativeID != s.ParentNativeID, "native_id", "another identity than the parent's", s.NativeID)
	c.number(s.NativeCreatedAt > 0, "native_created_at", "Unix seconds above 0", s.NativeCreatedAt)
	c.native("parent_turn_id", s.ParentTurnID)
	c.native("source_item_id", s.SourceItemID)
	return c.faults
}

func (s *SubagentLifecycle) check() Faults {
	c := checker{rule: "wire 3.12"}
	c.native("native_id", s.NativeID)
	c.native("effect_id", s.EffectID)
	c.oneOf("status", s.Status, "active", "closed")
	c.number(s.OccurredAtMS > 0, "occurred_at_ms", "Unix milliseconds above 0", s.OccurredAtMS)
	return c.faults
}

func (s *SubagentTurn) check() Faults {
	c := checker{rule: "wire 3.12"}
	c.native("native_id", s.NativeID)
	c.native("turn_id", s.TurnID)
	c.oneOf("status", s.Status, "queued", "in_progress", "waiting", "completed", "failed", "cancelled")
	c.number(s.CreatedAtMS > 0, "created_at_ms", "Unix milliseconds above 0", s.CreatedAtMS)
	if s.StartedAtMS != nil {
		c.number(*s.StartedAtMS >= s.CreatedAtMS, "started_at_ms", "created_at_ms or later", *s.StartedAtMS)
	}
	terminal := s.Status == "completed" || s.Status == "failed" || s.Status == "cancelled"
	c.text((s.CompletedAtMS != nil) == terminal, "completed_at_ms", "a time with a terminal status, and only then", s.Status)
	if s.CompletedAtMS != nil && s.StartedAtMS != nil {
		c.number(*s.CompletedAtMS >= *s.StartedAtMS, "completed_at_ms", "started_at_ms or later", *s.CompletedAtMS)
	}
	if s.Usage != nil {
		c.under("usage", s.Usage.check())
	}
	return c.faults
}

func (s *SubagentItem) check() Faults {
	c := checker{rule: "wire 3.12"}
	c.native("native_id", s.NativeID)
	c.native("turn_id", s.TurnID)
	c.native("item_id", s.ItemID)
	c.within("position", s.Position, 0, MaxItemPosition)
	c.oneOf("kind", s.Kind, ItemCoordination, ItemOutputMessage, ItemToolCall, "message", "reasoning")
	if s.Payload.Kind() != '{' {
		c.add("payload", "an object", "another value or none")
		return c.faults
	}
	c.under("payload", s.checkPayload())
	return c.faults
}

// checkPayload holds an item to the frame of its kind; the other kinds have no shape that the wire knows.
func (s *SubagentItem) checkPayload() Faults {
	switch s.Kind {
	case ItemCoordination:
		var item SubagentCoordination
		return s.checkAs(&item, item.checkAnywhere)
	case ItemOutputMessage:
		var item OutputMessage
		return s.checkAs(&item, item.check)
	case ItemToolCall:
		var item ToolCall
		return s.checkAs(&item, item.check)
	}
	return nil
}

func (s *SubagentItem) checkAs(item Payload, check func() Faults) Faults {
	if err := json.Unmarshal(s.Payload, item, verdicts(item.Type())); err != nil {
		return Faults{{Rule: "wire 3.12", Expected: "the shape of " + s.Kind, Found: err.Error()}}
	}
	return check()
}

// check is the rule of a frame, whose actor is the root (wire 3.12).
func (s *SubagentCoordination) check() Faults {
	c := checker{rule: "wire 3.12", faults: s.checkAnywhere()}
	c.text(s.ActorID == "", "actor_id", "no actor, as the frame is the root's", s.ActorID)
	return c.faults
}

// checkAnywhere is the part that holds for a child's item too.
func (s *SubagentCoordination) checkAnywhere() Faults {
	c := checker{rule: "wire 3.12"}
	c.native("id", s.ID)
	c.oneOf("kind", s.Kind, CoordinateCreate, CoordinateWait, CoordinateSend, CoordinateResume, CoordinateInterrupt,
		CoordinateClose, CoordinateMessage)
	c.oneOf("status", s.Status, StatusInProgress, StatusCompleted, StatusFailed, StatusIncomplete)
	if s.ActorID != "" {
		c.native("actor_id", s.ActorID)
	}
	c.number(s.targeted(), "recipients", "exactly one, as the call has a single target", int64(len(s.Recipients)))
	each(&c, "recipients", s.Recipients, func(recipient *string) Faults {
		if NativeID(*recipient) {
			return nil
		}
		return Faults{{Rule: c.rule, Expected: "a native identity", Found: show(*recipient)}}
	})
	return c.faults
}

// targeted reports whether the number of recipients fits the kind. A child that is being created, or that could not be,
// has no identity yet.
func (s *SubagentCoordination) targeted() bool {
	switch s.Kind {
	case CoordinateSend, CoordinateResume, CoordinateInterrupt, CoordinateClose:
		return len(s.Recipients) == 1
	case CoordinateCreate:
		return len(s.Recipients) == 1 || len(s.Recipients) == 0 && s.Status != StatusCompleted
	}
	return true
}
