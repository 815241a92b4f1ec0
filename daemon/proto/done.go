package proto

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Done closes a Run's stream (wire 3.4).
type Done struct {
	SourceCompletedAtMS *int64                    `json:"source_completed_at_ms,omitempty"`
	Content             string                    `json:"content"`
	Transcript          string                    `json:"transcript,omitempty"`
	Usage               *Usage                    `json:"usage,omitempty"`
	Metadata            map[string]jsontext.Value `json:"metadata,omitempty"`
}

// Keys of Done.Metadata that both sides know; their values are strings.
const (
	MetadataSessionID   = "agent_session_id"
	MetadataSessionType = "agent_session_type"
)

func (*Done) Type() Type { return TypeDone }

func (d *Done) check() Faults {
	c := checker{rule: "wire 3.4"}
	if d.Usage != nil {
		c.under("usage", d.Usage.check())
	}
	return c.faults
}

// NativeSession is the native Session id that a Done carries, "" when it carries none.
func (d *Done) NativeSession() string { return stringIn(d.Metadata, MetadataSessionID) }

// Merge takes into d what later says; what later leaves empty keeps its value (wire 3.4).
func (d *Done) Merge(later Done) {
	if later.Usage != nil && !later.Usage.Zero() {
		d.Usage = later.Usage
	}
	if later.Content != "" {
		d.Content = later.Content
	}
	if later.Transcript != "" {
		d.Transcript = later.Transcript
	}
	if len(later.Metadata) > 0 {
		d.Metadata = later.Metadata
	}
	if later.SourceCompletedAtMS != nil {
		d.SourceCompletedAtMS = later.SourceCompletedAtMS
	}
}

// DecisionAck is the receipt of a cancellation or a function result (wire 3.4).
type DecisionAck struct {
	DeliveryID string `json:"delivery_id"`
	Applied    bool   `json:"applied"` // only after the operation settled
	ErrorCode  string `json:"error_code,omitempty"`
	Error      string `json:"error,omitempty"`
	Outcome    *Done  `json:"outcome,omitempty"` // cancellation only
}

func (*DecisionAck) Type() Type { return TypeDecisionAck }

// check knows not which request is answered, so the codes of both are let through.
func (a *DecisionAck) check() Faults {
	c := checker{rule: "wire 3.4"}
	c.present("delivery_id", a.DeliveryID)
	if a.Applied {
		c.absent(a.ErrorCode == "", "error_code")
	} else {
		c.that(a.refused(), "error_code", "a code of wire 5.4 or 5.5", show(a.ErrorCode))
	}
	if a.Outcome != nil {
		c.under("outcome", a.Outcome.check())
	}
	return c.faults
}

// refused reports a code of either finite list.
func (a *DecisionAck) refused() bool {
	return slices.Contains(codesOf(TypeDecisionAck, string(TypePromptCancel)), a.ErrorCode) ||
		slices.Contains(codesOf(TypeDecisionAck, string(TypeFunctionResult)), a.ErrorCode)
}
