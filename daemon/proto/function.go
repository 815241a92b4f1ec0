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

func (f *FunctionCall) check() Faults {
	c := checker{rule: "wire 3.9.3"}
	c.present("call_id", f.CallID)
	c.present("name", f.Name)
	c.that(len(f.Arguments) > 0, "arguments", "a JSON value", "nothing")
	checkChild(&c, f.NativeID, f.TurnID)
	return c.faults
}

func (f *FunctionCallWithdrawn) check() Faults {
	c := checker{rule: "wire 3.9.4"}
	c.present("call_id", f.CallID)
	checkChild(&c, f.NativeID, f.TurnID)
	return c.faults
}

// checkChild wants both keys of a child's call, or neither for a call of the Run itself (wire 3.9.3).
func checkChild(c *checker, native, turn string) {
	if native == "" && turn == "" {
		return
	}
	c.native("native_id", native)
	c.native("turn_id", turn)
}

func (r *FunctionResult) check() Faults {
	c := checker{rule: "wire 3.9.5"}
	c.present("delivery_id", r.DeliveryID)
	c.present("call_id", r.CallID)
	c.that(r.Content != nil, "content", "an array, also an empty one", "none")
	each(&c, "content", r.Content, (*InputContent).check)
	return c.faults
}
