package proto

import "github.com/go-json-experiment/json/jsontext"

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

func (*Done) check(*checker) {}

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
