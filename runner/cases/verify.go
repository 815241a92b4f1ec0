package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley/runner"
)

// Verify says how an answer differs from what the case asks for, or nil.
func (c Case) Verify(answer []byte) error {
	switch c.Act {
	case Negotiate:
		return c.verifyNegotiation(answer)
	case Validate:
		return c.verifyReceipt(answer)
	}
	return c.verifyTerminal(answer)
}

func (c Case) verifyNegotiation(answer []byte) error {
	n, err := decode[runner.Negotiation](answer)
	if err != nil {
		return err
	}
	err = errors.Join(same("status", n.Status, c.Status), c.verifyDiagnostics(n.Diagnostics))
	if c.Status != runner.Compatible {
		return errors.Join(err, same("selected", len(n.Negotiation.Selected), 0))
	}
	return errors.Join(err, same("version", n.Negotiation.Version, runner.Version),
		sameList("selected", n.Negotiation.Selected, c.Selected),
		sameList("unavailable", n.Negotiation.UnavailableOptional, c.Unavailable))
}

func (c Case) verifyReceipt(answer []byte) error {
	r, err := decode[runner.Receipt](answer)
	if err != nil {
		return err
	}
	err = errors.Join(same("status", r.Status, c.Unit), same("validation", r.Validation, c.Validation), same("calls", r.EngineCalls, 0),
		same("adjacent work", r.AdjacentWorkSelected, false), c.verifyDiagnostics(r.Diagnostics),
		same("identity present", r.Identity != nil, c.Unit == runner.UnitReady))
	if c.Unit == runner.UnitReady && (r.Requested == nil || r.Resolved == nil || *r.Requested != *r.Resolved) {
		return errors.Join(err, fmt.Errorf("requested %+v and resolved %+v differ", r.Requested, r.Resolved))
	}
	return err
}

func (c Case) verifyTerminal(answer []byte) error {
	t, err := decode[runner.Terminal](answer)
	if err != nil {
		return err
	}
	err = errors.Join(same("outcome", t.Outcome, c.Outcome), same("exit", t.ExitCode, c.Exit), same("boundary", t.FailureBoundary, c.Boundary),
		same("validation", t.Validation, c.Validation), same("calls", t.EngineCalls, c.Calls), c.verifyDiagnostics(t.Diagnostics),
		runner.CheckTerminal(t))
	if c.Failing == "" || t.Observation == nil {
		return err
	}
	i := slices.IndexFunc(t.Observation.Validations, func(v runner.Check) bool { return v.Identifier == c.Failing })
	if i < 0 {
		return errors.Join(err, fmt.Errorf("check %q is not there", c.Failing))
	}
	return errors.Join(err, same("score of "+c.Failing, t.Observation.Validations[i].Score, 0))
}

func (c Case) verifyDiagnostics(got []runner.Diagnostic) error {
	if c.Exit == runner.ExitOK && len(got) > 0 {
		return fmt.Errorf("got diagnostics %v, want none", got)
	}
	var err error
	if c.Code != "" && (len(got) == 0 || got[0].Code != c.Code) {
		err = fmt.Errorf("got diagnostics %v, want code %s first", got, c.Code)
	}
	if !slices.ContainsFunc(append(got, runner.Diagnostic{}), func(d runner.Diagnostic) bool { return strings.Contains(d.Message, c.Says) }) {
		err = errors.Join(err, fmt.Errorf("got diagnostics %v, want one that says %q", got, c.Says))
	}
	return err
}

func decode[D any](answer []byte) (D, error) {
	var doc D
	err := json.Unmarshal(answer, &doc, json.RejectUnknownMembers(true))
	return doc, err
}

func same[V comparable](what string, got, want V) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}

func sameList(what string, got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}
