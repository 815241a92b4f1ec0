package proto

// PromptCancel asks to stop a Run; without a delivery id no receipt is sent (wire 3.9.1).
type PromptCancel struct {
	DeliveryID string `json:"delivery_id,omitempty"`
}

// PromptSteer is active input (wire 3.9.2).
type PromptSteer struct {
	InputID string       `json:"input_id"`
	Input   MessageInput `json:"input"`
}

// PromptSteerAck is a receipt of active input: written, accepted or refused (wire 3.9.2).
type PromptSteerAck struct {
	InputID   string `json:"input_id"`
	Accepted  bool   `json:"accepted"`
	Written   bool   `json:"written,omitempty"`
	ErrorCode string `json:"error_code,omitempty"`
	Error     string `json:"error,omitempty"`
}

func (*PromptCancel) Type() Type   { return TypePromptCancel }
func (*PromptSteer) Type() Type    { return TypePromptSteer }
func (*PromptSteerAck) Type() Type { return TypePromptSteerAck }

func (*PromptCancel) check() Faults { return nil }

func (s *PromptSteer) check() Faults {
	c := checker{rule: "wire 3.9.2"}
	c.text(bounded(s.InputID, MaxInputID), "input_id", "1 to 256 bytes, not blank", s.InputID)
	c.under("input", s.Input.check())
	return c.faults
}

// check wants a receipt to say one thing: written, accepted, or refused with a code.
func (a *PromptSteerAck) check() Faults {
	c := checker{rule: "wire 3.9.2"}
	c.present("input_id", a.InputID)
	switch {
	case a.Accepted:
		c.absent(a.ErrorCode == "", "error_code")
	case !a.Written || a.ErrorCode != "":
		c.code(TypePromptSteerAck, "", a.ErrorCode)
	}
	return c.faults
}
