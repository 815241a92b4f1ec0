package scripted

import (
	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Kind is the name under which the harness is advertised.
const Kind = "scripted"

// version is what the harness says of itself; it grows when a script of before would play otherwise.
const version = "1"

// New gives the declaration and the factory of one harness. Executors of one factory share their native Sessions, which
// live as long as the factory.
func New() (harness.Declaration, harness.Factory) {
	declared := harness.Declaration{Kind: Kind, Available: true, Version: version, Capabilities: capabilities()}
	return declared, newMemory().prepare
}

// capabilities declares each field for itself (behaviour 9.2).
func capabilities() proto.Capabilities {
	return proto.Capabilities{
		proto.Streaming:                proto.Supported, // message steps send deltas
		proto.DurableTurns:             proto.Supported, // a Turn settles, and says whether it did
		proto.DurableInputReceipts:     proto.Supported, // written and consumed are told apart
		proto.Preparation:              proto.Supported, // the factory submits nothing
		proto.ExecutionControlsSupport: proto.Supported, // all are accepted; disabled web search leaves searches out
		proto.ToolObservations:         proto.Supported, // each tool step carries its observation
		proto.EnvironmentNone:          proto.Supported, // it needs no Environment
		proto.LocalEnvironmentSupport:  proto.Supported, // and works beside one, which it leaves alone
		proto.WorkspaceReadPreparation: proto.Supported, // the Runtime reads; no native program takes part
		proto.WorkspaceOutputExport:    proto.Supported, // the Runtime exports; no native program takes part
		proto.MessageItems:             proto.Supported, // messages have ids, starts and ends
		proto.SubagentObservations:     proto.Supported, // subagent steps, where Core wants to see them
		proto.SubagentControl:          proto.Supported, // disable_subagents leaves subagent steps out
		proto.FunctionTools:            proto.Supported, // function steps
		proto.UsageReports:             proto.Supported, // usage steps
		proto.Resume:                   proto.Supported, // a native Session is found by its id
		proto.NativeSessionRecovery:    proto.Supported, // and by its state key, when no id was recorded
		proto.MessageImages:            proto.Supported, // PNG and JPEG are decoded and described
		proto.FunctionResultImages:     proto.Supported, // in results as well

		proto.RetainedNativeHistory: proto.Unsupported, // history ends with the process
		proto.StructuredOutput:      proto.Unsupported, // a script's text follows no schema
		proto.ToolSearch:            proto.Unsupported, // a script knows its functions and searches none
		proto.MCPHTTPTools:          proto.Unsupported, // no MCP server is ever contacted
		proto.MCPHTTPRequired:       proto.Unsupported, // the same
		proto.MCPHTTPBearerAuth:     proto.Unsupported, // the same
	}
}
