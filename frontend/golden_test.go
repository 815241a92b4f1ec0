package frontend_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"parley/frontend"
)

var update = flag.Bool("update", false, "write the golden pages anew")

var lab = frontend.Lab{Version: "1.2.3", Platform: "linux/amd64", Address: "127.0.0.1:7007"}

var noon = time.Date(2031, 5, 17, 12, 0, 0, 123e6, time.UTC)

// pages are every page and component in its states: empty, loaded, failed, long text, right-to-left text.
func pages(t *testing.T) map[string]templ.Component {
	t.Helper()
	unit, _ := frontend.SampleNamed("unit")
	rows := []frontend.RecordRow{
		frontend.RowOf(frontend.RowFacts{ID: "r2", At: noon, Act: frontend.ActRun, Verdict: "success", Exit: new(int), Calls: ptr(1), Task: "berth-7", Trial: 3}),
		frontend.RowOf(frontend.RowFacts{ID: "r1", At: noon, Act: frontend.ActNegotiate, Verdict: "compatible", Exit: new(int), Calls: new(int)}),
	}
	long := strings.Repeat("a-very-long-name.", 40)
	all := map[string]templ.Component{
		"runner-empty":  frontend.RunnerPage(frontend.RunnerView{Lab: lab, Draft: frontend.DefaultDraft, Path: "/runner"}),
		"runner-loaded": frontend.RunnerPage(frontend.RunnerView{Lab: lab, Draft: "unit", Path: "/runner/unit", Text: string(unit.Body), Base: string(unit.Body), Title: "sample unit", Recent: rows}),
		"runner-failed": frontend.RunnerPage(frontend.RunnerView{Lab: lab, Draft: "unit", Path: "/runner/unit", Notice: "The draft could not be read.", RecentError: "the database is locked"}),
		"history-empty": frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true, Total: 0}),
		"history-full":  frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true, Total: 120, Rows: rows, Older: "/runs?before=70"}),
		"history-end":   frontend.HistoryPage(frontend.HistoryView{Lab: lab, Total: -1}),
		"history-error": frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true, Error: "the database is locked"}),
		"history-long":  frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true, Total: 1, Rows: []frontend.RecordRow{{ID: long, At: noon, Act: frontend.ActRun, Unit: long, Badge: frontend.Badge{Tone: frontend.ToneNeutral, Icon: "unchecked", Word: long}}}}),
		"history-rtl":   frontend.HistoryPage(frontend.HistoryView{Lab: lab, First: true, Total: 1, Rows: []frontend.RecordRow{{ID: "r1", At: noon, Act: frontend.ActRun, Unit: "رصيف-٧", Badge: frontend.Badge{Tone: frontend.ToneOK, Icon: "ok", Word: "نجاح"}}}}),
		"error": frontend.ErrorPage(frontend.ErrorView{
			Lab: lab, Status: 404, Code: "not_found", What: "There is no record 3f9c here.", Why: "No record has this id.",
			Next: []frontend.Link{{Path: "/runner", Word: "Open the runner lab"}, {Path: "/runs", Word: "Look in the history"}},
		}),
		"sign-in": frontend.SignInPage(),
	}
	maps.Copy(all, runtimesPages())
	maps.Copy(all, sessionPages())
	for name, r := range answers(t) {
		all["report-"+name] = frontend.Report(frontend.ReportOf(lab, r))
	}
	all["record"] = frontend.RecordPage(frontend.RecordOf(lab, answers(t)["run-success"]))
	return all
}

var (
	hashPart = regexp.MustCompile(`(/static/[a-z_]+)\.[0-9a-f]{10}\.`)
	sprite   = regexp.MustCompile(`(?s)<svg class="sprite".*?</svg>`)
)

// golden is a page without what changes for other reasons than its own: hashes of assets and the shared sprite.
func golden(html string) string {
	html = hashPart.ReplaceAllString(html, "$1.HASH.")
	html = sprite.ReplaceAllString(html, "<!-- sprite -->")
	return strings.ReplaceAll(html, "><", ">\n<") + "\n"
}

func renderPage(t *testing.T, c templ.Component) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// code-style 5, templ: one golden file per component and state.
func TestGoldenPages(t *testing.T) {
	t.Parallel()
	for name, component := range pages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := golden(renderPage(t, component))
			file := filepath.Join("testdata", "golden", name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("page %s: got other HTML than %s; if the change is meant, run the test with -update and look at the difference%s", name, file, firstDifference(got, string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "\ngot  " + g[i] + "\nwant " + w[i]
		}
	}
	return "\none is longer than the other"
}
