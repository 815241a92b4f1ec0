package proto

// Delta is a fragment of text (wire 3.2).
type Delta struct {
	ItemID   string `json:"item_id,omitempty"` // present with declared message_items
	Delta    string `json:"delta"`
	Sequence uint64 `json:"sequence"`
}

// Thinking is a fragment of thinking (wire 3.2).
type Thinking struct {
	Text     string `json:"text"`
	Sequence uint64 `json:"sequence,omitempty"`
}

// OutputMessage tells the start and the end of one message (wire 3.2).
type OutputMessage struct {
	ID     string  `json:"id"`
	Status string  `json:"status"`
	Phase  string  `json:"phase,omitempty"`
	Text   *string `json:"text,omitempty"` // nil: no change
}

// CommandOutput is live output of a command in progress (wire 3.2).
type CommandOutput struct {
	ID    string `json:"id"` // of the command's tool_call
	Delta string `json:"delta"`
}

func (*Delta) Type() Type         { return TypeDelta }
func (*Thinking) Type() Type      { return TypeThinking }
func (*OutputMessage) Type() Type { return TypeOutputMessage }
func (*CommandOutput) Type() Type { return TypeCommandOutput }

func (*Delta) check() Faults    { return nil }
func (*Thinking) check() Faults { return nil }

func (m *OutputMessage) check() Faults {
	c := checker{rule: "wire 3.2"}
	c.present("id", m.ID)
	c.oneOf("status", m.Status, StatusInProgress, StatusCompleted, StatusIncomplete)
	return c.faults
}

func (o *CommandOutput) check() Faults {
	c := checker{rule: "wire 3.2"}
	c.present("id", o.ID)
	c.present("delta", o.Delta)
	return c.faults
}

// MessageStatuses are the states of an output message (wire 3.2).
func MessageStatuses() []string {
	return []string{StatusInProgress, StatusCompleted, StatusIncomplete}
}
