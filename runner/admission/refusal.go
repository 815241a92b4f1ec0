package admission

import (
	"parley/runner"
)

// Refusal says why a request is no unit. It has one form for validate and one for run.
type Refusal struct {
	Denied bool // refused by the caller's Policy

	request       *runner.Request
	requested     bool // the selection could be read
	compatibility runner.Negotiation
	outcome       runner.Outcome
	boundary      runner.Boundary
	validation    runner.Validation
	diagnostics   []runner.Diagnostic // for a receipt
	brief         []runner.Diagnostic // for a terminal, which carries fewer
}

func refuseInput(r *runner.Request, faults runner.Faults) *Refusal {
	compatibility := runner.RejectRequest(r, faults)
	return &Refusal{request: r, compatibility: compatibility,
		outcome: runner.InvalidInput, boundary: runner.BoundaryInput, validation: runner.NotChecked,
		diagnostics: compatibility.Diagnostics, brief: faults.Diagnostics(runner.MaxTerminalDiagnostics - 1)}
}

func refusePolicy(r *runner.Request, denied runner.Diagnostic) *Refusal {
	one := []runner.Diagnostic{denied}
	return &Refusal{Denied: true, request: r, requested: true, compatibility: runner.RejectUnread(denied.Code, denied.Message),
		outcome: runner.InvalidInput, boundary: runner.BoundaryInput, validation: runner.NotChecked, diagnostics: one, brief: one}
}

func refuseNegotiation(r *runner.Request, compatibility runner.Negotiation) *Refusal {
	return &Refusal{request: r, requested: true, compatibility: compatibility,
		outcome: runner.UnsupportedCapability, boundary: runner.BoundaryNegotiation, validation: runner.NotChecked,
		diagnostics: compatibility.Diagnostics, brief: compatibility.RunDiagnostics()}
}

func refuseUnit(r *runner.Request, compatibility runner.Negotiation, findings []runner.Finding) *Refusal {
	faults := runner.Faults{Findings: findings}
	return &Refusal{request: r, requested: true, compatibility: compatibility,
		outcome: runner.InvalidInput, boundary: runner.BoundaryValidation, validation: runner.Invalid,
		diagnostics: faults.Diagnostics(runner.MaxFindings), brief: faults.Diagnostics(runner.MaxTerminalDiagnostics - 1)}
}

// refuseIdentity keeps the validation that the unit passed: a receipt has no state for it and is rejected as invalid, a
// terminal stops at the identity boundary (runner 2.8).
func refuseIdentity(r *runner.Request, compatibility runner.Negotiation, err error) *Refusal {
	one := []runner.Diagnostic{runner.Diagnose(runner.CodeIdentityFailed, err.Error())}
	return &Refusal{request: r, requested: true, compatibility: compatibility,
		outcome: runner.InfrastructureFailure, boundary: runner.BoundaryIdentity, validation: runner.Valid,
		diagnostics: one, brief: one}
}

// Receipt is the refusal as validate answers it (runner 2.5).
func (f *Refusal) Receipt() runner.Receipt {
	r := runner.Receipt{
		Kind: runner.KindUnit, SchemaVersion: runner.SchemaVersion, Status: runner.UnitRejected,
		Compatibility: f.compatibility, Validation: f.validation, Diagnostics: f.diagnostics,
	}
	if f.requested {
		selection := f.request.Selection
		r.Requested = &selection
	}
	if f.boundary == runner.BoundaryIdentity {
		r.Validation = runner.Invalid
	}
	return r
}

// Terminal is the refusal as run answers it: no engine was made.
func (f *Refusal) Terminal() runner.Terminal {
	t := runner.Refuse(f.outcome, f.boundary, f.validation, f.brief...)
	if f.boundary == runner.BoundaryIdentity {
		selection := f.request.Selection
		t.Selection = &selection
	}
	return t
}
