package browsertest_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"parley/examples"
)

// An edit in a YAML pane goes back as the exact string into that one literal; every other byte of the request stays.
func TestCapturedPaneEditsOneLiteral(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	before := p.editor("request")
	if got, want := p.editor("task"), "id: berth-7\nname: Berth seven\ninputs:\n  prompt: Report the mooring at berth seven\nexpected:\n  output_contains:\n    - berth\n"; got != want {
		t.Fatalf("task pane: got %q, want %q", got, want)
	}
	p.click("#tab-task")
	p.replace("task", "Berth seven", "\"Liegeplatz\" \\ sieben ✓\ttab")
	want := strings.Replace(before, "name: Berth seven", `name: \"Liegeplatz\" \\ sieben ✓\ttab`, 1)
	if got := p.editor("request"); got != want {
		t.Errorf("request after the edit: got\n%s\nwant\n%s", got, want)
	}
	var doc struct{ Input struct{ Task string } }
	if err := json.Unmarshal([]byte(p.editor("request")), &doc); err != nil {
		t.Fatal(err)
	}
	if got, want := doc.Input.Task, p.editor("task"); got != want {
		t.Errorf("task in the request: got %q, want the pane's %q", got, want)
	}
}

// The other way round: an edit of the literal shows in the pane, and a request without the text says so.
func TestRequestEditShowsInPane(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", `trials_per_task: 4\n`, `trials_per_task: 9\n`)
	p.waitFor(`document.querySelector("[data-editor=eval] .cm-content").cmTile.view.state.doc.toString().includes("trials_per_task: 9\n")`)
	p.replace("request", `"eval":`, `"elav":`)
	p.click("#tab-eval")
	p.waitText("#panel-eval", "No text at input.eval")
}

// ux-anchors F21, R4: every error is marked at its place and listed; one click goes there, also into a captured text.
func TestErrorsAreMarkedAndListed(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/several-errors")
	p.inspected()
	p.waitText("#verdict-request", "5 errors")
	for name, want := range map[string]int{".problems li": 5, "#panel-request .say": 4} {
		if got := ask[int](p, "document.querySelectorAll("+quote(name)+").length"); got < want {
			t.Errorf("%s: got %d, want at least %d", name, got, want)
		}
	}
	p.click(".problems li:last-child button")
	p.waitFor(`document.activeElement?.closest("[data-editor=request]") !== null`)
	line := ask[string](p, `(() => { const v = document.querySelector("[data-editor=request] .cm-content").cmTile.view; return v.state.doc.lineAt(v.state.selection.main.head).text; })()`)
	if !strings.Contains(line, "note") {
		t.Errorf("line of the last error: got %q, want the last of the text, the one of note", line)
	}
	places := ask[[]int](p, `[...document.querySelectorAll(".problems li button")].map((b) => Number(b.textContent.match(/line (\d+)/)[1]))`)
	if !slices.IsSorted(places) {
		t.Errorf("lines of the listed errors: got %v, want them in the order of the text", places)
	}
	p.goTo(p.lab.url + "/runner/captured-errors")
	p.ready()
	p.inspected()
	p.waitText("#tab-eval", "(2)")
	p.click(".problems li:first-child button")
	p.waitFor(`document.querySelector("#tab-eval").getAttribute("aria-selected") === "true" && document.activeElement?.closest("[data-editor=eval]") !== null`)
}

// A mark begins with what it is about; a missing key is named in full, and no name is written otherwise than it is.
func TestMarksNameTheirPlace(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", `"trial": 3`, `"trial": "3"`)
	p.waitText("#panel-request .say", "; write the number without quotes.")
	p.waitText("#panel-request .say", "trial: expected ")
	p.replace("request", `"trial": "3"`, `"tryal": 3`)
	p.waitFor(`[...document.querySelectorAll("#panel-request .say")].some((e) => e.textContent.startsWith("selection.trial is missing: expected "))`)
}

// The content policy is kept while text is replaced: typed over a selection of lines, formatted, reverted, reloaded.
func TestReplacingTextKeepsTheContentPolicy(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit") // the page fails on anything in the console
	p.inspected()
	for _, act := range []string{"#format", "#revert"} {
		p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
		p.press("a", chromedp.ModifierCtrl)
		p.press(`{"a":[1,`)
		p.press(kb.Enter)
		p.press(`2]}`)
		p.press("a", chromedp.ModifierCtrl)
		p.press(kb.Delete)
		p.press("z", chromedp.ModifierCtrl)
		p.click(act)
	}
	p.inspected()
	p.click("#tab-task")
	p.do(chromedp.Focus(chromedp.CSS("[data-editor=task] .cm-content")))
	p.press("a", chromedp.ModifierCtrl)
	p.press("id: x")
	if got, want := p.editor("task"), "id: x"; got != want {
		t.Errorf("task typed over: got %q, want %q", got, want)
	}
}

