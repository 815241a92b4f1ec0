package frontend

import (
	"fmt"
	"slices"

	"parley/runner"
)

func (v *ReportView) readNegotiation() {
	doc, ok := decode(v.Record.Answer, runner.KindNegotiation, func(n *runner.Negotiation) string { return n.Kind })
	if !ok {
		return
	}
	v.Compatibility = compatibilityOf(doc)
	v.Diagnostics = doc.Diagnostics
	exit, calls := doc.Status.ExitCode(), 0
	v.settle(compatibilityVerdict(doc), compatibilityState(doc.Status),
		RowFacts{Verdict: string(doc.Status), Exit: &exit, Calls: &calls})
}

func compatibilityOf(n *runner.Negotiation) *CompatibilityView {
	t := n.Negotiation
	v := &CompatibilityView{
		Asked: t.RequestedVersions, Offered: runner.Versions(), Chosen: t.Version, LeftOut: t.UnavailableOptional,
	}
	v.Rows = make([]CapabilityRow, 0, len(t.Required)+len(t.Optional))
	for _, name := range t.Required {
		v.Rows = append(v.Rows, requiredRow(n.Status, name, slices.Contains(t.Available, name)))
	}
	for _, name := range t.Optional {
		v.Rows = append(v.Rows, optionalRow(n.Status, name, slices.Contains(t.Available, name)))
	}
	for _, name := range t.Available {
		if !slices.Contains(t.Required, name) && !slices.Contains(t.Optional, name) {
			v.AlsoOffer = append(v.AlsoOffer, name)
		}
	}
	return v
}

// Capabilities are looked at only after a version was chosen, so without one a name is neither met nor unmet
// (runner 1.4, step 6).
func requiredRow(status runner.Status, name string, offered bool) CapabilityRow {
	row := CapabilityRow{Name: name, AskedBy: "required", Offered: offered}
	switch {
	case unchecked(status):
		row.Badge = notChecked()
	case offered:
		row.Badge = Badge{ToneOK, "ok", "Met"}
	default:
		row.Badge = Badge{ToneProblem, "problem", "Unmet"}
	}
	return row
}

func unchecked(s runner.Status) bool {
	return s == runner.VersionUnsupported || s == runner.RequestInvalid
}

func notChecked() Badge { return Badge{ToneNeutral, "unchecked", "Not checked"} }

func optionalRow(status runner.Status, name string, offered bool) CapabilityRow {
	row := CapabilityRow{Name: name, AskedBy: "optional", Offered: offered}
	switch {
	case unchecked(status):
		row.Badge = notChecked()
	case !offered:
		row.Badge = Badge{ToneNeutral, "skip", "Left out"}
	case status == runner.Compatible:
		row.Badge = Badge{ToneOK, "ok", "Selected"}
	default:
		row.Badge = Badge{ToneNeutral, "unchecked", "Not selected"}
	}
	return row
}

func compatibilityVerdict(n *runner.Negotiation) Verdict {
	t := n.Negotiation
	switch n.Status {
	case runner.Compatible:
		return Verdict{
			Badge: Badge{ToneOK, "ok", "Compatible"},
			Line:  "Compatible: " + metSentence(len(t.Required)),
			More: fmt.Sprintf("%s Version %s asked, %s offered, %s chosen.",
				zeroCalls, join(t.RequestedVersions), join(runner.Versions()), t.Version),
		}
	case runner.VersionUnsupported:
		return Verdict{
			Badge: Badge{ToneProblem, "problem", "Not compatible"},
			Line:  "Not compatible: no offered version is spoken here.",
			More: fmt.Sprintf("%s Version %s asked, %s offered, none chosen. Capabilities were not compared.",
				zeroCalls, join(t.RequestedVersions), join(runner.Versions())),
		}
	case runner.CapUnsupported:
		return Verdict{
			Badge: Badge{ToneProblem, "problem", "Not compatible"},
			Line:  "Not compatible: needs " + unmet(t) + ", not offered.",
			More:  zeroCalls + " One missing required name rejects the whole request; nothing falls back silently.",
		}
	case runner.RequestInvalid:
		return Verdict{
			Badge: Badge{ToneProblem, "problem", "Invalid request"},
			Line:  "Invalid request: " + faultsSentence(len(n.Diagnostics)),
			More:  zeroCalls + " The request was refused before negotiation; nothing was executed.",
		}
	}
	return Verdict{}
}

func compatibilityState(s runner.Status) string {
	switch s {
	case runner.Compatible:
		return "Checked: the runner can do everything that is required. Nothing was validated or run by this."
	case runner.VersionUnsupported:
		return "Checked: the runner speaks none of the offered versions. Nothing was executed."
	case runner.CapUnsupported:
		return "Checked: a required capability is not offered. Nothing was executed."
	}
	return "The request does not fit the schema; nothing was validated or run."
}

func faultsSentence(n int) string {
	if n < 2 {
		return "the text is not a request document."
	}
	return fmt.Sprintf("the text is not a request document, for %d reasons.", n)
}

func metSentence(required int) string {
	switch required {
	case 0:
		return "nothing is required."
	case 1:
		return "the required capability is met."
	}
	return fmt.Sprintf("%d of %d required capabilities are met.", required, required)
}

// unmet names the first missing capability and counts the rest.
func unmet(t runner.Terms) string {
	first, missing := "a capability", 0
	for _, name := range t.Required {
		if slices.Contains(t.Available, name) {
			continue
		}
		if missing++; missing == 1 {
			first = short(name)
		}
	}
	if missing < 2 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, missing-1)
}
