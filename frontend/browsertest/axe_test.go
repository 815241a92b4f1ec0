package browsertest_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// axeSource is the rule engine, read once.
var axeSource = sync.OnceValues(func() (string, error) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "axe", "axe.min.js"))
	return string(data), err
})

const axeRun = `axe.run(document, {runOnly: {type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}})
	.then((r) => r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160) + "  " + (n.any[0]?.message ?? "")).join("\n  ")))`

// accessible runs the rules over the page as it is now.
func (p *page) accessible() {
	p.t.Helper()
	source, err := axeSource()
	if err != nil {
		p.t.Fatal(err)
	}
	if !ask[bool](p, `typeof axe === "object"`) {
		p.do(chromedp.Evaluate[chromedp.Void](source))
	}
	if got := ask[[]string](p, axeRun); len(got) > 0 {
		p.t.Errorf("accessibility: got\n%s\nwant nothing", strings.Join(got, "\n"))
	}
}
