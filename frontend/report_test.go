package frontend_test

import (
	"strings"
	"testing"

	"parley/frontend"
	"parley/runner"
)

// ux-anchors 6.2: the head line and the tone of every kind of answer; runner 2.8 for the seven outcomes.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	all := answers(t)
	for name, want := range map[string]struct {
		tone frontend.Tone
		line string
	}{
		"check-compatible":   {frontend.ToneOK, "Compatible: 2 of 2 required capabilities are met."},
		"check-version":      {frontend.ToneProblem, "Not compatible: no offered version is spoken here."},
		"check-capability":   {frontend.ToneProblem, "Not compatible: needs inline.native-text and 1 more, not offered."},
		"check-invalid":      {frontend.ToneProblem, "Invalid request: the text is not a request document."},
		"validate-ready":     {frontend.ToneOK, "Ready: this is exactly one unit, no adjacent work."},
		"validate-rejected":  {frontend.ToneProblem, "Rejected: the selected trial or attempt is not declared by the captured eval (selection_out_of_range)."},
		"validate-invalid":   {frontend.ToneProblem, "Rejected: the request text is not a request document; correct it at the named place (invalid_request)."},
		"run-success":        {frontend.ToneOK, "Success, exit 0: both checks passed."},
		"run-check-failed":   {frontend.ToneCaution, "Evaluation failure, exit 1: 1 of 3 checks failed."},
		"run-infrastructure": {frontend.ToneProblem, "Infrastructure failure, exit 2 at shutdown: the engine did not shut down in order (shutdown_failed)."},
		"run-cancelled":      {frontend.ToneNeutral, "Cancelled, exit 3 at execution: the run was cancelled (execution_cancelled)."},
		"run-timeout":        {frontend.ToneNeutral, "Timeout, exit 4 at startup: a deadline ended the run (execution_timeout)."},
		"run-unsupported":    {frontend.ToneProblem, "Unsupported, exit 5 at negotiation: a required capability is not offered here; require another or use a runner that offers it (unsupported_capability)."},
		"run-invalid":        {frontend.ToneProblem, "Invalid input, exit 6 at validation: neither a text grader nor a text expectation is declared (no_text_check)."},
		"run-unknown":        {frontend.ToneProblem, "The answer is not a document of this act."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := frontend.ReportOf(lab, all[name]).Verdict
			if got.Tone != want.tone || got.Line != want.line {
				t.Errorf("verdict: got %s %q, want %s %q", got.Tone, got.Line, want.tone, want.line)
			}
		})
	}
}

// runner 8: check and validation say that nothing was executed; a run says that it covers one attempt.
func TestReportsSayWhatTheyCover(t *testing.T) {
	t.Parallel()
	all := answers(t)
	for name, part := range map[string]string{
		"check-compatible": "0 engine calls", "check-invalid": "0 engine calls", "validate-rejected": "0 engine calls",
		"validate-ready": "Derived from the input; not evidence of execution.", "run-success": "Covers this attempt only, no suite verdict.",
		"run-timeout": "0 engine calls, nothing was executed.",
	} {
		if got := frontend.ReportOf(lab, all[name]).Verdict.More; !strings.Contains(got, part) {
			t.Errorf("%s: got %q, want it to contain %q", name, got, part)
		}
	}
}

// runner 8: an identity that is absent is unavailable; none is made up.
func TestIdentityIsNeverMadeUp(t *testing.T) {
	t.Parallel()
	all := answers(t)
	if got := frontend.ReportOf(lab, all["validate-rejected"]).Unit.Identity; got != nil {
		t.Errorf("identity of a rejected unit: got %v, want none", got)
	}
	html := renderPage(t, frontend.Report(frontend.ReportOf(lab, all["validate-rejected"])))
	if !strings.Contains(html, "Identity: unavailable") {
		t.Error("report of a rejected unit: got no word about identity, want that it is unavailable")
	}
	levels := frontend.ReportOf(lab, all["validate-ready"]).Unit.Identity.Levels
	for i, want := range []string{"run", "shard", "task", "trial", "attempt"} {
		if levels[i].Name != want {
			t.Errorf("level %d: got %s, want %s", i, levels[i].Name, want)
		}
	}
}