// An error behind text of several bytes a character is marked at the right line and place.
func TestErrorPlaceIsInBytes(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", "Berth seven", "Ørret 🐟 sju")
	p.replace("request", `"timeout_ms": 45000`, `"timeout_ms": "45000"`)
	p.waitText("#verdict-request", "1 error")
	if got, want := ask[string](p, `document.querySelector("#panel-request .bad-text").textContent`), `"timeout_ms"`; !strings.HasPrefix(got, want) {
		t.Errorf("underlined text: got %q, want it to begin with %q", got, want)
	}
}

// Format re-indents by tokens: no number and no string is written anew.
func TestFormatKeepsTokens(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner")
	p.replace("request", "", `{"a":1.0,"b":10e-1,"big":9007199254740993,"s":"\u00e9\/ \n","list":[1,2.50,"x"],"deep":{"o":{},"l":[{"k":[]}]}}`)
	p.click("#format")
	want := "{\n  \"a\": 1.0,\n  \"b\": 10e-1,\n  \"big\": 9007199254740993,\n  \"s\": \"\\u00e9\\/ \\n\",\n  \"list\": [1, 2.50, \"x\"],\n" +
		"  \"deep\": {\n    \"o\": {},\n    \"l\": [\n      {\n        \"k\": []\n      }\n    ]\n  }\n}\n"
	if got := p.editor("request"); got != want {
		t.Errorf("formatted: got\n%s\nwant\n%s", got, want)
	}
	p.replace("request", `"x"`, `"x`)
	broken := p.editor("request")
	p.click("#format")
	p.waitText("#status", "Not formatted")
	if got := p.editor("request"); got != broken {
		t.Errorf("broken text: got it changed to %q", got)
	}
}

// Drafts survive a reload; revert gives the sample back.
func TestDraftSurvivesReload(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.replace("request", `"trial": 3`, `"trial": 2`)
	p.waitText("#measure", "draft saved")
	p.do(chromedp.Reload())
	p.ready()
	if got := p.editor("request"); !strings.Contains(got, `"trial": 2`) {
		t.Errorf("text after a reload: got %q, want the draft", got)
	}
	p.waitText("#edited", "Edited copy of berth-7")
	ask[bool](p, `(navigator.clipboard.writeText = async () => {}, true)`)
	p.click("#copy-link")
	p.waitText("#status", "The link names the sample, not your edit.")
	p.click("#samples summary")
	p.click(`#samples a[href="/runner/unit"]`)
	p.ready()
	p.waitText("#edited", "Revert to sample")
	p.click("#revert")
	sample, _ := examples.Runner("unit")
	if got := p.editor("request"); got != string(sample) {
		t.Errorf("text after revert: got %q, want the sample", got)
	}
	p.waitFor(`document.getElementById("edited").hidden`)
	p.press("z", chromedp.ModifierCtrl)
	if got := p.editor("request"); !strings.Contains(got, `"trial": 2`) {
		t.Errorf("text after undo: got %q, want the draft back", got)
	}
}

// An edit just before leaving is saved while the page goes.
func TestDraftIsSavedOnLeaving(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	saved := make(chan struct{}, 4)
	l.gateFor("/api/v1/lab/drafts/unit", func(w http.ResponseWriter, r *http.Request) {
		l.pass(w, r)
		saved <- struct{}{}
	})
	p.replace("request", `"trial": 3`, `"trial": 2`)
	p.goTo(l.url + "/runs")
	select {
	case <-saved:
	case <-time.After(patience):
		t.Fatal("draft: got no save on leaving, want one")
	}
	p.goTo(l.url + "/runner/unit")
	p.ready()
	if got := p.editor("request"); !strings.Contains(got, `"trial": 2`) {
		t.Errorf("text after leaving at once: got %q, want the edit", got)
	}
}

// An inspection that comes after a newer edit is dropped.
func TestLateInspectionIsDropped(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	arrived, release := l.hold(t, "/api/v1/lab/runner/inspect")
	p.replace("request", `"trial": 3`, `"trial": "3"`)
	<-arrived
	p.replace("request", `"trial": "3"`, `"trial": 4`)
	<-arrived
	release()
	p.waitText("#run-word", "trial 4")
	if got := p.text("#verdict-request"); got != "No errors" {
		t.Errorf("verdict on the newest text: got %q, want no errors", got)
	}
}

// A dropped file becomes the text; one that is not UTF-8 changes nothing.
func TestDropFile(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner")
	drop := func(bytes string) {
		ask[bool](p, `(() => {
			const data = new DataTransfer();
			data.items.add(new File([new Uint8Array(`+bytes+`)], "unit.json"));
			return document.querySelector("[data-editor=request] .cm-content").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
		})()`)
	}
	drop(`[123, 13, 10, 125]`)
	p.waitText("#status", "Loaded unit.json")
	if got, want := p.editor("request"), "{\r\n}"; got != want {
		t.Errorf("dropped file: got %q, want %q", got, want)
	}
	drop(`[255, 254]`)
	p.waitText("#status", "not UTF-8")
	if got, want := p.editor("request"), "{\r\n}"; got != want {
		t.Errorf("after a file that is not text: got %q, want %q", got, want)
	}
}

