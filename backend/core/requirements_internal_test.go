package core

import (
	"testing"

	"parley/backend/store"
	"parley/daemon/proto"
)

func allSupported() proto.Capabilities {
	var all proto.Capabilities
	for c := range proto.CapabilityCount {
		all[c] = proto.Supported
	}
	return all
}

// behaviour 9.2, wire 4.3: every row of the table of capabilities.
func TestRequirementsNameWhatIsLacking(t *testing.T) {
	t.Parallel()
	image := "data:image/png;base64,AAAA"
	withImage := proto.MessageInput{{Content: []proto.InputContent{{Type: proto.InputImage, ImageURL: &image}}}}
	environment := &store.Environment{ID: "e", Workspace: "/w"}
	plain := AgentConfig{}
	tests := map[string]struct {
		lack        proto.Capability
		agent       AgentConfig
		session     store.Session
		environment *store.Environment
		messages    proto.MessageInput
	}{
		"streaming":              {lack: proto.Streaming, agent: plain},
		"durable turns":          {lack: proto.DurableTurns, agent: plain},
		"input receipts":         {lack: proto.DurableInputReceipts, agent: plain},
		"preparation":            {lack: proto.Preparation, agent: plain},
		"execution controls":     {lack: proto.ExecutionControlsSupport, agent: plain},
		"tool observations":      {lack: proto.ToolObservations, agent: plain},
		"environment none":       {lack: proto.EnvironmentNone, agent: plain},
		"local environment":      {lack: proto.LocalEnvironmentSupport, environment: environment},
		"read preparation":       {lack: proto.WorkspaceReadPreparation, environment: environment},
		"output export":          {lack: proto.WorkspaceOutputExport, environment: environment},
		"native recovery":        {lack: proto.NativeSessionRecovery, session: store.Session{NativeStarted: true}},
		"structured output":      {lack: proto.StructuredOutput, agent: AgentConfig{Text: &TextOptions{Format: []byte(`{}`)}}},
		"message items":          {lack: proto.MessageItems, agent: AgentConfig{Text: &TextOptions{Format: []byte(`{}`)}}},
		"subagents observed":     {lack: proto.SubagentObservations, agent: AgentConfig{MultiAgent: &MultiAgent{Enabled: true}}},
		"subagents controlled":   {lack: proto.SubagentControl, agent: AgentConfig{MultiAgent: &MultiAgent{}}},
		"tool search":            {lack: proto.ToolSearch, agent: AgentConfig{Tools: []Tool{{Name: "f", DeferLoading: true}}}},
		"function tools":         {lack: proto.FunctionTools, agent: AgentConfig{Tools: []Tool{{Name: "f"}}}},
		"images in messages":     {lack: proto.MessageImages, messages: withImage},
		"recorded native id":     {lack: -1, session: store.Session{NativeStarted: true, NativeID: "n"}},
		"usage is never asked":   {lack: -1, agent: plain},
		"children not mentioned": {lack: -1, agent: plain},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need := requirementsOf(test.session, test.agent, test.environment, test.messages)
			declared := allSupported()
			if missing, lacks := need.lacking(declared); lacks {
				t.Fatalf("%s is lacking although everything is declared", missing)
			}
			if test.lack < 0 {
				declared[proto.UsageReports], declared[proto.Resume] = proto.Unsupported, proto.Unsupported
				declared[proto.NativeSessionRecovery] = proto.Unsupported
				declared[proto.SubagentObservations], declared[proto.SubagentControl] = proto.Unsupported, proto.Unsupported
				if missing, lacks := need.lacking(declared); lacks {
					t.Errorf("%s is asked for", missing)
				}
				return
			}
			declared[test.lack] = proto.Unsupported
			if missing, lacks := need.lacking(declared); !lacks || missing != test.lack {
				t.Errorf("got %s lacking %t, want %s", missing, lacks, test.lack)
			}
		})
	}
}

// wire 3.6: what Core sets in every configuration.
func TestConfigurationIsWhatCoreSets(t *testing.T) {
	t.Parallel()
	agent := AgentConfig{Model: "m", Instructions: "s", Core: AgentCore{Harness: "scripted"}}
	session := store.Session{ID: "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8", NativeID: "n", NativeStarted: true}
	request := &proto.ExecutionPrepare{SessionID: session.ID, Configuration: configurationOf(session, agent, nil)}
	if err := request.BindingFault(); err != nil {
		t.Error(err)
	}
	if err := request.ConfigurationFault(); err != nil {
		t.Error(err)
	}
	c := request.Configuration
	if c.ExecutionControls.TextVerbosity != "medium" || c.AgentSessionID != "n" || !c.RequireExistingNativeSession || !c.DisableExecutionEnvironment {
		t.Errorf("got %+v", c)
	}
	c = configurationOf(session, agent, &store.Environment{ID: "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30", Workspace: "/w"})
	if c.DisableExecutionEnvironment || c.LocalEnvironment == nil || c.LocalEnvironment.WorkspaceDirectory != "/w" {
		t.Errorf("got %+v, want the exact binding", c)
	}
}
