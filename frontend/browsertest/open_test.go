package browsertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// An exported record is recognised, and the request in it opens byte for byte.
func TestExportedRecordOpensItsRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, edit string }{
		{"json", `"trial": 2.0`},
		{"text", `"trial": ✓`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := openPage(t, startLab(t), "/runner/unit")
			p.inspected()
			p.replace("request", `"trial": 3`, c.edit)
			p.inspected()
			want := p.editor("request")
			p.click("#act-negotiate")
			p.waitResult("negotiate", "0 engine calls")
			record := ask[string](p, `document.querySelector("[data-slot=negotiate]").dataset.record`)
			export := ask[string](p, fmt.Sprintf(`fetch("/api/v1/lab/records/%s/export").then((r) => r.text())`, record))
			p.goTo(p.lab.url + "/runner")
			p.ready()
			p.replace("request", "", export)
			p.waitText("#export-notice", "This is an exported record")
			p.click("#open-recorded")
			p.waitText("#status-shown", "The recorded request is open")
			if got := p.editor("request"); got != want {
				t.Errorf("request of the export: got\n%q\nwant\n%q", got, want)
			}
			p.waitFor(`document.getElementById("export-notice").hidden`)
		})
	}
}

// A file is opened by a button too, as the drop of one does it.
func TestOpenFile(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner")
	file := filepath.Join(t.TempDir(), "unit.json")
	if err := os.WriteFile(file, []byte("{\r\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.text("#empty-request"); !strings.Contains(got, "Open file") {
		t.Errorf("empty editor: got %q, want a way to open a file", got)
	}
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	p.waitText("#status", "Loaded unit.json")
	if got, want := p.editor("request"), "{\r\n}"; got != want {
		t.Errorf("opened file: got %q, want %q", got, want)
	}
}
