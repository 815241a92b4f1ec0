package proto

import "strconv"

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

func (s *ExecutionStart) check() Faults {
	c := checker{rule: "wire 3.7"}
	c.present("executor_id", s.ExecutorID)
	c.present("handle", s.Handle)
	c.present("run_id", s.RunID)
	c.under("input", s.Input.check())
	return c.faults
}

func (r *ExecutionRelease) check() Faults {
	c := checker{rule: "wire 3.7"}
	c.present("handle", r.Handle)
	return c.faults
}

func (s *PreparationStatus) check() Faults {
	if s.State == StateRejected {
		return s.checkRejection()
	}
	c := checker{rule: "wire 3.7"}
	c.oneOf("state", s.State, StatePreparing, StateReady, StateStarting, StateStarted, StateReleased, StateExpired,
		StateFailed, StateRejected)
	c.present("handle", s.Handle)
	c.that(s.Revision > 0, "revision", "1 or more", "0")
	c.text(s.Operation == "", "operation", "no operation, as nothing was rejected", string(s.Operation))
	c.code(TypePreparationStatus, s.State, s.ErrorCode)
	switch s.State {
	case StateStarting, StateStarted:
		c.present("run_id", s.RunID)
	case StateFailed: // before or after the hand-over
	default:
		c.text(s.RunID == "", "run_id", "no Run before the start", s.RunID)
	}
	return c.faults
}

// checkRejection checks a refusal, which is no state of an admission.
func (s *PreparationStatus) checkRejection() Faults {
	c := checker{rule: "wire 3.7"}
	c.that(s.Revision == 0, "revision", "0 in a rejection", strconv.FormatUint(s.Revision, 10))
	c.oneOf("operation", string(s.Operation), string(TypeExecutionPrepare), string(TypeExecutionStart), string(TypeExecutionRelease))
	c.by("wire 5.7", func(c *checker) { c.code(TypePreparationStatus, string(s.Operation), s.ErrorCode) })
	return c.faults
}
