package proto

import (
	"fmt"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Support is the value of one capability in memory. The zero value is unspecified: it is never valid and cannot be
// encoded (wire 4.1).
type Support uint8

const (
	Unspecified Support = iota
	Supported
	Unsupported
)

// Of gives the support that a boolean declares.
func Of(supported bool) Support {
	if supported {
		return Supported
	}
	return Unsupported
}

// Capability is one field of the declaration.
type Capability int

// The 25 fields (wire 4.2), in the order in which they are written.
const (
	SubagentObservations Capability = iota
	Streaming
	UsageReports
	Resume
	NativeSessionRecovery
	RetainedNativeHistory
	MessageItems
	ToolObservations
	EnvironmentNone
	LocalEnvironmentSupport
	Preparation
	WorkspaceReadPreparation
	WorkspaceOutputExport
	ExecutionControlsSupport
	StructuredOutput
	ToolSearch
	MessageImages
	FunctionResultImages
	SubagentControl
	DurableInputReceipts
	DurableTurns
	FunctionTools
	MCPHTTPTools
	MCPHTTPRequired
	MCPHTTPBearerAuth
	CapabilityCount
)

// capabilityNames are the fields as they are spelled (wire 4.2).
var capabilityNames = sync.OnceValue(func() *[CapabilityCount]string {
	return &[CapabilityCount]string{
		SubagentObservations:     "subagent_observations",
		Streaming:                "streaming",
		UsageReports:             "usage",
		Resume:                   "resume",
		NativeSessionRecovery:    "native_session_recovery",
		RetainedNativeHistory:    "retained_native_history",
		MessageItems:             "message_items",
		ToolObservations:         "tool_observations",
		EnvironmentNone:          "environment_none",
		LocalEnvironmentSupport:  "local_environment",
		Preparation:              "preparation",
		WorkspaceReadPreparation: "workspace_read_preparation",
		WorkspaceOutputExport:    "workspace_output_export",
		ExecutionControlsSupport: "execution_controls",
		StructuredOutput:         "structured_output",
		ToolSearch:               "tool_search",
		MessageImages:            "message_images",
		FunctionResultImages:     "function_result_images",
		SubagentControl:          "subagent_control",
		DurableInputReceipts:     "durable_input_receipts",
		DurableTurns:             "durable_turns",
		FunctionTools:            "function_tools",
		MCPHTTPTools:             "mcp_http_tools",
		MCPHTTPRequired:          "mcp_http_required",
		MCPHTTPBearerAuth:        "mcp_http_bearer_auth",
	}
})

// String is the field's name on the wire.
func (c Capability) String() string { return capabilityNames()[c] }

// CapabilityNamed finds a field by its exact name.
func CapabilityNamed(name string) (Capability, bool) {
	for c, known := range capabilityNames() {
		if known == name {
			return Capability(c), true
		}
	}
	return 0, false
}

// Capabilities is one complete declaration. Write it as a literal with every field named: there is no default.
type Capabilities [CapabilityCount]Support

// Has reports declared support; unspecified is no support.
func (c Capabilities) Has(capability Capability) bool { return c[capability] == Supported }

// Complete names the first field that is not declared, nil when all are.
func (c Capabilities) Complete() error {
	for capability, support := range c {
		if support != Supported && support != Unsupported {
			return fmt.Errorf("capability %q is not declared", Capability(capability))
		}
	}
	return nil
}

// MarshalJSONTo writes every field as a boolean and refuses an incomplete declaration.
func (c Capabilities) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := c.Complete(); err != nil {
		return err
	}
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for capability, support := range c {
		if err := enc.WriteToken(jsontext.String(Capability(capability).String())); err != nil {
			return err
		}
		if err := enc.WriteToken(jsontext.Bool(support == Supported)); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads a declaration strictly: unknown, missing, null and non-boolean members fail (wire 4.1).
func (c *Capabilities) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	open, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if open.Kind() != '{' {
		return refusal{"an object of the 25 capabilities", "another value"}
	}
	*c = Capabilities{}
	for dec.PeekKind() != '}' {
		if err := c.member(dec); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if err := c.Complete(); err != nil {
		return refusal{"every capability", err.Error()}
	}
	return nil
}

// member reads one field.
func (c *Capabilities) member(dec *jsontext.Decoder) error {
	name, err := dec.ReadToken()
	if err != nil {
		return err
	}
	capability, known := CapabilityNamed(name.String())
	if !known {
		return refusal{"the 25 capabilities alone", show(name.String())}
	}
	value, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if value.Kind() != 't' && value.Kind() != 'f' {
		return refusal{"true or false for " + capability.String(), "another value"}
	}
	c[capability] = Of(value.Bool())
	return nil
}
