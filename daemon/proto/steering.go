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

func (*PromptCancel) check(*checker) {}
