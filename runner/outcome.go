package runner

// Outcome is how a run ended (runner 2.6).
type Outcome string

// The seven outcomes.
const (
	Success               Outcome = "success"
	EvaluationFailure     Outcome = "evaluation_failure"
	InfrastructureFailure Outcome = "infrastructure_failure"
	Cancelled             Outcome = "cancelled"
	Timeout               Outcome = "timeout"
	UnsupportedCapability Outcome = "unsupported_capability"
	InvalidInput          Outcome = "invalid_input"
)

// Outcomes lists the seven in the order of their exits.
func Outcomes() []Outcome {
	return []Outcome{Success, EvaluationFailure, InfrastructureFailure, Cancelled, Timeout, UnsupportedCapability, InvalidInput}
}

// Exit codes of the commands (runner 1.3).
const (
	ExitOK             = 0
	ExitEvaluation     = 1
	ExitInfrastructure = 2 // also: the response could not be written, whatever it said
	ExitCancelled      = 3
	ExitTimeout        = 4
	ExitUnsupported    = 5
	ExitInvalid        = 6 // also: command misuse
)

// ExitCode is the fixed exit of an outcome (runner 1.3).
func (o Outcome) ExitCode() int {
	switch o {
	case Success:
		return ExitOK
	case EvaluationFailure:
		return ExitEvaluation
	case Cancelled:
		return ExitCancelled
	case Timeout:
		return ExitTimeout
	case UnsupportedCapability:
		return ExitUnsupported
	case InvalidInput:
		return ExitInvalid
	}
	return ExitInfrastructure
}

// Boundary is the step at which a run stopped (runner 2.6).
type Boundary string

// The ten boundaries, in the order of work.
const (
	BoundaryNone            Boundary = "none"
	BoundaryInput           Boundary = "input"
	BoundaryNegotiation     Boundary = "negotiation"
	BoundaryValidation      Boundary = "validation"
	BoundaryIdentity        Boundary = "identity"
	BoundaryStartup         Boundary = "startup"
	BoundaryExecution       Boundary = "execution"
	BoundaryShutdown        Boundary = "shutdown"
	BoundaryTerminalization Boundary = "terminalization"
	BoundaryOutput          Boundary = "output"
)

// Boundaries lists the ten.
func Boundaries() []Boundary {
	return []Boundary{BoundaryNone, BoundaryInput, BoundaryNegotiation, BoundaryValidation, BoundaryIdentity,
		BoundaryStartup, BoundaryExecution, BoundaryShutdown, BoundaryTerminalization, BoundaryOutput}
}

// Validation is how far a unit was checked (runner 2.5).
type Validation string

// The three states of validation.
const (
	NotChecked Validation = "not_checked"
	Invalid    Validation = "invalid"
	Valid      Validation = "valid"
)
