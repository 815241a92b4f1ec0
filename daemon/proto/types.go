package proto

import (
	"slices"
	"sync"
)

// Type names an envelope's payload and handler; compared exactly (wire 1.1).
type Type string

// The 37 types (wire 2).
const (
	TypeRuntimePrepare        Type = "runtime_prepare"
	TypeExecutionPrepare      Type = "execution_prepare"
	TypeExecutionStart        Type = "execution_start"
	TypeExecutionRelease      Type = "execution_release"
	TypePromptCancel          Type = "prompt_cancel"
	TypePromptSteer           Type = "prompt_steer"
	TypeFunctionResult        Type = "function_result"
	TypeWorkspaceRead         Type = "workspace_read"
	TypeWorkspaceWrite        Type = "workspace_write"
	TypeWorkspaceExport       Type = "workspace_export"
	TypeEnvironmentQuiesce    Type = "environment_quiesce"
	TypeEnvironmentResume     Type = "environment_resume"
	TypeRuntimePrepareResult  Type = "runtime_prepare_result"
	TypePreparationStatus     Type = "preparation_status"
	TypeDelta                 Type = "delta"
	TypeThinking              Type = "thinking"
	TypeOutputMessage         Type = "output_message"
	TypeToolCall              Type = "tool_call"
	TypeCommandOutput         Type = "command_output"
	TypeUsage                 Type = "usage"
	TypeError                 Type = "error"
	TypeDone                  Type = "done"
	TypeFunctionCall          Type = "function_call"
	TypeFunctionCallWithdrawn Type = "function_call_withdrawn"
	TypePromptSteerAck        Type = "prompt_steer_ack"
	TypeDecisionAck           Type = "interaction_decision_ack"
	TypeSubagentIdentity      Type = "subagent_identity"
	TypeSubagentLifecycle     Type = "subagent_lifecycle"
	TypeSubagentTurn          Type = "subagent_turn"
	TypeSubagentItem          Type = "subagent_item"
	TypeSubagentCoordination  Type = "subagent_coordination"
	TypeWorkspaceReadResult   Type = "workspace_read_result"
	TypeWorkspaceWriteResult  Type = "workspace_write_result"
	TypeWorkspaceExportResult Type = "workspace_export_result"
	TypeEnvironmentQuiesced   Type = "environment_quiesced"
	TypeEnvironmentResumed    Type = "environment_resumed"
	TypeHeartbeat             Type = "heartbeat"
)

// Direction is the one way a type travels.
type Direction string

const (
	ToRuntime Direction = "to_runtime"
	ToCore    Direction = "to_core"
)

// Identity is what an envelope's id stands for (wire 1.2).
type Identity string

const (
	NoIdentity          Identity = "none"
	PreparationIdentity Identity = "preparation request"
	RunIdentity         Identity = "run"
	TransferIdentity    Identity = "transfer"           // canonical UUID
	MutationIdentity    Identity = "mutation"           // canonical UUID
	OperationIdentity   Identity = "operation"          // 1 to 128 bytes, not blank
	SuspensionIdentity  Identity = "suspension request" // 1 to 128 bytes, not blank
)

// Kind is one row of the table of types.
type Kind struct {
	Type     Type
	To       Direction
	ID       Identity
	Section  string // where its payload is described
	Most     int    // bytes of its encoded payload, 0 when only the frame bounds it
	Answered []Type // by what the other side answers; empty when by nothing
	New      func() Payload
}

// Payload is the typed body of a frame; always a pointer to one of the package's payload structs.
type Payload interface {
	Type() Type
	// check tells every rule that the payload breaks by itself, with paths below the payload.
	check() Faults
}

func kind[T any, P interface {
	*T
	Payload
}](to Direction, id Identity, section string, answered ...Type) Kind {
	fresh := func() Payload { return P(new(T)) }
	return Kind{Type: fresh().Type(), To: to, ID: id, Section: section, Answered: answered, New: fresh}
}

// most bounds the encoded payload of a kind (wire 1.5).
func (k Kind) most(bytes int) Kind {
	k.Most = bytes
	return k
}

// Kinds is the table of all types (wire 2), in the order of the contract.
func Kinds() []Kind { return slices.Clone(kinds()) }

