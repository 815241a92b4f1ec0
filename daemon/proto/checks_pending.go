package proto

func (*ToolCall) check(*checker)              {}
func (*DecisionAck) check(*checker)           {}
func (*ExecutionPrepare) check(*checker)      {}
func (*ExecutionStart) check(*checker)        {}
func (*ExecutionRelease) check(*checker)      {}
func (*PreparationStatus) check(*checker)     {}
func (*RuntimePrepare) check(*checker)        {}
func (*RuntimePrepareResult) check(*checker)  {}
func (*PromptSteer) check(*checker)           {}
func (*PromptSteerAck) check(*checker)        {}
func (*FunctionCall) check(*checker)          {}
func (*FunctionCallWithdrawn) check(*checker) {}
func (*FunctionResult) check(*checker)        {}
func (*WorkspaceRead) check(*checker)         {}
func (*WorkspaceReadResult) check(*checker)   {}
func (*WorkspaceWrite) check(*checker)        {}
func (*WorkspaceWriteResult) check(*checker)  {}
func (*WorkspaceExport) check(*checker)       {}
func (*WorkspaceExportResult) check(*checker) {}
func (*EnvironmentQuiesce) check(*checker)    {}
func (*EnvironmentResume) check(*checker)     {}
func (*EnvironmentQuiesced) check(*checker)   {}
func (*EnvironmentResumed) check(*checker)    {}
func (*SubagentIdentity) check(*checker)      {}
func (*SubagentLifecycle) check(*checker)     {}
func (*SubagentTurn) check(*checker)          {}
func (*SubagentItem) check(*checker)          {}
func (*SubagentCoordination) check(*checker)  {}

// Validate applies the rules of wire 3.5.2; the error is nil or Faults.
func (m MessageInput) Validate() error { return nil }

// Answers checks a result against what its request expects (wire 3.8.4). Step is the step it answers and staged the
// bytes staged after that step.
func (r *RuntimePrepareResult) Answers(begin *RuntimePrepare, step string, staged int64) error {
	return nil
}

// Answers checks a result against what its request expects (wire 3.10.2).
func (r *WorkspaceWriteResult) Answers(begin *WorkspaceWrite, step string, staged int64) error {
	return nil
}

// Answers checks a result against its request (wire 3.10.1).
func (r *WorkspaceReadResult) Answers(request *WorkspaceRead) error { return nil }

// Answers checks a piece against the offset that was asked for (wire 3.10.3).
func (r *WorkspaceExportResult) Answers(offset int64) error { return nil }

// Answers checks a reply against its request (wire 3.11); an accepted reply with an error code is no acceptance.
func (r SuspensionReply) Answers(request Suspension) error { return nil }
