package frontend

import (
	"slices"

	"parley/runner"
)

func runnerPage(v RunnerView) page {
	p := page{
		Lab: v.Lab, Screen: ScreenRunner, Heading: "Runner contract lab", Status: "Ready.", Script: "runner.js",
		State: Badge{ToneNeutral, "unchecked", "Not run"},
	}
	p.Says = "Nothing has been checked, validated or run since the page was opened."
	if v.Text == "" {
		p.Says = "No request yet; nothing has been checked, validated or run."
	}
	return p
}

func notYet(a Act) string {
	if a == ActNegotiate {
		return "not checked."
	}
	return "not run."
}

// jsonString keeps a text exact inside an attribute, where a browser would else rewrite CR and NUL.
func jsonString(s string) string {
	if s == "" {
		return ""
	}
	return compactJSON(s)
}

func capabilitiesJSON() string { return compactJSON(runner.Advertised()) }

// offerRows is the advertisement with what each capability costs.
func offerRows() []CapabilityRow {
	var rows []CapabilityRow
	for _, name := range runner.Advertised() {
		rows = append(rows, CapabilityRow{Name: name, Offered: true, Badge: costOf(name)})
	}
	return rows
}

func costOf(capability string) Badge {
	paid := slices.ContainsFunc(runner.Profiles(), func(p runner.Profile) bool { return p.Capability == capability && p.Paid })
	if paid {
		return Badge{TonePaid, "paid", "paid"}
	}
	return Badge{ToneOK, "free", "free"}
}

// schemasJSON names the schemas that completion reads: the compact request's, then the complete one's.
func schemasJSON() string {
	return compactJSON([]string{"/schemas/runner-negotiation-request-1.0.schema.json", "/schemas/runner-request-1.0.schema.json"})
}
