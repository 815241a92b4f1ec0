package browsertest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// postAct does an act on a text that never was in the editor and opens its record.
func postAct(p *page, act, text string) {
	p.t.Helper()
	ask[bool](p, fmt.Sprintf(`fetch("/api/v1/lab/runner/%s", {method: "POST", headers: {"Content-Type": "application/json"}, body: %s}).then((r) => r.ok)`, act, text))
	p.goTo(p.lab.url + "/runs/latest")
	p.ready()
}

// hostile-inputs J-2, ux-anchors V8: the inspector shows the beginning of a deep text as it is and says why; the file
// has all of it.
func TestDeepRequestIsShownRaw(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	postAct(p, "negotiate", `"[".repeat(4000000)`)
	p.waitText("[aria-label=Request]", "Too deep to expand")
	if got, want := ask[int](p, `document.querySelector("[aria-label=Request] pre").textContent.length`), 32_000; got != want {
		t.Errorf("shown of a deep request: got %d brackets, want %d", got, want)
	}
	whole := ask[int](p, `fetch(document.querySelector("[aria-label=Request] a[download]").href).then((r) => r.text()).then((text) => text.length)`)
	if want := 4_000_000; whole != want {
		t.Errorf("file of a deep request: got %d bytes, want %d", whole, want)
	}
}

// ux-anchors C2: the output of a run is cut where it is shown, and copying it gives the whole.
func TestLargeOutputIsCopiedWhole(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", "Report the mooring at berth seven", "Report the mooring at berth seven "+strings.Repeat("x", 300_000))
	p.waitText("#measure", "300.")
	p.inspected()
	p.click("#act-run")
	p.waitResult("run", "Too large to show whole. The first 32.0 kB of 300")
	ask[bool](p, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
	p.click("[data-slot=run] [data-member]")
	p.waitFor(`window.copied?.startsWith("Mock response for: Report the mooring at berth seven xxx") && window.copied.length > 300000`)
}

// hostile-inputs J-2: a deep text in the editor can be edited and acted on.
func TestDeepTextInTheEditorStaysUsable(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.replace("request", "", strings.Repeat("[", 200_000))
	p.waitText("#measure", "200.")
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Invalid request")
	p.replace("request", strings.Repeat("[", 200_000), "")
	p.waitText("#run-word", "berth-7")
}

// A large draft is loaded from where it is stored, exact to the byte order mark and the line ends; when it cannot be
// loaded, no editor takes its place and nothing is saved over it.
func TestLargeDraftIsLoadedExactly(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	path := "/api/v1/lab/drafts/unit"
	text := `"\ufeff{\n" + "\u00e9\"".repeat(300000) + "\n"`
	ask[bool](p, fmt.Sprintf(`fetch("%s", {method: "PUT", headers: {"Content-Type": "text/plain; charset=utf-8"}, body: %s}).then((r) => r.ok)`, path, text))
	open := p.lab.gateFor(path, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	p.expected = []string{"502"}
	p.goTo(p.lab.url + "/runner/unit")
	p.waitText("#head-state", "The stored text could not be loaded")
	if ask[bool](p, `document.querySelector(".cm-content") !== null`) {
		t.Error("page without the text: got an editor, want none")
	}
	open()
	p.goTo(p.lab.url + "/runner/unit")
	p.ready()
	if !ask[bool](p, fmt.Sprintf(`document.querySelector("[data-editor=request] .cm-content").cmTile.view.state.doc.toString() === %s`, text)) {
		t.Error("editor: got another text than the stored draft")
	}
	p.inspected()
	p.click("#revert")
	p.waitText("#run-word", "berth-7")
}
