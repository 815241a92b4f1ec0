// Package admission is the order of work from bytes to an admitted unit: read, negotiate, pick the profile, check the
// captured work, derive the identity (runner 1.4, steps 2 to 8). The first step that fails decides and nothing after it
// is looked at. Negotiate stops after the negotiation, Validate after the identity.
//
// Everything is a pure function of the request's bytes; nothing is started, opened or stored. The service in
// runner/attempt continues from a Unit. The only question put to the outside is the caller's Policy.
package admission

import (
	"parley/runner"
	"parley/runner/captured"
	"parley/runner/identity"
)

// Policy decides, from what the caller knows of the connection, whether a readable request may go on. It is asked once,
// before negotiation is answered, for requests that require a paid profile (runner 1.4, step 5). Nil allows.
type Policy func(*runner.Request) *runner.Diagnostic

// Unit is admitted work: exactly one shard, task, trial and attempt.
type Unit struct {
	Request       *runner.Request
	Compatibility runner.Negotiation
	Profile       runner.Profile
	Captured      *captured.Unit
	Identity      runner.Identity
}

// Negotiate answers a compact or complete request. Captured texts, selection and consent are not looked at.
func Negotiate(data []byte) runner.Negotiation {
	request, faults := runner.ReadRequest(data)
	if faults.Any() {
		return runner.RejectRequest(request, faults)
	}
	return runner.Negotiate(request)
}

// Validate answers a complete request with a receipt. It starts nothing and proves nothing about an engine.
func Validate(data []byte) runner.Receipt {
	unit, refusal := Admit(data, nil)
	if refusal != nil {
		return refusal.Receipt()
	}
	return unit.Receipt(runner.UnitReady)
}

// Admit gives the unit that a complete request names, or why there is none.
func Admit(data []byte, policy Policy) (*Unit, *Refusal) {
	request, faults := runner.ReadUnitRequest(data)
	if faults.Any() {
		return nil, refuseInput(request, faults)
	}
	if policy != nil && requiresPaid(request) {
		if denied := policy(request); denied != nil {
			return nil, refusePolicy(request, *denied)
		}
	}
	compatibility := runner.Negotiate(request)
	if compatibility.Status != runner.Compatible {
		return nil, refuseNegotiation(request, compatibility)
	}
	profile, finding := pickProfile(request)
	if finding != nil {
		return nil, refuseUnit(request, compatibility, placed(data, *finding))
	}
	work, findings := captured.Admit(request, profile)
	if len(findings) > 0 {
		return nil, refuseUnit(request, compatibility, placed(data, findings...))
	}
	id, err := identity.Of(request, work.Eval, work.Task)
	if err != nil {
		return nil, refuseIdentity(request, compatibility, err)
	}
	work.Eval, work.Task = nil, nil // the trees may be large, and a run may be long
	return &Unit{Request: request, Compatibility: compatibility, Profile: profile, Captured: work, Identity: id}, nil
}

// placed fills in where in the request a finding about its meaning stands.
func placed(data []byte, findings ...runner.Finding) []runner.Finding {
	for i := range findings {
		if f := &findings[i]; f.Document == runner.InRequest {
			f.Offset = runner.Locate(data, f.Path)
		}
	}
	return findings
}

// Receipt is the unit's receipt in the given state, with no calls made yet.
func (u *Unit) Receipt(status runner.UnitStatus) runner.Receipt {
	requested, resolved, id := u.Request.Selection, u.Request.Selection, u.Identity
	return runner.Receipt{
		Kind: runner.KindUnit, SchemaVersion: runner.SchemaVersion, Status: status,
		Compatibility: u.Compatibility, Requested: &requested, Resolved: &resolved, Identity: &id,
		Validation: runner.Valid, Diagnostics: []runner.Diagnostic{},
	}
}
