package proto

// ExecutionStart hands an admission over to a Run (wire 3.7).
type ExecutionStart struct {
	ExecutorID string       `json:"executor_id"`
	Handle     string       `json:"handle"`
	RunID      string       `json:"run_id"`
	Input      MessageInput `json:"input"`
}

// ExecutionRelease abandons an admission before its start (wire 3.7).
type ExecutionRelease struct {
	Handle string `json:"handle"`
}

// PreparationStatus is one observation of an admission, or a rejection (wire 3.7).
type PreparationStatus struct {
	ExecutorID string `json:"executor_id,omitempty"`
	Reused     bool   `json:"reused,omitempty"`
	Handle     string `json:"handle,omitempty"`
	Revision   uint64 `json:"revision"` // from 1 for each handle; 0 only in a rejection
	State      string `json:"state"`
	ExpiresAt  int64  `json:"expires_at,omitempty"` // Unix milliseconds
	RunID      string `json:"run_id,omitempty"`
	ErrorCode  string `json:"error_code,omitempty"`
	Operation  Type   `json:"operation,omitempty"`
}

// States of an admission (wire 3.7); rejected is no state of one.
const (
	StatePreparing = "preparing"
	StateReady     = "ready"
	StateStarting  = "starting"
	StateStarted   = "started"
	StateReleased  = "released"
	StateExpired   = "expired"
	StateFailed    = "failed"
	StateRejected  = "rejected"
)

// Terminal reports whether nothing follows the state.
func Terminal(state string) bool {
	return state == StateStarted || state == StateReleased || state == StateExpired || state == StateFailed
}

func (*ExecutionStart) Type() Type    { return TypeExecutionStart }
func (*ExecutionRelease) Type() Type  { return TypeExecutionRelease }
func (*PreparationStatus) Type() Type { return TypePreparationStatus }
