package proto

import "github.com/go-json-experiment/json/jsontext"

// FunctionCall asks Core for a function's result (wire 3.9.3). A child's call carries both child keys.
type FunctionCall struct {
	CallID    string         `json:"call_id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	NativeID  string         `json:"native_id"`
	TurnID    string         `json:"turn_id"`
}

// FunctionCallWithdrawn says that no result will be used (wire 3.9.4).
type FunctionCallWithdrawn struct {
	CallID   string `json:"call_id"`
	NativeID string `json:"native_id"`
	TurnID   string `json:"turn_id"`
}

// FunctionResult is the answer to a call (wire 3.9.5).
type FunctionResult struct {
	DeliveryID string         `json:"delivery_id"`
	CallID     string         `json:"call_id"`
	Success    bool           `json:"success"`
	Content    []InputContent `json:"content"` // not nil
}

func (*FunctionCall) Type() Type          { return TypeFunctionCall }
func (*FunctionCallWithdrawn) Type() Type { return TypeFunctionCallWithdrawn }
func (*FunctionResult) Type() Type        { return TypeFunctionResult }
