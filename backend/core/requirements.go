package core

import (
	"encoding/json"

	"parley/backend/store"
	"parley/daemon/proto"
)

// requirements is what a Turn needs of the kind that is to execute it (behaviour 9.2).
type requirements struct {
	agent     AgentConfig
	local     bool // the Environment is self_hosted
	external  bool // the workspace is bound from outside, so that native history must be retained
	recovery  bool // a Turn was started before and no native id is recorded
	images    bool // an image in a message
	toolImage bool // an image in a function result
}

// lacking names the first capability that a declaration lacks; false when nothing is.
func (r requirements) lacking(declared proto.Capabilities) (proto.Capability, bool) {
	need := proto.AlwaysRequired()
	add := func(when bool, capabilities ...proto.Capability) {
		if when {
			need = append(need, capabilities...)
		}
	}
	add(!r.local, proto.EnvironmentNone)
	add(r.local, proto.LocalEnvironmentSupport, proto.WorkspaceReadPreparation, proto.WorkspaceOutputExport)
	add(r.recovery, proto.NativeSessionRecovery)
	add(r.external, proto.RetainedNativeHistory)
	add(r.agent.Text != nil && len(r.agent.Text.Format) > 0, proto.StructuredOutput, proto.MessageItems)
	add(r.agent.subagents(), proto.SubagentObservations)
	add(r.agent.MultiAgent != nil && !r.agent.MultiAgent.Enabled, proto.SubagentControl)
	add(len(r.agent.Tools) > 0, proto.FunctionTools)
	for _, tool := range r.agent.Tools {
		add(tool.DeferLoading, proto.ToolSearch)
	}
	add(r.images, proto.MessageImages)
	add(r.toolImage, proto.FunctionResultImages)
	return declared.Lacks(need)
}

// requirementsOf derives them from a Session, its Environment and the messages that are to be submitted.
func requirementsOf(session store.Session, agent AgentConfig, environment *store.Environment, messages proto.MessageInput) requirements {
	return requirements{agent: agent, local: environment != nil, images: messages.HasImage(),
		recovery: session.NativeStarted && session.NativeID == ""}
}

// kindOf finds what a Runtime advertises for an agent's harness: nil when it is not advertised or not available.
func kindOf(kinds []proto.AgentKind, harness string) *proto.AgentKind {
	for _, kind := range kinds {
		if kind.Kind == harness && kind.Available {
			return &kind
		}
	}
	return nil
}

// configurationOf is the configuration of a preparation: what Core sets for each Run (wire 3.6).
func configurationOf(session store.Session, agent AgentConfig, environment *store.Environment) proto.Configuration {
	disabled := agent.MultiAgent != nil && !agent.MultiAgent.Enabled
	c := proto.Configuration{
		AgentKind:                 agent.Core.Harness,
		AgentOptions:              &proto.AgentOptions{Model: agent.Model, SystemPrompt: agent.Instructions, HarnessConfig: []byte(agent.Core.HarnessConfig)},
		ExecutionControls:         controlsOf(agent),
		AgentSessionID:            session.NativeID,
		AgentStateKey:             proto.StateKeyPrefix + session.ID,
		ObserveSubagentIdentities: agent.subagents(),
		DisableSubagents:          disabled,
	}
	c.RequireExistingNativeSession = session.NativeStarted
	for _, tool := range agent.Tools {
		parameters := []byte(tool.Parameters)
		if len(parameters) == 0 {
			parameters = []byte(`{"type":"object"}`)
		}
		c.FunctionTools = append(c.FunctionTools, proto.FunctionTool{Name: tool.Name, Description: tool.Description,
			Parameters: parameters, DeferLoading: tool.DeferLoading})
		c.ToolSearch = c.ToolSearch || tool.DeferLoading
	}
	if environment == nil {
		c.DisableExecutionEnvironment = true
		return c
	}
	c.LocalEnvironment = &proto.LocalEnvironment{ID: environment.ID, WorkspaceDirectory: environment.Workspace}
	return c
}

func controlsOf(agent AgentConfig) *proto.ExecutionControls {
	controls := &proto.ExecutionControls{TextVerbosity: agent.verbosity()}
	if agent.ServiceTier != "auto" {
		controls.ServiceTier = agent.ServiceTier
	}
	if agent.Reasoning != nil {
		controls.ReasoningEffort, controls.ReasoningSummary = agent.Reasoning.Effort, agent.Reasoning.Summary
	}
	if agent.Text != nil && len(agent.Text.Format) > 0 {
		var format proto.OutputFormat
		if json.Unmarshal(agent.Text.Format, &format) == nil {
			controls.OutputFormat = &format
		}
	}
	return controls
}
