package proto

import "github.com/go-json-experiment/json/jsontext"

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
