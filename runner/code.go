package runner

// Code names one condition in a diagnostic. The spelling is stable; people search for it.
type Code string

// CodeRow says where a code appears and what the reader should do about it.
type CodeRow struct {
	Code  Code
	Where Boundary
	Means string
}

// Diagnostic codes (runner 2.9).
const (
	CodeInvalidRequest         Code = "invalid_request"
	CodeUnsupportedVersion     Code = "unsupported_version"
	CodeUnsupportedCapability  Code = "unsupported_capability"
	CodeNativeHTTPDenied       Code = "native_http_denied"
	CodeRequestTooLarge        Code = "request_too_large"
	CodeInvalidMediaType       Code = "invalid_media_type"
	CodeBodyReadFailed         Code = "body_read_failed"
	CodeBodyTimeout            Code = "body_timeout"
	CodeDeadlineUnavailable    Code = "deadline_unavailable"
	CodeInputCancelled         Code = "input_cancelled"
	CodeProfileRequired        Code = "profile_required"
	CodeProfileConflict        Code = "profile_conflict"
	CodePaidConsentRequired    Code = "paid_consent_required"
	CodeSelectionConflict      Code = "selection_conflict"
	CodeSelectionOutOfRange    Code = "selection_out_of_range"
	CodeCapturedYAMLInvalid    Code = "captured_yaml_invalid"
	CodeCapturedUnsupported    Code = "captured_field_unsupported"
	CodeGraderInvalid          Code = "grader_invalid"
	CodeNoTextCheck            Code = "no_text_check"
	CodeTaskDisabled           Code = "task_disabled"
	CodeMetricsInvalid         Code = "metrics_invalid"
	CodeIdentityFailed         Code = "identity_failed"
	CodeEngineMismatch         Code = "engine_mismatch"
	CodeEngineStartFailed      Code = "engine_start_failed"
	CodeExecutionFailed        Code = "execution_failed"
	CodeToolAttempted          Code = "tool_attempted"
	CodeExecutionCancelled     Code = "execution_cancelled"
	CodeExecutionTimeout       Code = "execution_timeout"
	CodeShutdownFailed         Code = "shutdown_failed"
	CodeCleanupFailed          Code = "cleanup_failed"
	CodeUsageMissing           Code = "usage_missing_or_partial"
	CodeModelAttributionAbsent Code = "model_attribution_missing"
	CodeTerminalInvalid        Code = "terminal_invalid"
)

// Codes is the table of runner 2.9: code, the boundary it belongs to, and what it means.
func Codes() []CodeRow {
	return []CodeRow{
		{CodeInvalidRequest, BoundaryInput, "the request text is not a request document; correct it at the named place"},
		{CodeUnsupportedVersion, BoundaryNegotiation, "no offered version is spoken here; offer 1.0"},
		{CodeUnsupportedCapability, BoundaryNegotiation, "a required capability is not offered here; require another or use a runner that offers it"},
		{CodeNativeHTTPDenied, BoundaryInput, "paid execution is accepted from this machine only; use the command line here"},
		{CodeRequestTooLarge, BoundaryInput, "the request is larger than 4 MiB"},
		{CodeInvalidMediaType, BoundaryInput, "the body was not announced as application/json"},
		{CodeBodyReadFailed, BoundaryInput, "the body could not be read"},
		{CodeBodyTimeout, BoundaryInput, "the body was not complete within five seconds"},
		{CodeDeadlineUnavailable, BoundaryInput, "the server could not bound the reading of the body"},
		{CodeInputCancelled, BoundaryInput, "reading the request was cancelled before it was complete"},
		{CodeProfileRequired, BoundaryValidation, "required_capabilities must name exact-unit and one profile"},
		{CodeProfileConflict, BoundaryValidation, "the required capabilities name more than one profile, or the captured executor is of another"},
		{CodePaidConsentRequired, BoundaryValidation, "a paid profile needs allow_paid_execution true in the document"},
		{CodeSelectionConflict, BoundaryValidation, "the selection and the captured input name different work"},
		{CodeSelectionOutOfRange, BoundaryValidation, "the selected trial or attempt is not declared by the captured eval"},
		{CodeCapturedYAMLInvalid, BoundaryValidation, "a captured text is not the YAML that the contract reads"},
		{CodeCapturedUnsupported, BoundaryValidation, "a captured field asks for something that the profile cannot do"},
		{CodeGraderInvalid, BoundaryValidation, "a grader or an expectation cannot be evaluated"},
		{CodeNoTextCheck, BoundaryValidation, "neither a text grader nor a text expectation is declared"},
		{CodeTaskDisabled, BoundaryValidation, "the captured task is disabled"},
		{CodeMetricsInvalid, BoundaryValidation, "the declared metrics do not fit the metric definition"},
		{CodeIdentityFailed, BoundaryIdentity, "no identity could be derived from the admitted input"},
		{CodeEngineMismatch, BoundaryStartup, "the engine made for the profile is not of its kind"},
		{CodeEngineStartFailed, BoundaryStartup, "the engine could not be started"},
		{CodeExecutionFailed, BoundaryExecution, "the engine answered with an error"},
		{CodeToolAttempted, BoundaryExecution, "a tool was attempted and denied"},
		{CodeExecutionCancelled, BoundaryExecution, "the run was cancelled"},
		{CodeExecutionTimeout, BoundaryExecution, "a deadline ended the run"},
		{CodeShutdownFailed, BoundaryShutdown, "the engine did not shut down in order"},
		{CodeCleanupFailed, BoundaryShutdown, "the private workspace could not be removed"},
		{CodeUsageMissing, BoundaryTerminalization, "usage is missing or incomplete; it is not zero"},
		{CodeModelAttributionAbsent, BoundaryTerminalization, "usage names no model"},
		{CodeTerminalInvalid, BoundaryTerminalization, "the result contradicted the contract's own table and was withheld"},
	}
}
