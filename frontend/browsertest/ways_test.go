package browsertest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// K1: check, validate, run and export by keys alone; Ctrl+Enter checks and never runs.
func TestKeyboardOnlyPath(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
	p.press(kb.Enter, chromedp.ModifierCtrl)
	p.waitResult("negotiate", "Compatible")
	if got := p.result("run"); got != "(absent)" {
		t.Errorf("run after Ctrl+Enter: got %q, want none", got)
	}
	p.do(chromedp.Focus(chromedp.CSS("#act-negotiate")))
	p.press(kb.Tab)
	p.press(kb.Enter)
	p.waitResult("validate", "Ready")
	p.press(kb.Tab)
	p.press(kb.Enter)
	p.waitResult("run", "Success")
}

// K9: the sheet lists the table, takes the focus and gives it back.
func TestShortcutSheet(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.do(chromedp.Focus(chromedp.CSS("#act-validate")))
	p.press("?")
	p.waitFor(`document.getElementById("sheet").open`)
	if got := p.text("#sheet"); !strings.Contains(got, "never runs anything") {
		t.Errorf("sheet: got %q, want the text of the table", got)
	}
	p.press(kb.Escape)
	p.waitFor(`!document.getElementById("sheet").open && document.activeElement?.id === "act-validate"`)
	p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
	p.press("?")
	if ask[bool](p, `document.getElementById("sheet").open`) {
		t.Error("? in the editor: got the sheet, want a question mark")
	}
}

// U8: the palette goes to a sample and follows a pasted link of this lab, and of no other.
func TestPalette(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.press("k", chromedp.ModifierCtrl)
	p.waitFor(`document.activeElement?.id === "palette-input"`)
	p.press("unsupported cap")
	p.waitFor(`document.querySelectorAll("#palette-list li").length === 1`)
	p.press(kb.Enter)
	p.waitFor(`location.pathname === "/runner/unsupported-capability"`)
	p.ready()
	p.press("k", chromedp.ModifierCtrl)
	p.press("https://example.test/runner")
	p.waitText("#palette-note", "Paste a link of this lab")
	ask[bool](p, `(document.getElementById("palette-input").select(), true)`)
	p.press(l.url + "/runs")
	p.waitText("#palette-list", "Go to /runs")
	p.press(kb.Enter)
	p.waitFor(`location.pathname === "/runs"`)
}

// U1, U9: a record has an address of its own; its request opens in the lab; an unknown id is explained.
func TestDeepLinks(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.click("#act-run")
	p.waitResult("run", "Success")
	p.goTo(l.url + "/runs/latest")
	p.ready()
	p.waitText(".report", "Success, exit 0")
	id := ask[string](p, `location.pathname.split("/").pop()`)
	p.goTo(l.url + "/runner?from=" + id)
	p.ready()
	p.inspected()
	if got := p.text("#run-word"); !strings.Contains(got, "berth-7 · trial 3") {
		t.Errorf("request opened from a record: got %q, want its unit", got)
	}
	p.expected = []string{"404"}
	p.goTo(l.url + "/runs/unknownrecord")
	p.ready()
	p.waitText("main", "not_found")
}

// The exported answer is byte for byte what was stored; the history row appears without a reload.
func TestExportGivesExactBytes(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.click("#act-run")
	p.waitResult("run", "Success")
	file := ask[string](p, `document.querySelector("[data-slot=run] [data-export]").getAttribute("href")`)
	exported := ask[string](p, fmt.Sprintf(`fetch(%s).then((r) => r.text())`, quote(file)))
	if !strings.HasPrefix(exported, `{"kind":"waza.runner-terminal"`) || !bytes.HasSuffix([]byte(exported), []byte("}\n")) {
		t.Errorf("export: got %q, want the terminal as the runner wrote it", exported)
	}
	request := ask[string](p, fmt.Sprintf(`fetch(%s).then((r) => r.text())`, quote(strings.Replace(file, "/answer", "/request", 1))))
	if want := p.editor("request"); request != want {
		t.Errorf("stored request: got %q, want the editor's text %q", request, want)
	}
}

