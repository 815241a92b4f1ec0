package browsertest_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// scene is a screen in one state.
type scene struct {
	name string
	path string
	set  func(*page) // brings the page into the state; nil for none
}

func scenes() []scene {
	return append(runtimeScenes(), []scene{
		{"runner-empty", "/runner", nil},
		{"runner-loaded", "/runner/unit", inspectedOnly},
		{"runner-errors", "/runner/several-errors", func(p *page) {
			p.inspected()
			p.click("#act-negotiate")
			p.waitResult("negotiate", "Invalid request")
		}},
		{"runner-captured-errors", "/runner/captured-errors", func(p *page) {
			p.inspected()
			p.click("#tab-eval")
			p.waitFor(`document.querySelectorAll("#panel-eval .say").length > 0`)
			p.click("#act-validate")
			p.waitResult("validate", "Rejected")
		}},
		{"runner-edited", "/runner/failing-check", func(p *page) {
			p.inspected()
			p.replace("request", `"attempt": 1`, `"attempt": 1.0`)
			p.waitText("#measure", "draft saved")
			p.inspected()
		}},
		{"runner-export", "/runner", func(p *page) {
			p.replace("request", "", `{"kind":"parley.runner-record","version":1,"request":{"sha256":"","bytes":2,"json":{}}}`)
			p.waitText("#export-notice", "open the request in it")
		}},
		{"runner-paid", "/runner/paid-profile", inspectedOnly},
		{"runner-running", "/runner/unit", func(p *page) {
			arrived, _ := p.lab.hold(p.t, "/api/v1/lab/runner/run")
			p.inspected()
			p.click("#act-run")
			<-arrived
			p.waitText("#acts-note", "Running berth-7, trial 3")
		}},
		{"runner-failed-call", "/runner/unit", func(p *page) {
			p.expected = append(p.expected, "502")
			p.lab.gateFor("/api/v1/lab/runner/run", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
			p.inspected()
			p.click("#act-run")
			p.waitResult("run", "Running failed.")
		}},
		{"runner-full", "/runner/unit", allActs},
		{"runner-check-failed", "/runner/failing-check", func(p *page) {
			p.inspected()
			p.click("#act-run")
			p.waitResult("run", "Evaluation failure, exit 1")
		}},
		{"runner-tab-eval", "/runner/unit", func(p *page) {
			p.inspected()
			p.click("#tab-eval")
		}},
		{"runner-sheet", "/runner/unit", func(p *page) {
			p.inspected()
			p.click("[data-do=sheet]")
			p.waitFor(`document.getElementById("sheet").open`)
		}},
		{"runner-palette", "/runner/unit", func(p *page) {
			p.inspected()
			p.click("[data-do=palette]")
			p.waitFor(`document.querySelectorAll("#palette-list li").length > 2`)
		}},
		{"runner-samples", "/runner/unit", func(p *page) {
			p.inspected()
			p.click("#samples summary")
		}},
		{"runner-find", "/runner/unit", func(p *page) {
			p.inspected()
			p.do(chromedp.Focus(chromedp.CSS("[data-editor=request] .cm-content")))
			p.press("f", chromedp.ModifierCtrl)
			p.waitFor(`document.querySelector(".cm-search") !== null`)
			p.press("berth")
		}},
		{"runner-complete", "/runner", func(p *page) {
			p.replace("request", "", `{"required_capabilities": [""]}`)
			p.cursor(`{"required_capabilities": ["`)
			p.press(" ", chromedp.ModifierCtrl)
			p.waitText(".cm-tooltip-autocomplete", "exact-unit")
		}},
		{"history-empty", "/runs", nil},
		{"history-full", "/runner/unit", func(p *page) {
			allActs(p)
			p.goTo(p.lab.url + "/runs")
			p.ready()
		}},
		{"record", "/runner/unit", func(p *page) {
			allActs(p)
			p.goTo(p.lab.url + "/runs/latest")
			p.ready()
		}},
		{"record-deep", "/runner/unit", func(p *page) {
			p.inspected()
			postAct(p, "negotiate", `"[".repeat(100000)`)
		}},
		{"runner-large-output", "/runner/unit", func(p *page) {
			p.inspected()
			p.replace("request", "berth seven\\n", "berth seven "+strings.Repeat("mooring ", 160_000)+"\\n")
			p.waitText("#measure", "1.3 MB")
			p.inspected()
			p.click("#act-run")
			p.waitResult("run", "Too large to show whole.")
		}},
		{"unknown-record", "/runner", func(p *page) {
			p.expected = append(p.expected, "404")
			p.goTo(p.lab.url + "/runs/0000000000000000")
			p.ready()
		}},
	}...)
}

func inspectedOnly(p *page) { p.inspected() }

func allActs(p *page) {
	p.inspected()
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible")
	p.click("#act-validate")
	p.waitResult("validate", "Ready")
	p.click("#act-run")
	p.waitResult("run", "Success")
	p.waitText("#status", "Success")
}

// ux-anchors 5.6: every screen and state in both themes and at both widths: the rules of WCAG 2.2 AA that axe knows,
// targets of at least 24 px, and no sideways scrolling of the page at 360 px.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, startLab(t), s.path)
			if s.set != nil {
				s.set(p)
			}
			p.views(s.name)
		})
	}
}

// views looks at the page at both widths and in both themes.
func (p *page) views(name string) {
	p.t.Helper()
	for _, width := range []int64{1280, 360} {
		p.do(chromedp.EmulateViewport(width, 900))
		for _, theme := range []string{"light", "dark"} {
			p.theme(theme)
			p.picture(fmt.Sprintf("%s-%d-%s", name, width, theme))
			if width == 1280 || theme == "light" { // colours do not depend on the width
				p.accessible()
			}
		}
		p.fits(width)
		p.targets()
	}
}

func (p *page) theme(name string) {
	p.t.Helper()
	ask[bool](p, fmt.Sprintf(`(document.documentElement.dataset.theme = %s, true)`, quote(name)))
}

func (p *page) picture(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatalf("take a picture: %v", err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) fits(width int64) {
	p.t.Helper()
	if got := ask[int64](p, `document.documentElement.scrollWidth`); got > width {
		wide := ask[string](p, fmt.Sprintf(`[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > %d && !e.closest(".table-wrap, .cm-scroller, svg")).slice(0, 5).map((e) => e.outerHTML.slice(0, 120)).join("\n")`, width))
		p.t.Errorf("width of the page at %d px: got %d; beyond the edge:\n%s", width, got, wide)
	}
}

// targets checks the size of everything that can be pressed; links inside a sentence are exempt (WCAG 2.5.8).
func (p *page) targets() {
	p.t.Helper()
	small := ask[[]string](p, `[...document.querySelectorAll("button, summary, select, input, a[href], [role=tab], [role=option]")]
		.filter((e) => e.checkVisibility() && !e.closest("p, dd, .cm-panel, .cm-tooltip") && !e.matches(".skip"))
		.map((e) => e.type === "checkbox" ? e.closest("label") : e)
		.filter((e) => { const r = e.getBoundingClientRect(); return r.width < 24 || r.height < 24; })
		.map((e) => e.outerHTML.slice(0, 120))`)
	if len(small) > 0 {
		p.t.Errorf("targets below 24 px: got\n%s\nwant none", strings.Join(small, "\n"))
	}
}