// A draft that cannot be saved says so and stays on the page.
func TestDraftThatIsNotSavedSaysSo(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.expected = []string{"Failed to load resource"}
	p.inspected()
	l.gateFor("/api/v1/lab/drafts/unit", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInsufficientStorage) })
	p.replace("request", `"trial": 3`, `"trial": 2`)
	p.waitText("#measure", "draft not saved")
}

// hostile-inputs U-1, runner 3 rule 1: a request close to its largest size, most of it one line, can still be worked on.
func TestLargeRequestStaysUsable(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", "never-opened", strings.Repeat("x", 3<<20))
	p.waitText("#measure", "3.1 MB")
	p.replace("request", `"trial": 3`, `"trial": 2`)
	p.waitText("#run-word", "trial 2")
	p.click("#act-validate")
	p.waitResult("validate", "Ready")
	p.click("#tab-eval")
	p.waitFor(`document.querySelector("#panel-eval .cm-line") !== null`)
	p.replace("eval", "tidal-log", "tidal-leg")
	if got := ask[bool](p, `document.querySelector("[data-editor=request] .cm-content").cmTile.view.state.doc.toString().includes("tidal-leg")`); !got {
		t.Error("request after an edit in the pane: want the edit in it")
	}
}

// K7: Tab indents; Escape, then Tab, leaves the editor.
func TestKeyboardLeavesTheEditor(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
	p.press(kb.Tab)
	if got := p.editor("request"); !strings.HasPrefix(got, "  {") {
		t.Errorf("after Tab: got %q, want an indented line", got[:8])
	}
	p.press(kb.Escape)
	p.press(kb.Tab)
	p.waitFor(`document.activeElement?.closest(".cm-editor") === null`)
}

// F21: keys and values are completed from the published schema.
func TestCompletion(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner")
	p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
	p.replace("request", "", `{"required_capabilities": [""], }`)
	p.cursor(`{"required_capabilities": ["`)
	p.press(" ", chromedp.ModifierCtrl)
	p.waitText(".cm-tooltip-autocomplete", "inline.mock-text")
	p.press(kb.Escape)
	p.cursor(`{"required_capabilities": [""], `)
	p.press(" ", chromedp.ModifierCtrl)
	p.waitText(".cm-tooltip-autocomplete", "run_key")
	if got := p.text(".cm-tooltip-autocomplete"); strings.Contains(got, "required_capabilities") {
		t.Errorf("completion of keys: got %q, want none that is there already", got)
	}
}

// F21: in a captured text the names of the fields that can stand there are completed.
func TestCompletionOfCapturedNames(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	for _, c := range []struct{ pane, after, typed, want, not string }{
		{"eval", "timeout_seconds: 20\n", "  ", "fail_fast", "executor"},
		{"eval", "timeout_seconds: 20\n", "", "metrics", "scenario"},
		{"eval", "name: says-mooring\n", "    ", "config", "type"},
		{"eval", "    config:\n", "      ", "regex_match", "executor"},
		{"eval", "graders:\n", "  - ", "type", "scenario"},
		{"task", "    - berth\n", "  ", "output_not_contains", "output_contains:"},
		{"task", "name: Berth seven\n", "", "enabled", "name:"},
	} {
		p.click("#tab-" + c.pane)
		before := p.editor(c.pane)
		p.replace(c.pane, c.after, c.after+c.typed+"\n")
		ask[bool](p, `(() => { const v = document.querySelector("[data-editor=`+c.pane+`] .cm-content").cmTile.view;
			v.dispatch({selection: {anchor: v.state.doc.toString().indexOf(`+quote(c.after)+`) + `+quote(c.after+c.typed)+`.length}}); v.focus(); return true; })()`)
		p.press(" ", chromedp.ModifierCtrl)
		p.waitText(".cm-tooltip-autocomplete", c.want)
		if got := strings.Fields(p.text(".cm-tooltip-autocomplete")); slices.Contains(got, strings.TrimSuffix(c.not, ":")) {
			t.Errorf("%s after %q: got %v, want none of %s", c.pane, c.after, got, c.not)
		}
		p.press(kb.Escape)
		p.replace(c.pane, c.after+c.typed+"\n", c.after)
		if got := p.editor(c.pane); got != before {
			t.Fatalf("%s put back: got %q, want %q", c.pane, got, before)
		}
	}
}

// cursor puts the cursor behind a text that the request begins with.
func (p *page) cursor(behind string) {
	p.t.Helper()
	ask[bool](p, `(() => { const v = document.querySelector("[data-editor=request] .cm-content").cmTile.view;
		v.dispatch({selection: {anchor: `+quote(behind)+`.length}}); v.focus(); return true; })()`)
}
