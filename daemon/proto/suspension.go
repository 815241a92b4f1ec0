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

func (s *EnvironmentQuiesce) check() Faults {
	c := checker{rule: "wire 3.11", faults: s.Suspension.checkIDs()}
	c.absent(!s.Rollback, "rollback")
	return c.faults
}

func (s *EnvironmentResume) check() Faults { return s.Suspension.checkIDs() }

func (s *Suspension) checkIDs() Faults {
	c := checker{rule: "wire 3.11"}
	c.text(filled(s.EnvironmentID, MaxCorrelation), "environment_id", "1 to 128 bytes", s.EnvironmentID)
	c.text(filled(s.SuspendID, MaxCorrelation), "suspend_id", "1 to 128 bytes", s.SuspendID)
	return c.faults
}

func (r *EnvironmentQuiesced) check() Faults {
	return r.SuspensionReply.checkAs(TypeEnvironmentQuiesced)
}
func (r *EnvironmentResumed) check() Faults { return r.SuspensionReply.checkAs(TypeEnvironmentResumed) }

func (r *SuspensionReply) checkAs(t Type) Faults {
	c := checker{rule: "wire 3.11"}
	c.present("environment_id", r.EnvironmentID)
	c.present("suspend_id", r.SuspendID)
	if r.Accepted {
		c.absent(r.ErrorCode == "", "error_code")
	} else {
		c.code(t, "", r.ErrorCode)
	}
	return c.faults
}

// Answers checks a reply against its request (wire 3.11); an accepted reply with an error code is no acceptance.
func (r SuspensionReply) Answers(request Suspension) error {
	c := checker{rule: "wire 3.11", faults: r.checkAs(TypeEnvironmentQuiesced)}
	c.text(r.EnvironmentID == request.EnvironmentID, "environment_id", "the id of the request", r.EnvironmentID)
	c.text(r.SuspendID == request.SuspendID, "suspend_id", "the id of the request", r.SuspendID)
	return c.faults.orNil()
}
