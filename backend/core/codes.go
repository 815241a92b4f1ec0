package core

import "parley/backend/store"

// Error codes of a failed Turn (behaviour 8.5).
const (
	CodeInterrupted           = store.CodeInterrupted
	CodeUnavailable           = "execution_unavailable"
	CodeModelProviderRequired = "model_provider_required"
	CodeDisconnected          = "device_disconnected"
	CodePreparationEnded      = "preparation_interrupted"
	CodeStartFailed           = "preparation_start_failed"
	CodeRecoveryFailed        = "executor_recovery_failed"
	CodeDeliveryUnknown       = "delivery_unknown"
	CodeStreamIncomplete      = "event_stream_incomplete"
	CodeEngineFailed          = "engine_failed"
	CodeInvalidResult         = "invalid_executor_result"
	CodeCancelUnconfirmed     = "cancel_unconfirmed"
	CodeCancelOutcome         = "cancel_outcome_unavailable"
	CodeInputPrefix           = "input_"
	CodeInputUnknown          = "input_outcome_unknown"
	CodeInvalidInput          = "invalid_input"
	CodeInputUnsupported      = "message_input_unsupported"
	CodeInputNotApplied       = store.CodeInputNotApplied
	CodeCallInvalid           = "function_call_invalid"
	CodeResultInvalid         = "function_result_invalid"
	CodeResultUnconfirmed     = "function_result_unconfirmed"
	CodeNotSupported          = "interaction_not_supported"
	CodePersistence           = "event_persistence_failed"
	CodeStateUnavailable      = "execution_state_unavailable"
	CodeStateChanged          = "execution_state_changed"
)