// The capability table: required, offered, met, unmet, unknown; nothing is called met before a version was chosen.
func TestCapabilityRows(t *testing.T) {
	t.Parallel()
	all := answers(t)
	for name, want := range map[string][]string{
		"check-compatible": {"exact-unit Met", "inline.mock-text Met", "terminal-result Selected", "telepathy.v1 Left out"},
		"check-capability": {"exact-unit Met", "inline.native-text Unmet", "x.y Unmet"},
		"check-version":    {"exact-unit Not checked"},
	} {
		var got []string
		for _, row := range frontend.ReportOf(lab, all[name]).Compatibility.Rows {
			got = append(got, row.Name+" "+row.Badge.Word)
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// R6, S7: a copied report names version, platform, code and ids, and holds nothing of the request or the output.
func TestCopiedReportIsRedacted(t *testing.T) {
	t.Parallel()
	r := answers(t)["run-success"]
	r.Request = []byte(`{"input":{"eval":"api_key: sk-canary"}}`)
	got := frontend.ReportOf(lab, r).Copy
	for _, part := range []string{"Parley 1.2.3, linux/amd64", "act: run", "record: r-run-success", "digest: " + sampleDigest, "boundary: none"} {
		if !strings.Contains(got, part) {
			t.Errorf("copied report: got %q, want it to contain %q", got, part)
		}
	}
	for _, part := range []string{"sk-canary", "mooring", "quay-east"} {
		if strings.Contains(got, part) {
			t.Errorf("copied report: got %q in it, want nothing of the documents", part)
		}
	}
}

// A record that could not be stored says so and offers the exact received text.
func TestUnstoredAnswerCanBeExported(t *testing.T) {
	t.Parallel()
	r := answers(t)["run-not-stored"]
	html := renderPage(t, frontend.Report(frontend.ReportOf(lab, r)))
	if !strings.Contains(html, "This answer is not stored: The disk is full.") || !strings.Contains(html, `data-save="{&#34;kind&#34;:&#34;waza.runner-terminal`) {
		t.Errorf("report: got %s, want the reason and the exact text to save", html)
	}
	if strings.Contains(html, "<template data-row") {
		t.Error("report: got a history row for a record that is not stored, want none")
	}
}

// A history says of an unknown word and of unknown calls that they are unknown.
func TestRowOfUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		facts frontend.RowFacts
		word  string
		unit  string
		calls string
	}{
		{frontend.RowFacts{Act: frontend.ActRun}, "Unknown", "", ""},
		{frontend.RowFacts{Act: frontend.ActRun, Verdict: "newer_word"}, "newer_word", "", ""},
		{frontend.RowFacts{Act: frontend.ActRun, Verdict: "unsupported_capability", Exit: ptr(5), Calls: ptr(0)}, "Unsupported, exit 5", "", "0"},
		{frontend.RowFacts{Act: frontend.ActNegotiate, Verdict: "unsupported_capability"}, "Not compatible", "", ""},
		{frontend.RowFacts{Act: frontend.ActValidate, Verdict: "ready", Task: "berth-7", Trial: 3}, "Ready", "berth-7, 3", ""},
	} {
		got := frontend.RowOf(c.facts)
		if got.Badge.Word != c.word || got.Unit != c.unit || got.Calls != c.calls {
			t.Errorf("row of %+v: got %q %q %q, want %q %q %q", c.facts, got.Badge.Word, got.Unit, got.Calls, c.word, c.unit, c.calls)
		}
	}
}

// Every outcome and every status of the contract has words and an icon of the sprite.
func TestEveryWordOfTheContractHasABadge(t *testing.T) {
	t.Parallel()
	words := []string{"compatible", "unsupported_version", "unsupported_capability", "invalid_request", "ready", "rejected"}
	for _, o := range runner.Outcomes() {
		words = append(words, string(o))
	}
	page := renderPage(t, frontend.HistoryPage(frontend.HistoryView{Lab: lab}))
	for _, w := range words {
		b := frontend.RowOf(frontend.RowFacts{Act: frontend.ActRun, Verdict: w}).Badge
		if b.Word == w || b.Word == "Unknown" {
			t.Errorf("badge of %s: got %q, want words for a person", w, b.Word)
		}
		if !strings.Contains(page, `<symbol id="i-`+b.Icon+`"`) {
			t.Errorf("badge of %s: icon %q is not in the sprite", w, b.Icon)
		}
	}
}

func ptr(n int) *int { return &n }
