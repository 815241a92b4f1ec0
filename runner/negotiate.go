package runner

import (
	"fmt"
	"slices"
)

// Negotiate settles version and capabilities of a request whose shape is right. Nothing is downgraded: one missing
// required name refuses everything (runner 2.4).
func Negotiate(r *Request) Negotiation {
	n := answer(r)
	if !slices.Contains(r.Versions, Version) {
		n.Status = VersionUnsupported
		n.Diagnostics = []Diagnostic{Diagnose(CodeUnsupportedVersion, fmt.Sprintf(
			"versions: expected an offer of %q, which is matched as an exact string, found %d other offers; add %q to versions",
			Version, len(r.Versions), Version))}
		return n
	}
	n.Negotiation.Version = Version
	if missing := n.Missing(); len(missing) > 0 {
		n.Status = CapUnsupported
		n.Diagnostics = missingDiagnostics(missing, MaxMissingNames)
		return n
	}
	n.Status = Compatible
	n.Negotiation.Selected = selected(r, n.Negotiation.Available)
	return n
}

// RejectRequest is the answer to a document that is no request; lists that could be read are echoed (runner 2.4).
func RejectRequest(r *Request, faults Faults) Negotiation {
	n := answer(r)
	n.Negotiation.UnavailableOptional = []string{}
	n.Status = RequestInvalid
	n.Diagnostics = faults.Diagnostics(MaxFindings)
	return n
}

// RejectUnread is the answer where no document could be read at all, with the reason as code and message.
func RejectUnread(code Code, message string) Negotiation {
	n := answer(&Request{})
	n.Status = RequestInvalid
	n.Diagnostics = []Diagnostic{Diagnose(code, message)}
	return n
}

func answer(r *Request) Negotiation {
	available := Advertised()
	unavailable := without(r.Optional, available)
	slices.Sort(unavailable)
	return Negotiation{
		Kind: KindNegotiation, SchemaVersion: SchemaVersion,
		Negotiation: Terms{
			RequestedVersions: r.Versions, Required: r.Required, Optional: r.Optional,
			Available: available, Selected: []string{}, UnavailableOptional: unavailable,
		},
		Diagnostics: []Diagnostic{},
	}
}

// selected is required ∪ (optional ∩ available), sorted by code point.
func selected(r *Request, available []string) []string {
	all := append(make([]string, 0, len(r.Required)+len(available)), r.Required...)
	for _, name := range r.Optional {
		if slices.Contains(available, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// Missing lists the required names that are not offered, as requested.
func (n Negotiation) Missing() []string {
	return without(n.Negotiation.Required, n.Negotiation.Available)
}

// without gives the names that are not among others.
func without(names, others []string) []string {
	var left []string
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}

// missingDiagnostics names up to limit missing capabilities, then says how many remain (runner 3.3).
func missingDiagnostics(missing []string, limit int) []Diagnostic {
	out := make([]Diagnostic, 0, min(len(missing), limit)+1)
	for _, name := range missing[:min(len(missing), limit)] {
		out = append(out, Diagnose(CodeUnsupportedCapability, fmt.Sprintf(
			"required capability %q is not offered here; require one of available_capabilities, make it optional, or use a runner that offers it", name)))
	}
	if rest := len(missing) - limit; rest > 0 {
		out = append(out, Diagnose(CodeUnsupportedCapability, fmt.Sprintf("%d more required capabilities are not offered here", rest)))
	}
	return out
}

// RunDiagnostics are the diagnostics of a refused negotiation as a terminal may carry them: at most 15 missing names and
// a remainder (runner 3.3).
func (n Negotiation) RunDiagnostics() []Diagnostic {
	if n.Status == CapUnsupported {
		return missingDiagnostics(n.Missing(), MaxTerminalDiagnostics-1)
	}
	return boundDiagnostics(n.Diagnostics)
}

// Diagnostics gives up to limit findings, then one statement of how many remain.
func (f Faults) Diagnostics(limit int) []Diagnostic {
	shown := f.Findings[:min(len(f.Findings), limit)]
	out := make([]Diagnostic, 0, len(shown)+1)
	for _, finding := range shown {
		out = append(out, finding.Diagnostic())
	}
	if rest := len(f.Findings) - len(shown) + f.More; rest > 0 {
		out = append(out, Diagnose(f.Findings[0].Code, fmt.Sprintf("%d more faults are not listed", rest)))
	}
	return out
}

// boundDiagnostics keeps what a terminal may carry (runner 2.6). It never gives nil.
func boundDiagnostics(all []Diagnostic) []Diagnostic {
	if len(all) <= MaxTerminalDiagnostics {
		return append([]Diagnostic{}, all...)
	}
	kept := slices.Clone(all[:MaxTerminalDiagnostics-1])
	return append(kept, Diagnose(all[0].Code, fmt.Sprintf("%d more diagnostics are not listed", len(all)-len(kept))))
}
