package runner

import (
	"fmt"
	"slices"
)

// need says whether a part of a terminal is there.
type need int

const (
	absent need = iota
	optional
	present
)

func (n need) fits(there bool) bool { return n == optional || there == (n == present) }

// terminalRow is one row of the consistency table. Statuses lists the observation's legal statuses, where there is one.
type terminalRow struct {
	outcome     Outcome
	boundary    Boundary
	validation  Validation
	calls       []int
	selection   need
	identity    need
	observation need
	statuses    []string
	diagnostics [2]int // least and most
}

// terminalRows is the closed table of runner 2.8.
func terminalRows() []terminalRow {
	const most = MaxTerminalDiagnostics
	none, one, either := []int{0}, []int{1}, []int{0, 1}
	any3 := []string{StatusPassed, StatusFailed, StatusError}
	return []terminalRow{
		{Success, BoundaryNone, Valid, one, present, present, present, []string{StatusPassed}, [2]int{0, 0}},
		{EvaluationFailure, BoundaryNone, Valid, one, present, present, present, []string{StatusFailed}, [2]int{0, 1}},
		{InfrastructureFailure, BoundaryInput, NotChecked, none, absent, absent, absent, nil, [2]int{1, most}},
		{InfrastructureFailure, BoundaryIdentity, Valid, none, present, absent, absent, nil, [2]int{1, most}},
		{InfrastructureFailure, BoundaryStartup, Valid, none, present, present, absent, nil, [2]int{1, most}},
		{InfrastructureFailure, BoundaryExecution, Valid, one, present, present, optional, []string{StatusError}, [2]int{1, most}},
		{InfrastructureFailure, BoundaryShutdown, Valid, either, present, present, optional, any3, [2]int{1, most}},
		{InfrastructureFailure, BoundaryTerminalization, Valid, either, present, present, optional, any3, [2]int{1, most}},
		{InfrastructureFailure, BoundaryOutput, Valid, either, optional, optional, optional, any3, [2]int{0, most}},
		{Cancelled, BoundaryInput, NotChecked, none, absent, absent, absent, nil, [2]int{1, most}},
		{Cancelled, BoundaryStartup, Valid, none, present, present, absent, nil, [2]int{1, most}},
		{Cancelled, BoundaryExecution, Valid, either, present, present, optional, any3, [2]int{1, most}},
		{Timeout, BoundaryInput, NotChecked, none, absent, absent, absent, nil, [2]int{1, most}},
		{Timeout, BoundaryStartup, Valid, none, present, present, absent, nil, [2]int{1, most}},
		{Timeout, BoundaryExecution, Valid, either, present, present, optional, any3, [2]int{1, most}},
		{UnsupportedCapability, BoundaryNegotiation, NotChecked, none, absent, absent, absent, nil, [2]int{1, most}},
		{InvalidInput, BoundaryInput, NotChecked, none, absent, absent, absent, nil, [2]int{1, most}},
		{InvalidInput, BoundaryValidation, Invalid, none, absent, absent, absent, nil, [2]int{1, most}},
	}
}

// CheckTerminal says how a terminal contradicts the contract, or nil (runner 2.6 and 2.8).
func CheckTerminal(t Terminal) error {
	row, found := rowOf(t)
	switch {
	case !found:
		return fmt.Errorf("terminal: outcome %q with boundary %q is not in the table", t.Outcome, t.FailureBoundary)
	case t.Kind != KindTerminal || t.SchemaVersion != SchemaVersion:
		return fmt.Errorf("terminal: kind %q version %q, expected %q %q", t.Kind, t.SchemaVersion, KindTerminal, SchemaVersion)
	case t.ExitCode != t.Outcome.ExitCode():
		return fmt.Errorf("terminal: exit %d for outcome %q, expected %d", t.ExitCode, t.Outcome, t.Outcome.ExitCode())
	case t.Validation != row.validation:
		return fmt.Errorf("terminal: validation %q at boundary %q, expected %q", t.Validation, t.FailureBoundary, row.validation)
	case !slices.Contains(row.calls, t.EngineCalls):
		return fmt.Errorf("terminal: %d engine calls for outcome %q at boundary %q", t.EngineCalls, t.Outcome, t.FailureBoundary)
	}
	return checkParts(t, row)
}

func checkParts(t Terminal, row terminalRow) error {
	switch {
	case !row.selection.fits(t.Selection != nil):
		return fmt.Errorf("terminal: selection present is %t for outcome %q", t.Selection != nil, t.Outcome)
	case !row.identity.fits(t.Identity != nil):
		return fmt.Errorf("terminal: identity present is %t for outcome %q", t.Identity != nil, t.Outcome)
	case !row.observation.fits(t.Observation != nil):
		return fmt.Errorf("terminal: observation present is %t for outcome %q", t.Observation != nil, t.Outcome)
	case t.Identity != nil && t.Selection == nil, t.Observation != nil && t.Identity == nil:
		return fmt.Errorf("terminal: identity needs a selection, and an observation needs both")
	case t.Observation != nil && !slices.Contains(row.statuses, t.Observation.Status):
		return fmt.Errorf("terminal: observed status %q for outcome %q at boundary %q", t.Observation.Status, t.Outcome, t.FailureBoundary)
	case len(t.Diagnostics) < row.diagnostics[0] || len(t.Diagnostics) > row.diagnostics[1]:
		return fmt.Errorf("terminal: %d diagnostics, expected %d to %d", len(t.Diagnostics), row.diagnostics[0], row.diagnostics[1])
	case t.Observation != nil && len(t.Observation.Validations) > MaxTerminalChecks:
		return fmt.Errorf("terminal: %d checks, expected at most %d", len(t.Observation.Validations), MaxTerminalChecks)
	}
	return nil
}

func rowOf(t Terminal) (terminalRow, bool) {
	rows := terminalRows()
	i := slices.IndexFunc(rows, func(r terminalRow) bool {
		return r.outcome == t.Outcome && r.boundary == t.FailureBoundary
	})
	if i < 0 {
		return terminalRow{}, false
	}
	return rows[i], true
}

// Seal gives the terminal itself if it is consistent. Otherwise it gives infrastructure_failure at terminalization,
// keeping what is known of the unit; without a unit the boundary is input, as the table has no other row (runner 2.8).
func Seal(t Terminal) Terminal {
	err := CheckTerminal(t)
	if err == nil {
		return t
	}
	d := Diagnose(CodeTerminalInvalid, err.Error())
	if t.Selection == nil || t.Identity == nil {
		return Refuse(InfrastructureFailure, BoundaryInput, NotChecked, d)
	}
	sealed := Refuse(InfrastructureFailure, BoundaryTerminalization, Valid, d)
	sealed.Selection, sealed.Identity = t.Selection, t.Identity
	sealed.EngineCalls = min(max(t.EngineCalls, 0), 1)
	return sealed
}
