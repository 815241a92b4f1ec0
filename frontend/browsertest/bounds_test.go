package browsertest_test

import (
	"fmt"
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
