package frontend_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/frontend"
)

// hostile-inputs 2 and U-1: no page needs an inline script, style or handler, or another host.
func TestPagesAreInert(t *testing.T) {
	t.Parallel()
	for name, component := range pages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range parse(t, renderPage(t, component)).Descendants() {
				if fault := inlineFault(n); fault != "" {
					t.Errorf("element <%s>: got %s, want none", n.Data, fault)
				}
			}
		})
	}
}

func inlineFault(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
		return "inline content"
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "style", strings.HasPrefix(a.Key, "on"), a.Key == "nonce":
			return a.Key
		case a.Key == "href" || a.Key == "src":
			if !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "//") {
				return a.Key + " " + a.Val
			}
		}
	}
	return ""
}

func parse(t *testing.T, text string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// hostile-inputs U-1: whatever stands in a field is shown as text.
func TestScriptInDataStaysText(t *testing.T) {
	t.Parallel()
	for _, canary := range []string{
		`<script>owned()</script>`, `<img src=x onerror=owned()>`, `</textarea></template></pre><b>`, `" onfocus="owned()`, `javascript:owned()`,
		`data:text/html,<script>owned()</script>`, `{{owned}}`, `]]>`, `<svg onload=owned()>`, `'-owned()-'`,
	} {
		row := frontend.RecordRow{ID: canary, At: noon, Act: frontend.Act(canary), Unit: canary, Calls: canary, Badge: frontend.Badge{Tone: frontend.ToneOK, Icon: "ok", Word: canary}}
		answer := `{"kind":"waza.runner-negotiation","status":"unsupported_capability","negotiation":{"requested_versions":[` + quoted(t, canary) + `],"required_capabilities":[` +
			quoted(t, canary) + `],"optional_capabilities":[],"available_capabilities":[],"selected_capabilities":[],"unavailable_optional_capabilities":[]},"diagnostics":[{"code":` +
			quoted(t, canary) + `,"message":` + quoted(t, canary) + `}]}`
		record := frontend.Record{ID: canary, Act: frontend.ActNegotiate, At: noon, Request: []byte(canary), Answer: []byte(answer)}
		for name, page := range map[string]string{
			"runner": renderPage(t, frontend.RunnerPage(frontend.RunnerView{Draft: canary, Path: canary, Text: canary, Base: canary, Title: canary, Notice: canary,
				Recent: []frontend.RecordRow{row}, RecentError: canary})),
			"history": renderPage(t, frontend.HistoryPage(frontend.HistoryView{Rows: []frontend.RecordRow{row}, Older: "/runs?before=1"})),
			"record":  renderPage(t, frontend.RecordPage(frontend.RecordOf(frontend.Lab{Version: canary, Address: canary}, record))),
			"error":   renderPage(t, frontend.ErrorPage(frontend.ErrorView{What: canary, Why: canary, Means: canary, Code: canary, Next: []frontend.Link{{Path: "/runner", Word: canary}}})),
		} {
			for n := range parse(t, page).Descendants() {
				if fault := inlineFault(n); fault != "" || n.Data == "b" && n.Type == html.ElementNode {
					t.Errorf("%s with %q: got <%s> %s, want text", name, canary, n.Data, fault)
				}
			}
		}
	}
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	return strings.TrimSuffix(string(encode(t, s)), "\n")
}

// ux-anchors A3: the title names the screen and holds the state; the page names its language.
func TestTitleHoldsTheState(t *testing.T) {
	t.Parallel()
	page := renderPage(t, frontend.RecordPage(frontend.RecordOf(lab, answers(t)["run-success"])))
	for _, part := range []string{`<html lang="en">`, "<title>Success, exit 0 – Run record – Parley</title>", `role="status"`, `href="#work"`} {
		if !strings.Contains(page, part) {
			t.Errorf("record page: want %q in it", part)
		}
	}
	if got := strings.Count(page, `role="status"`) + strings.Count(page, "aria-live"); got != 1 {
		t.Errorf("live regions: got %d, want 1", got)
	}
}

// A document that is too long for a page is cut there, and the page says so.
func TestLongDocumentIsCut(t *testing.T) {
	t.Parallel()
	r := answers(t)["run-success"]
	r.Request = []byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`)
	page := renderPage(t, frontend.RecordPage(frontend.RecordOf(lab, r)))
	if len(page) > 400_000 || !strings.Contains(page, "the file has all 1.0 MB") {
		t.Errorf("page with a document of 1 MiB: got %d bytes, want it cut and saying so", len(page))
	}
}

// H16: numbers and strings of a document are shown as they are spelled.
func TestDocumentIsShownAsSpelled(t *testing.T) {
	t.Parallel()
	r := answers(t)["run-success"]
	r.Request = []byte(`{"big":9007199254740993,"n":1.0,"e":10e-1,"s":"\u00e9\/"}`)
	page := renderPage(t, frontend.RecordPage(frontend.RecordOf(lab, r)))
	for _, part := range []string{">9007199254740993<", ">1.0<", ">10e-1<", `\u00e9\/`} {
		if !strings.Contains(page, part) {
			t.Errorf("record page: want %q in it", part)
		}
	}
}
