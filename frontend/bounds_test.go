package frontend_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"parley/frontend"
	"parley/runner"
)

// rendered gives a page and how many bytes were allocated for it; the room for the page itself is made before. It must
// not run beside another test.
func rendered(t *testing.T, build func() templ.Component) (html string, allocated int) {
	t.Helper()
	var before, after runtime.MemStats
	var out strings.Builder
	out.Grow(8 << 20)
	runtime.ReadMemStats(&before)
	if err := build().Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return out.String(), int(after.TotalAlloc - before.TotalAlloc)
}

func checkParts(t *testing.T, html string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(html, part) {
			t.Errorf("page: want %q in it", part)
		}
	}
}

// hostile-inputs J-2, J-3; ux-anchors V8: what a page costs is bounded by what it shows, however large, deep or finely
// divided the stored text is; the page says why it shows a part, how large the whole is and where to get it.
func TestDocumentsAreBounded(t *testing.T) { // alone: it measures
	const (
		deep  = "Too deep to expand: more than 64 levels."
		large = "Too large to show whole."
		fine  = "Too many parts to expand."
		head  = "The first 32.0 kB of the raw text are shown;"
	)
	for _, c := range []struct {
		name  string
		text  string
		html  int // most bytes of HTML
		alloc int // most bytes allocated
		parts []string
	}{
		{"4,000,000 brackets, open", strings.Repeat("[", 4_000_000), 300_000, 2 << 20,
			[]string{deep, head, "the file has all 4.0 MB (4000000 bytes).", "Save request to file"}},
		{"1,000,000 levels, closed", strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000), 300_000, 2 << 20,
			[]string{deep, head, "the file has all 2.0 MB (2000000 bytes)."}},
		{"100,000 brackets inside of a member", `{"x":` + strings.Repeat("[", 100_000), 300_000, 2 << 20,
			[]string{deep, head, "copy and export give all 100.0 kB (100005 bytes).", "Copy whole request", "Export request"}},
		{"65 levels", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), 100_000, 1 << 20,
			[]string{deep, "The raw text is shown;"}},
		{"64 levels", strings.Repeat("[", 64) + strings.Repeat("]", 64), 100_000, 1 << 20,
			[]string{`<ol class="json" aria-label="Request document"><li><code class="d0"><span class="p">[</span></code></li>`}},
		{"brackets in a string are no levels", `{"a":"` + strings.Repeat("[", 1000) + `\"` + strings.Repeat("{", 1000) + `"}`, 100_000, 1 << 20,
			[]string{`<span class="k">&#34;a&#34;</span>`}},
		{"4 MB of empty arrays", "[" + strings.Repeat("[],", 1_333_000) + "[]]", 300_000, 2 << 20,
			[]string{large, head, "the file has all 4.0 MB (3999004 bytes)."}},
		{"300 kB", `{"a":"` + strings.Repeat("x", 300_000) + `"}`, 300_000, 2 << 20,
			[]string{large, head, "copy and export give all 300.0 kB (300008 bytes).", "Copy whole request"}},
		{"a string of 250 kB in one line", `{"a":"` + strings.Repeat("x", 250_000) + `"}`, 300_000, 4 << 20,
			[]string{"Some lines are too long to show whole; copy and export give all 250.0 kB (250008 bytes).", " … 234.0 kB more</span>"}},
		{"125,000 numbers", "[1" + strings.Repeat(",1", 124_999) + "]", 300_000, 32 << 20,
			[]string{fine, head, "copy and export give all 250.0 kB (250001 bytes)."}},
		{"250,000 empty lines", "1" + strings.Repeat("\n", 250_000) + "1", 300_000, 32 << 20, []string{fine, head}},
		{"20,000 numbers at 60 levels", strings.Repeat("[", 60) + "1" + strings.Repeat(",1", 19_999) + strings.Repeat("]", 60), 3_000_000, 32 << 20,
			[]string{`<code class="d8"><span class="n">1</span>`}},
		{"quotes", strings.Repeat(`"`, 4_000_000), 300_000, 2 << 20, []string{large, head}},
		{"no UTF-8", strings.Repeat("\xe2\x82", 2_000_000), 300_000, 2 << 20, []string{large, "of the raw text are shown;"}},
		{"cut inside of a code point", strings.Repeat("€", 100_000), 300_000, 2 << 20, []string{large, "€</pre>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := answers(t)["check-invalid"]
			r.Request = []byte(c.text)
			html, allocated := rendered(t, func() templ.Component { return frontend.RecordPage(frontend.RecordOf(lab, r)) })
			if len(html) > c.html {
				t.Errorf("HTML of %d bytes: got %d bytes, want at most %d", len(c.text), len(html), c.html)
			}
			if allocated > c.alloc {
				t.Errorf("allocated for %d bytes: got %d, want at most %d", len(c.text), allocated, c.alloc)
			}
			checkParts(t, html, `href="/api/v1/lab/records/r-check-invalid/request" download`)
			checkParts(t, html, c.parts...)
			if strings.Count(html, "Too ") != strings.Count(strings.Join(c.parts, " "), "Too ") {
				t.Error("page: got another reason than the wanted one")
			}
		})
	}
}

