package runner

// KindUnit marks a unit receipt.
const KindUnit = "waza.runner-unit"

// UnitStatus is the state of a unit receipt (runner 2.5).
type UnitStatus string

// The four states; validate gives the first two, the internal form behind run the others.
const (
	UnitReady          UnitStatus = "ready"
	UnitRejected       UnitStatus = "rejected"
	UnitCompleted      UnitStatus = "completed"
	UnitExecutionError UnitStatus = "execution_error"
)

// Receipt is the unit document of runner 2.5.
type Receipt struct {
	Kind                 string       `json:"kind"`
	SchemaVersion        string       `json:"schema_version"`
	Status               UnitStatus   `json:"status"`
	Compatibility        Negotiation  `json:"compatibility"`
	Requested            *Selection   `json:"requested,omitzero"`
	Resolved             *Selection   `json:"resolved,omitzero"`
	Identity             *Identity    `json:"identity,omitzero"`
	Validation           Validation   `json:"validation"`
	AdjacentWorkSelected bool         `json:"adjacent_work_selected"` // always false
	EngineCalls          int          `json:"engine_calls"`
	ExecutionMode        string       `json:"execution_mode,omitzero"`
	Observation          *RunResult   `json:"observation,omitzero"`
	Diagnostics          []Diagnostic `json:"diagnostics"`
}

// ExitCode is the exit of the validate command (runner 1.2).
func (r Receipt) ExitCode() int {
	if r.Status == UnitReady {
		return ExitOK
	}
	if r.Compatibility.Status == Compatible {
		return ExitInvalid
	}
	return r.Compatibility.Status.ExitCode()
}

// RejectUnit is the receipt of a request that could not be read: nothing was requested (runner 2.5).
func RejectUnit(compatibility Negotiation) Receipt {
	return Receipt{
		Kind: KindUnit, SchemaVersion: SchemaVersion, Status: UnitRejected,
		Compatibility: compatibility, Validation: NotChecked, Diagnostics: compatibility.Diagnostics,
	}
}
