package proto

// Needs tells which capabilities the features of the configuration require of its kind (wire 4.3), in the order of the
// declaration. What Core demands of every kind, whatever the configuration says, is AlwaysRequired.
func (it *Configuration) Needs() []Capability {
	var used [CapabilityCount]bool
	used[SubagentObservations] = it.ObserveSubagentIdentities
	used[SubagentControl] = it.DisableSubagents
	used[EnvironmentNone] = it.DisableExecutionEnvironment
	used[LocalEnvironmentSupport] = it.LocalEnvironment != nil
	used[WorkspaceReadPreparation] = it.WorkspaceReadOnly
	used[NativeSessionRecovery] = it.RequireExistingNativeSession && it.AgentSessionID == ""
	used[ExecutionControlsSupport] = it.ExecutionControls != nil
	used[FunctionTools] = len(it.FunctionTools) > 0
	used[ToolSearch] = it.ToolSearch
	for _, tool := range it.FunctionTools {
		used[ToolSearch] = used[ToolSearch] || tool.DeferLoading
	}
	if it.ExecutionControls != nil && it.ExecutionControls.OutputFormat != nil {
		used[StructuredOutput] = true
		used[MessageItems] = true
	}
	it.needsOfMCP(&used)
	var needs []Capability
	for capability, is := range used {
		if is {
			needs = append(needs, Capability(capability))
		}
	}
	return needs
}

func (it *Configuration) needsOfMCP(used *[CapabilityCount]bool) {
	if it.MCPHTTPServers == nil {
		return
	}
	for i := range *it.MCPHTTPServers {
		server := &(*it.MCPHTTPServers)[i]
		used[MCPHTTPTools] = true
		used[MCPHTTPRequired] = used[MCPHTTPRequired] || server.Required
		used[MCPHTTPBearerAuth] = used[MCPHTTPBearerAuth] || server.BearerToken != nil
	}
}

// AlwaysRequired are the capabilities without which Core sends a kind no execution at all (wire 4.3).
func AlwaysRequired() []Capability {
	return []Capability{Streaming, DurableTurns, DurableInputReceipts, Preparation, ExecutionControlsSupport, ToolObservations}
}

// Lacks names the first capability of a list that is not declared as supported; false when none is.
func (c Capabilities) Lacks(needs []Capability) (Capability, bool) {
	for _, capability := range needs {
		if !c.Has(capability) {
			return capability, true
		}
	}
	return 0, false
}

// Fingerprint identifies what an Executor is made from: the configuration without Run, input, native Session and the
// demand for an existing one (behaviour 5.4). It counts secrets in and shows none. A configuration that was decoded can
// always be encoded; for one that cannot the fingerprint is zero.
func Fingerprint(configuration Configuration) [32]byte {
	configuration.RunID = ""
	configuration.Input = nil
	configuration.AgentSessionID = ""
	configuration.RequireExistingNativeSession = false
	return digest(&configuration)
}