var kinds = sync.OnceValue(func() []Kind {
	return []Kind{
		kind[RuntimePrepare](ToRuntime, TransferIdentity, "wire 3.8", TypeRuntimePrepareResult).most(MaxPrepareBegin),
		kind[ExecutionPrepare](ToRuntime, PreparationIdentity, "wire 3.6", TypePreparationStatus),
		kind[ExecutionStart](ToRuntime, PreparationIdentity, "wire 3.7", TypePreparationStatus),
		kind[ExecutionRelease](ToRuntime, PreparationIdentity, "wire 3.7", TypePreparationStatus),
		kind[PromptCancel](ToRuntime, RunIdentity, "wire 3.9.1", TypeDecisionAck),
		kind[PromptSteer](ToRuntime, RunIdentity, "wire 3.9.2", TypePromptSteerAck),
		kind[FunctionResult](ToRuntime, RunIdentity, "wire 3.9.5", TypeDecisionAck),
		kind[WorkspaceRead](ToRuntime, OperationIdentity, "wire 3.10.1", TypeWorkspaceReadResult).most(MaxReadPayload),
		kind[WorkspaceWrite](ToRuntime, MutationIdentity, "wire 3.10.2", TypeWorkspaceWriteResult).most(MaxTransferPayload),
		kind[WorkspaceExport](ToRuntime, OperationIdentity, "wire 3.10.3", TypeWorkspaceExportResult).most(MaxTransferPayload),
		kind[EnvironmentQuiesce](ToRuntime, SuspensionIdentity, "wire 3.11", TypeEnvironmentQuiesced).most(MaxSuspension),
		kind[EnvironmentResume](ToRuntime, SuspensionIdentity, "wire 3.11", TypeEnvironmentResumed).most(MaxSuspension),
		kind[RuntimePrepareResult](ToCore, TransferIdentity, "wire 3.8.4"),
		kind[PreparationStatus](ToCore, PreparationIdentity, "wire 3.7"),
		kind[Delta](ToCore, RunIdentity, "wire 3.2"),
		kind[Thinking](ToCore, RunIdentity, "wire 3.2"),
		kind[OutputMessage](ToCore, RunIdentity, "wire 3.2"),
		kind[ToolCall](ToCore, RunIdentity, "wire 3.3"),
		kind[CommandOutput](ToCore, RunIdentity, "wire 3.2"),
		kind[Usage](ToCore, RunIdentity, "wire 3.4"),
		kind[Failure](ToCore, RunIdentity, "wire 3.4"),
		kind[Done](ToCore, RunIdentity, "wire 3.4"),
		kind[FunctionCall](ToCore, RunIdentity, "wire 3.9.3", TypeFunctionResult),
		kind[FunctionCallWithdrawn](ToCore, RunIdentity, "wire 3.9.4"),
		kind[PromptSteerAck](ToCore, RunIdentity, "wire 3.9.2"),
		kind[DecisionAck](ToCore, RunIdentity, "wire 3.4"),
		kind[SubagentIdentity](ToCore, RunIdentity, "wire 3.12"),
		kind[SubagentLifecycle](ToCore, RunIdentity, "wire 3.12"),
		kind[SubagentTurn](ToCore, RunIdentity, "wire 3.12"),
		kind[SubagentItem](ToCore, RunIdentity, "wire 3.12"),
		kind[SubagentCoordination](ToCore, RunIdentity, "wire 3.12"),
		kind[WorkspaceReadResult](ToCore, OperationIdentity, "wire 3.10.1"),
		kind[WorkspaceWriteResult](ToCore, MutationIdentity, "wire 3.10.2"),
		kind[WorkspaceExportResult](ToCore, OperationIdentity, "wire 3.10.3").most(MaxTransferPayload),
		kind[EnvironmentQuiesced](ToCore, SuspensionIdentity, "wire 3.11"),
		kind[EnvironmentResumed](ToCore, SuspensionIdentity, "wire 3.11"),
		kind[Heartbeat](ToCore, NoIdentity, "wire 3.1"),
	}
})

var kindsByType = sync.OnceValue(func() map[Type]Kind {
	table := make(map[Type]Kind, len(kinds()))
	for _, k := range kinds() {
		table[k.Type] = k
	}
	return table
})

// KindOf looks up a type; false for a type that this protocol does not have.
func KindOf(t Type) (Kind, bool) {
	k, ok := kindsByType()[t]
	return k, ok
}
