package proto

import "slices"

// EngineCodes are the classifications that an error frame may carry (wire 5.3).
func EngineCodes() []string { return slices.Clone(codesOf(TypeError, "")) }

// ConnectionFailed is the one engine code that keeps an HTTP status.
const ConnectionFailed = "connection_failed"

// Codes of receipts: cancellation (wire 5.4), function results (5.5) and active input (5.6).
const (
	CodeRunInactive              = "run_inactive"
	CodeCancelTimeout            = "cancel_timeout"
	CodeCancelFailed             = "cancel_failed"
	CodeCancelOutputUnavailable  = "cancel_output_unavailable"
	CodeCancelOutcomeUnavailable = "cancel_outcome_unavailable"
	CodeCancelUnconfirmed        = "cancel_unconfirmed" // Core's own record, never on the wire

	CodeInvalidResult     = "invalid_result"
	CodeDecisionConflict  = "decision_conflict"
	CodeNotReady          = "not_ready"
	CodeUnsupported       = "unsupported"
	CodeContractViolation = "contract_violation"
	CodeNotPending        = "not_pending"
	CodeRuntimeError      = "runtime_error"

	CodeInvalidInput   = "invalid_input"
	CodeInputConflict  = "input_conflict"
	CodeInputLimit     = "input_limit"
	CodeBusy           = "busy"
	CodeInFlight       = "in_flight"
	CodeInputRejected  = "rejected"
	CodeOutcomeUnknown = "outcome_unknown"
)

// Codes of preparation_status (wire 5.7).
const (
	CodeInvalidRequest             = "invalid_request"
	CodeInvalidConfiguration       = "invalid_configuration"
	CodeResourceUnavailable        = "resource_unavailable"
	CodeUnsupportedPreparation     = "unsupported_preparation"
	CodeUnsupportedReadPreparation = "unsupported_read_preparation"
	CodeUnsupportedConfiguration   = "unsupported_configuration"
	CodeRequestConflict            = "request_conflict"
	CodePreparationCapacity        = "preparation_capacity"
	CodeSessionBindingConflict     = "session_binding_conflict"
	CodeConfigurationConflict      = "configuration_conflict"
	CodeCleanupUnconfirmed         = "executor_cleanup_unconfirmed"
	CodeNativeSessionConflict      = "native_session_conflict"
	CodeHistoryUnavailable         = "history_unavailable"
	CodeExecutorCapacity           = "executor_capacity"

	CodeInvalidStart         = "invalid_start"
	CodeUnknownPreparation   = "unknown_preparation"
	CodeReadOnlyPreparation  = "read_only_preparation"
	CodeUnknownExecutor      = "unknown_executor"
	CodeStartConflict        = "start_conflict"
	CodePreparationNotReady  = "preparation_not_ready"
	CodeRunConflict          = "run_conflict"
	CodeExecutorUnavailable  = "executor_unavailable"
	CodeStartCancelled       = "start_cancelled"
	CodeInvalidRelease       = "invalid_release"
	CodePreparationFailed    = "preparation_failed"
	CodeStatusDeliveryFailed = "status_delivery_failed"
	CodeConnectionClosed     = "connection_closed"
)

// Codes of transfers, workspace operations and suspension (wire 3.8.4, 5.8 to 5.11).
const (
	CodePreparationCapacityRuntime = "runtime_preparation_capacity"
	CodePreparationUnsupported     = "runtime_preparation_unsupported"
	CodePreparationRejected        = "runtime_preparation_rejected"
	CodePreparationFailedRuntime   = "runtime_preparation_failed"
	CodePreparationUnconfirmed     = "runtime_preparation_unconfirmed"

	CodeReadCapacity     = "read_capacity"
	CodeReadUnsupported  = "read_unsupported"
	CodeNotFound         = "not_found"
	CodePermissionDenied = "permission_denied"
	CodeNotDirectory     = "not_directory"
	CodeReadUnconfirmed  = "read_unconfirmed"

	CodeWriteCapacity    = "write_capacity"
	CodeWriteUnsupported = "write_unsupported"
	CodeWriteRejected    = "write_rejected"
	CodeWriteUnconfirmed = "write_unconfirmed"

	ReasonDirectory = "destination_directory"
	ReasonUnsafe    = "unsafe_destination"

	CodeExportFailed = "export_failed"
	CodeResourceBusy = "resource_busy"
	CodeNotSuspended = "not_suspended"
)