// ux-anchors V8, C2, C4: names, feedback, messages and outputs of any size are cut where they are shown; the answer's
// export and the copy of the output have the whole.
func TestReportsAreBounded(t *testing.T) { // alone: it measures
	huge := strings.Repeat("mooring ", 400_000)
	for _, c := range []struct {
		name   string
		change func(*runner.Terminal, *runner.Receipt)
		parts  []string
	}{
		{"name of a check", func(d *runner.Terminal, _ *runner.Receipt) { d.Observation.Validations[0].Identifier = huge },
			[]string{"… 3.2 MB more in the export"}},
		{"feedback", func(d *runner.Terminal, _ *runner.Receipt) { d.Observation.Validations[1].Feedback = huge },
			[]string{"… 3.2 MB more in the export"}},
		{"type of a check", func(d *runner.Terminal, _ *runner.Receipt) { d.Observation.Validations[1].Type = huge },
			[]string{"… 3.2 MB more in the export"}},
		{"message", func(d *runner.Terminal, _ *runner.Receipt) {
			d.Diagnostics = []runner.Diagnostic{{Code: runner.CodeNoTextCheck, Message: huge}}
		}, []string{"… 3.2 MB more in the export"}},
		{"task", func(d *runner.Terminal, _ *runner.Receipt) { d.Selection.Task = huge }, []string{"mooring …, trial 3"}},
		{"20,000 checks", func(d *runner.Terminal, _ *runner.Receipt) {
			one := d.Observation.Validations[0]
			d.Observation.Validations = nil
			for i := range 20_000 {
				one.Identifier = fmt.Sprint("check-", i)
				d.Observation.Validations = append(d.Observation.Validations, one)
			}
		}, []string{"Only the first 256 of 20000 rows are shown; the export has all.", "20000 checks passed"}},
		{"output of 3.2 MB", func(_ *runner.Terminal, r *runner.Receipt) { r.Observation.FinalOutput = huge },
			[]string{"The first 32.0 kB of 3.2 MB (3200000 bytes) are shown.", "Save whole output to file, 3.2 MB",
				`data-copy-from="/api/v1/lab/records/r-run-success/receipt" data-member="observation.final_output"`}},
		{"output of 300 kB", func(_ *runner.Terminal, r *runner.Receipt) { r.Observation.FinalOutput = huge[:300_000] },
			[]string{"The first 32.0 kB of 300.0 kB (300000 bytes) are shown.", "Copy whole output, 300.0 kB"}},
		{"output of 200 kB", func(_ *runner.Terminal, r *runner.Receipt) { r.Observation.FinalOutput = huge[:200_000] },
			[]string{`aria-label="Copy output"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := observed(terminal(runner.Success, runner.BoundaryNone, 1), true, true)
			receipt := runner.Receipt{Kind: runner.KindUnit, Observation: &runner.RunResult{FinalOutput: "short"}}
			c.change(&answer, &receipt)
			r := answers(t)["run-success"]
			r.Answer, r.Receipt = encode(t, answer), encode(t, receipt)
			html, allocated := rendered(t, func() templ.Component { return frontend.Report(frontend.ReportOf(lab, r)) })
			if most := 500_000; len(html) > most {
				t.Errorf("HTML: got %d bytes, want at most %d", len(html), most)
			}
			if most := 6*(len(r.Answer)+len(r.Receipt)) + 4<<20; allocated > most {
				t.Errorf("allocated: got %d bytes, want at most %d", allocated, most)
			}
			checkParts(t, html, c.parts...)
			checkParts(t, html, `href="/api/v1/lab/records/r-run-success/answer" download`)
		})
	}
}

// ux-anchors V8: names that a request made up are bounded in sentences and in cells.
func TestNegotiationIsBounded(t *testing.T) { // alone: it measures
	huge := strings.Repeat("m", 3_000_000)
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprint("name-", i)
	}
	for _, c := range []struct {
		name  string
		terms runner.Terms
		parts []string
	}{
		{"a name", runner.Terms{Required: []string{huge}}, []string{"… 3.0 MB more in the export", "mmm…, not offered."}},
		{"a version", runner.Terms{RequestedVersions: []string{huge}}, []string{"mmm…"}},
		{"100,000 names", runner.Terms{Required: names, UnavailableOptional: names}, []string{"Only the first 256 of 100000 rows are shown; the export has all.", "name-63 and 99936 more"}},
		{"100,000 versions", runner.Terms{RequestedVersions: names}, []string{"name-63 and 99936 more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := answers(t)["check-capability"]
			r.Answer = encode(t, negotiation(runner.CapUnsupported, c.terms, said(runner.CodeUnsupportedCapability)))
			html, allocated := rendered(t, func() templ.Component { return frontend.Report(frontend.ReportOf(lab, r)) })
			if most := 300_000; len(html) > most {
				t.Errorf("HTML: got %d bytes, want at most %d", len(html), most)
			}
			if most := 20*len(r.Answer) + 4<<20; allocated > most {
				t.Errorf("allocated: got %d bytes, want at most %d", allocated, most)
			}
			checkParts(t, html, c.parts...)
		})
	}
}

// An output that is stored nowhere else stays in the page, whole, so that it can still be saved.
func TestUnstoredOutputCanBeSaved(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("berth ", 50_000)
	r := answers(t)["run-not-stored"]
	r.Receipt = encode(t, runner.Receipt{Kind: runner.KindUnit, Observation: &runner.RunResult{FinalOutput: text}})
	checkParts(t, renderPage(t, frontend.Report(frontend.ReportOf(lab, r))), `data-copy="`+text+`"`, "Copy whole output, 300.0 kB")
}

// A record's page names the act that it is of.
func TestRecordPageNamesItsAct(t *testing.T) {
	t.Parallel()
	all := answers(t)
	for name, want := range map[string]string{"check-compatible": "Compatibility check record", "validate-ready": "Validation record", "run-success": "Run record"} {
		html := renderPage(t, frontend.RecordPage(frontend.RecordOf(lab, all[name])))
		checkParts(t, html, "<h1>"+want+"</h1>", " – "+want+" – Parley</title>")
	}
}

// hostile-inputs J-3: a request of the largest size costs the lab page no more than its address; the editor loads it.
// What is short stands in the page, and once when it was not edited.
func TestEditorTexts(t *testing.T) { // alone: it measures
	large := strings.Repeat("\x01", runner.MaxDocumentBytes)
	for _, c := range []struct {
		name  string
		view  frontend.RunnerView
		parts []string
		not   []string
	}{
		{"unedited", frontend.RunnerView{Draft: "unit", Text: "{}", Base: "{}"}, []string{`data-base="&#34;{}&#34;"`}, []string{"data-text", "-from="}},
		{"edited", frontend.RunnerView{Draft: "unit", Text: "", Base: "{}"}, []string{`data-base="&#34;{}&#34;" data-text=""`}, []string{"-from="}},
		{"large draft", frontend.RunnerView{Draft: "unit", Text: large, Base: "{}"}, []string{`data-text-from="/api/v1/lab/drafts/unit"`}, []string{"data-text="}},
		{"large record", frontend.RunnerView{Draft: "record-3f9c", Text: large, Base: large}, []string{`data-base-from="/api/v1/lab/records/3f9c/request"`}, []string{"data-text", "data-base="}},
		{"large record, edited", frontend.RunnerView{Draft: "record-3f9c", Text: large + " ", Base: large},
			[]string{`data-base-from="/api/v1/lab/records/3f9c/request" data-text-from="/api/v1/lab/drafts/record-3f9c"`}, []string{"data-text=", "data-base="}},
		{"large draft named like one of a record", frontend.RunnerView{Draft: "record-3f9c", Text: large}, []string{`data-text-from="/api/v1/lab/drafts/record-3f9c"`}, []string{"data-base-from"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			html, allocated := rendered(t, func() templ.Component { return frontend.RunnerPage(c.view) })
			if len(html) > 200_000 || allocated > 1<<20 {
				t.Errorf("page: got %d bytes of HTML and %d allocated, want at most 200000 and 1 MiB", len(html), allocated)
			}
			checkParts(t, html, c.parts...)
			for _, part := range c.not {
				if strings.Contains(html, part) {
					t.Errorf("page: got %q in it, want it not", part)
				}
			}
		})
	}
}
