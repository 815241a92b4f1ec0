package frontend

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

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

// editorTexts are the attributes that give the editor its text and what "Revert" gives back. A text that is the base is
// not said twice. A large one is named by the address of its stored bytes and not carried by the page, where escapes
// would make six bytes of one.
func editorTexts(v RunnerView) templ.OrderedAttributes {
	attributes := templ.OrderedAttributes{editorText("base", v.Base, baseFile(v))}
	if v.Text != v.Base {
		attributes = append(attributes, editorText("text", v.Text, draftFile(v.Draft)))
	}
	return attributes
}

func editorText(name, text, file string) templ.KeyValue[string, any] {
	if len(text) > shownBytes && file != "" {
		return templ.KV[string, any]("data-"+name+"-from", file)
	}
	return templ.KV[string, any]("data-"+name, jsonString(text))
}

// baseWord names what is edited, as the menu of samples does.
func baseWord(v RunnerView) string {
	if s, ok := SampleNamed(v.Draft); ok {
		return s.Title
	}
	return "a record"
}

// linkWord is what the page's address names, whatever is edited there.
func linkWord(v RunnerView) string {
	if v.Base == "" {
		return "the editor of this lab"
	}
	return "the " + baseKind(v)
}

func baseKind(v RunnerView) string {
	if _, ok := SampleNamed(v.Draft); ok {
		return "sample"
	}
	return "record"
}

func draftFile(name string) string { return "/api/v1/lab/drafts/" + url.PathEscape(name) }

// baseFile is the address of the stored request that is edited; "" when the base is a sample or there is none.
func baseFile(v RunnerView) string {
	id, stored := strings.CutPrefix(v.Draft, RecordDraft(""))
	if !stored || v.Base == "" {
		return ""
	}
	return recordFile(id, "request")
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
