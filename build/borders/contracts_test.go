package borders_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/runner"
)

// section gives the text of one section of docs/contracts/runner.md, up to the next heading.
func section(t *testing.T, number string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/contracts/runner.md"))
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(number) + `\.? .*\n`).FindIndex(text)
	if start == nil {
		t.Fatalf("docs/contracts/runner.md has no section %s", number)
	}
	rest := string(text[start[1]:])
	if end := regexp.MustCompile(`(?m)^#+ \d`).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// runner 2.9: the document and the program name the same codes.
func TestCodesOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for line := range strings.Lines(section(t, "2.9")) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, match := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				written[match[1]] = true
			}
		}
	}
	for _, row := range runner.Codes() {
		if !written[string(row.Code)] {
			t.Errorf("section 2.9 lacks %q", row.Code)
		}
		delete(written, string(row.Code))
	}
	for code := range written {
		t.Errorf("section 2.9 has %q, which the program does not know", code)
	}
}

// runner 1.1 and 2.1: the advertisement in the document is the one that the program gives.
func TestAdvertisementOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	want := strings.TrimSpace(string(runner.Encode(runner.Advertise())))
	if got := section(t, "2.1"); !strings.Contains(got, "`"+want+"`") {
		t.Errorf("section 2.1 got %q, want it to show %s", got, want)
	}
}

// runner 2.8: outcome, exit and boundary of each row of the document are accepted by the program, and no others are.
func TestTerminalRowsOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	for line := range strings.Lines(section(t, "2.8")) {
		cells := strings.Split(line, "|")
		if len(cells) < 9 || strings.TrimSpace(cells[1]) == "outcome" || strings.HasPrefix(cells[1], "-") {
			continue
		}
		written[fmt.Sprintf("%s %s %s", strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3]))] = true
	}
	for _, outcome := range runner.Outcomes() {
		for _, boundary := range runner.Boundaries() {
			row := fmt.Sprintf("%s %d %s", outcome, outcome.ExitCode(), boundary)
			if got := knows(outcome, boundary); got != written[row] {
				t.Errorf("row %q: got %v in the program, want %v as in the document", row, got, written[row])
			}
		}
	}
}

// knows says that the program's table has the pair: it then complains about something else, or nothing.
func knows(outcome runner.Outcome, boundary runner.Boundary) bool {
	err := runner.CheckTerminal(runner.Terminal{Outcome: outcome, FailureBoundary: boundary})
	return err == nil || !strings.Contains(err.Error(), "is not in the table")
}
