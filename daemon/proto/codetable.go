package proto

import (
	"slices"
	"sync"
)

// CodeRow is one finite list: the codes that may stand in a frame of a type.
type CodeRow struct {
	Section string
	Type    Type
	// When is the outcome or state with which the codes stand. It is the refused type for a rejected
	// preparation_status, the answered type for an interaction_decision_ack, and "" where nothing is told apart.
	When  string
	Codes []string
}

// CodeRows is the table of all finite lists (wire 5.3 to 5.12), in the order of the contract.
func CodeRows() []CodeRow {
	rows := slices.Clone(codeRows())
	for i := range rows {
		rows[i].Codes = slices.Clone(rows[i].Codes)
	}
	return rows
}

var codeRows = sync.OnceValue(func() []CodeRow {
	suspension := []string{CodeInvalidRequest, CodeResourceBusy, CodeNotSuspended}
	export := []string{CodeInvalidRequest, CodeExportFailed, CodeResourceUnavailable}
	return []CodeRow{
		{"wire 5.3", TypeError, "", []string{"authentication_error", "rate_limit_exceeded", "usage_limit_exceeded",
			"server_overloaded", "server_error", "invalid_request", "resource_not_found", "request_timeout",
			"context_length_exceeded", "cyber_policy", ConnectionFailed}},
		{"wire 5.4", TypeDecisionAck, string(TypePromptCancel), []string{CodeRunInactive, CodeCancelTimeout,
			CodeCancelFailed, CodeCancelOutputUnavailable, CodeCancelOutcomeUnavailable}},
		{"wire 5.5", TypeDecisionAck, string(TypeFunctionResult), []string{CodeInvalidResult, CodeDecisionConflict,
			CodeNotReady, CodeUnsupported, CodeContractViolation, CodeNotPending, CodeRuntimeError}},
		{"wire 5.6", TypePromptSteerAck, "", []string{CodeInvalidInput, CodeRunInactive, CodeInputConflict,
			CodeInputLimit, CodeNotReady, CodeUnsupported, CodeBusy, CodeInFlight, CodeContractViolation,
			CodeInputRejected, CodeOutcomeUnknown}},
		{"wire 5.7", TypePreparationStatus, string(TypeExecutionPrepare), []string{CodeInvalidRequest,
			CodeInvalidConfiguration, CodeResourceUnavailable, CodeUnsupportedPreparation,
			CodeUnsupportedReadPreparation, CodeUnsupportedConfiguration, CodeRequestConflict,
			CodePreparationCapacity, CodeSessionBindingConflict, CodeConfigurationConflict, CodeCleanupUnconfirmed,
			CodeNativeSessionConflict, CodeHistoryUnavailable, CodeExecutorCapacity}},
		{"wire 5.7", TypePreparationStatus, string(TypeExecutionStart), []string{CodeInvalidStart,
			CodeResourceUnavailable, CodeUnknownPreparation, CodeReadOnlyPreparation, CodeUnknownExecutor,
			CodeStartConflict, CodePreparationNotReady, CodeRunConflict, CodeExecutorUnavailable,
			CodeCleanupUnconfirmed, CodeStartCancelled}},
		{"wire 5.7", TypePreparationStatus, string(TypeExecutionRelease), []string{CodeInvalidRelease,
			CodeUnknownPreparation}},
		{"wire 5.7", TypePreparationStatus, StateFailed, []string{CodePreparationFailed, CodeStatusDeliveryFailed,
			CodeConnectionClosed, CodeCleanupUnconfirmed, CodeExecutorUnavailable, CodeStartCancelled}},
		{"wire 5.8", TypeWorkspaceReadResult, OutcomeRejected, []string{CodeInvalidRequest, CodeResourceUnavailable,
			CodeReadCapacity, CodeReadUnsupported, CodeNotFound, CodePermissionDenied, CodeNotDirectory}},
		{"wire 5.8", TypeWorkspaceReadResult, OutcomeUnknown, []string{CodeReadUnconfirmed}},
		{"wire 5.9", TypeWorkspaceWriteResult, OutcomeRejected, []string{CodeInvalidRequest, CodeResourceUnavailable,
			CodeWriteCapacity, CodeWriteUnsupported, CodeWriteRejected}},
		{"wire 5.9", TypeWorkspaceWriteResult, OutcomeUnknown, []string{CodeWriteUnconfirmed}},
		{"wire 5.10", TypeWorkspaceExportResult, OutcomeFailed, export},
		{"wire 5.10", TypeWorkspaceExportResult, OutcomeRejected, export},
		{"wire 5.11", TypeEnvironmentQuiesced, "", suspension},
		{"wire 5.11", TypeEnvironmentResumed, "", suspension},
		{"wire 5.12", TypeRuntimePrepareResult, OutcomeRejected, []string{CodeInvalidRequest, CodeResourceUnavailable,
			CodePreparationCapacityRuntime, CodePreparationUnsupported, CodePreparationRejected}},
		{"wire 5.12", TypeRuntimePrepareResult, OutcomeFailed, []string{CodePreparationFailedRuntime}},
		{"wire 5.12", TypeRuntimePrepareResult, OutcomeUnknown, []string{CodePreparationUnconfirmed}},
	}
})

// codesOf is one list of the table, shared and not to be changed; nil when no code stands there.
func codesOf(t Type, when string) []string {
	for _, row := range codeRows() {
		if row.Type == t && row.When == when {
			return row.Codes
		}
	}
	return nil
}

// code records a fault unless a code is one of its list, or is absent where the list is empty.
func (c *checker) code(t Type, when, code string) {
	codes := codesOf(t, when)
	if codes == nil {
		c.absent(code == "", "error_code")
		return
	}
	c.oneOf("error_code", code, codes...)
}
