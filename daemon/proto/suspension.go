package proto

// Suspension names one suspension attempt of one Environment (wire 3.11).
type Suspension struct {
	Rollback      bool   `json:"rollback,omitempty"` // resume only
	EnvironmentID string `json:"environment_id"`
	SuspendID     string `json:"suspend_id"`
}

// SuspensionReply answers either request; it repeats both ids.
type SuspensionReply struct {
	EnvironmentID string `json:"environment_id"`
	SuspendID     string `json:"suspend_id"`
	Accepted      bool   `json:"accepted"`
	ErrorCode     string `json:"error_code,omitempty"`
}

// EnvironmentQuiesce closes admission and drains.
type EnvironmentQuiesce struct{ Suspension }

// EnvironmentResume opens it again.
type EnvironmentResume struct{ Suspension }

// EnvironmentQuiesced answers a quiesce.
type EnvironmentQuiesced struct{ SuspensionReply }

// EnvironmentResumed answers a resume.
type EnvironmentResumed struct{ SuspensionReply }

func (*EnvironmentQuiesce) Type() Type  { return TypeEnvironmentQuiesce }
func (*EnvironmentResume) Type() Type   { return TypeEnvironmentResume }
func (*EnvironmentQuiesced) Type() Type { return TypeEnvironmentQuiesced }
func (*EnvironmentResumed) Type() Type  { return TypeEnvironmentResumed }
