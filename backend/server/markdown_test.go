package server_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"parley/backend/server"
)

var writeDocs = flag.Bool("write-docs", false, "write docs/http.md instead of comparing it")

const httpDocument = "../../docs/http.md"

func TestRoutesDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	want := server.RoutesMarkdown()
	if *writeDocs {
		if err := os.WriteFile(httpDocument, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(httpDocument)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/http.md is not what the tables say; run go generate ./backend/server")
	}
	for _, r := range server.Routes() {
		if strings.Contains(r.About, "|") || r.About == "" {
			t.Errorf("%s %s: got about %q, want one that fits a table", r.Method, r.Path, r.About)
		}
	}
}

// H13: every code has one row with all its texts.
func TestCodesAreSaidOnceAndWhole(t *testing.T) {
	t.Parallel()
	seen := map[server.Code]bool{}
	for _, row := range server.Codes() {
		if seen[row.Code] || row.Status < 400 || row.What == "" || row.Why == "" || row.Next == "" {
			t.Errorf("row %+v: want one row a code, with status, what, why and next", row)
		}
		seen[row.Code] = true
	}
}
