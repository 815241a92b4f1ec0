package admission

import (
	"parley/runner"
	"parley/runner/captured"
)

// Inspection is what an editor wants to know about a text while it is being written: every fault at its place, and what
// a run of it would be. It is no contract document and proves nothing.
type Inspection struct {
	Shape    string            `json:"shape"` // one of the Shape constants
	Findings []runner.Finding  `json:"findings"`
	More     int               `json:"more"` // findings that are not listed
	Bytes    int               `json:"bytes"`
	Unit     *runner.Selection `json:"unit"`    // null unless the request is complete and readable
	Profile  string            `json:"profile"` // the profile asked for, "" if none or several
	Mode     string            `json:"mode"`
	Paid     bool              `json:"paid"`
	Offered  bool              `json:"offered"` // this program executes the profile
}

// Shapes of a draft (runner 3.2).
const (
	ShapeCompact  = "compact"
	ShapeComplete = "complete"
	ShapeUnknown  = "unknown"
)

// Inspect reads a draft as far as it can be read.
func Inspect(data []byte) Inspection {
	request, faults := runner.ReadRequest(data)
	in := Inspection{Shape: ShapeCompact, Findings: faults.Findings, More: faults.More, Bytes: len(data)}
	if request.Complete {
		in.Shape = ShapeComplete
	}
	if len(request.Versions) == 0 && !request.Complete {
		in.Shape = ShapeUnknown
	}
	if faults.Any() || !request.Complete {
		in.Findings = append([]runner.Finding{}, in.Findings...)
		return in
	}
	request, _ = runner.ReadUnitRequest(data) // without faults above
	in.Unit = &request.Selection
	in.Findings = append([]runner.Finding{}, placed(data, in.inspectUnit(request)...)...)
	return in
}

func (in *Inspection) inspectUnit(request *runner.Request) []runner.Finding {
	profile, finding := pickProfile(request)
	if finding != nil {
		return []runner.Finding{*finding}
	}
	in.Profile, in.Mode, in.Paid, in.Offered = profile.Capability, profile.Mode, profile.Paid, profile.Advertised
	_, findings := captured.Admit(request, profile)
	return findings
}