// C2, C3, C5: copying gives the whole value and says so; a clipboard that refuses gives a box with the text selected.
func TestCopy(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.click("#act-validate")
	p.waitResult("validate", "Ready")
	ask[bool](p, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
	p.click(`[data-slot=validate] [aria-label="Copy attempt identity"]`)
	p.waitFor(`/^attempt-[0-9a-f]{64}$/.test(window.copied ?? "")`)
	p.waitText("#status", "Copied attempt identity, 72 bytes.")
	ask[bool](p, `(navigator.clipboard.writeText = async () => { throw new Error("refused"); }, true)`)
	p.click("#copy-request")
	p.waitFor(`document.getElementById("copy-box").open`)
	if got, want := ask[string](p, `getSelection().toString() || document.getElementById("copy-box-text").value`), p.editor("request"); got != want {
		t.Errorf("text in the box: got %q, want the request", got)
	}
}

// K1, 2.5.7: the splitter moves by keys and stays where it was put.
func TestSplitterByKeys(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	width := func() float64 {
		return ask[float64](p, `document.getElementById("results-pane").getBoundingClientRect().width`)
	}
	before := width()
	p.do(chromedp.Focus(chromedp.CSS(".split")))
	p.press(kb.ArrowLeft)
	p.press(kb.ArrowLeft)
	moved := width()
	if moved == before {
		t.Errorf("width after two steps: got %v, want another than before", moved)
	}
	p.do(chromedp.Reload())
	p.ready()
	if got := width(); got != moved {
		t.Errorf("width after a reload: got %v, want %v", got, moved)
	}
}

// K5: j and k walk the list; Enter opens.
func TestHistoryKeys(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	allActs(p)
	p.goTo(l.url + "/runs")
	p.ready()
	p.do(chromedp.Focus(chromedp.CSS(".row-link")))
	p.press("j")
	p.press("j")
	p.press("k")
	if got, want := ask[int](p, `[...document.querySelectorAll(".row-link")].indexOf(document.activeElement)`), 1; got != want {
		t.Errorf("row after j, j, k: got %d, want %d", got, want)
	}
	p.press(kb.Enter)
	p.waitFor(`location.pathname.startsWith("/runs/")`)
}

// K5: on the history page j and k need no click first.
func TestHistoryKeysWorkAtOnce(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	allActs(p)
	p.goTo(l.url + "/runs")
	p.ready()
	p.press("j")
	p.press("j")
	if got, want := ask[int](p, `[...document.querySelectorAll(".row-link")].indexOf(document.activeElement)`), 1; got != want {
		t.Errorf("row after j, j: got %d, want %d", got, want)
	}
}

// K1: the menu of samples is walked by arrow keys; Ctrl+Shift+Enter validates and never runs.
func TestMenuAndValidateKeys(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.press(kb.Enter, chromedp.ModifierCtrl|chromedp.ModifierShift)
	p.waitResult("validate", "Ready")
	if got := p.result("run"); got != "(absent)" {
		t.Errorf("run after Ctrl+Shift+Enter: got %q, want none", got)
	}
	p.do(chromedp.Focus(chromedp.CSS("#samples summary")))
	for _, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp} {
		p.press(key)
	}
	p.press(kb.Enter)
	p.waitFor(`location.pathname === "/runner/trial-out-of-range"`)
}

// The palette calls a record what the history calls it.
func TestPaletteWordsRecords(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	allActs(p)
	p.press("k", chromedp.ModifierCtrl)
	for _, words := range []string{" · Check · Compatible", " · Validate · berth-7, 3 · Ready", " · Run · berth-7, 3 · Success, exit 0"} {
		p.waitText("#palette-list", words)
	}
	p.press(ask[string](p, `document.querySelector("#record-rows time").textContent`))
	p.waitFor(`document.querySelectorAll("#palette-list li").length > 0`)
}

// 1.4.10: at 360 px the verdict of a record is in sight, and an answer brings itself into view.
func TestNarrowScreenShowsVerdicts(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.do(chromedp.EmulateViewport(360, 640))
	p.inspected()
	p.click("#act-run")
	p.waitResult("run", "Success")
	p.waitFor(`document.activeElement?.dataset.slot === "run"`)
	if top := ask[float64](p, `document.activeElement.getBoundingClientRect().top`); top < -1 || top > 200 {
		t.Errorf("top of the report: got %v px, want it in sight", top)
	}
	p.goTo(l.url + "/runs")
	p.ready()
	if right := ask[float64](p, `document.querySelector("#record-rows .badge").getBoundingClientRect().right`); right > 360 {
		t.Errorf("right edge of the verdict: got %v px, want at most 360", right)
	}
}

// M1: the choice of a theme is kept and set before the first paint.
func TestThemeIsKept(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runs")
	p.click("[data-do=theme]")
	p.click("[data-do=theme]")
	p.waitFor(`document.documentElement.dataset.theme === "dark"`)
	p.do(chromedp.Reload())
	p.ready()
	p.waitFor(`document.documentElement.dataset.theme === "dark"`)
	if got := ask[string](p, `document.head.querySelector("script").getAttribute("type") ?? "blocking"`); got != "blocking" {
		t.Errorf("theme script: got type %q, want a blocking script", got)
	}
}

// WCAG 4.1.3: one live region, and at most one message a second in it; the newest is never lost.
func TestStatusSpeaksOnceASecond(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runs")
	ask[bool](p, `(() => {
		window.spoken = [];
		new MutationObserver(() => window.spoken.push(performance.now())).observe(document.getElementById("status"), {childList: true, characterData: true, subtree: true});
		for (let i = 0; i < 5; i++) document.querySelector("[data-do=theme]").click();
		return true;
	})()`)
	if got, want := p.text("#status-shown"), "Theme: dark."; got != want {
		t.Errorf("shown at once: got %q, want %q", got, want)
	}
	p.waitText("#status", "Theme: dark.") // five steps from system: light, dark, system, light, dark
	times := ask[[]float64](p, `window.spoken`)
	if len(times) != 2 || times[1]-times[0] < 900 {
		t.Errorf("messages: got them at %v ms, want two, a second apart", times)
	}
}

// hostile-inputs U-1: script in data is text on every page, also in titles and in a stored record.
func TestScriptInDataIsText(t *testing.T) {
	t.Parallel()
	const canary = `</textarea></template><script>document.title='owned'</script><img src=x onerror=\"window.owned=1\">`
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.replace("request", "Berth seven", canary)
	p.replace("request", "Report the mooring at berth seven", "mooring berth "+canary)
	p.replace("request", "says-mooring", "<b>{{x}}</b>")
	p.inspected()
	p.click("#act-run")
	p.waitResult("run", "exit ")
	for _, path := range []string{"/runs/latest", "/runs", "/runner/unit"} {
		p.goTo(l.url + path)
		p.ready()
		if ask[bool](p, `window.owned === 1 || document.title === "owned" || document.querySelector("main img, main b") !== null`) {
			t.Errorf("%s: got markup from data, want text", path)
		}
	}
}
