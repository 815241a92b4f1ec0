package borders_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// wireSection gives the text of one section of docs/contracts/wire.md, up to the next heading.
func wireSection(t *testing.T, number string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/contracts/wire.md"))
	if err != nil {
		t.Fatal(err)
	}
	start := regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(number) + `\.? .*\n`).FindIndex(text)
	if start == nil {
		t.Fatalf("docs/contracts/wire.md has no section %s", number)
	}
	rest := string(text[start[1]:])
	if end := regexp.MustCompile(`(?m)^#+ \d`).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// words are the words in code style of a text, in its order.
func words(text string) []string {
	var all []string
	for _, match := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

// rows are the cells of the rows of a section's tables, without heads.
func rows(text string) [][]string {
	var all [][]string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, cells)
	}
	return all
}

// between is the text after one mark, up to another.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, found := strings.Cut(text, from)
	if !found {
		t.Fatalf("no %q in %q", from, text)
	}
	before, _, _ := strings.Cut(after, to)
	return before
}

// wrote collects the lists of codes that the document has, by section and by what the program calls them.
func wrote(t *testing.T) map[string][]string {
	t.Helper()
	lists := map[string][]string{
		"wire 5.3 error ": words(wireSection(t, "5.3")),
		"wire 5.4 interaction_decision_ack prompt_cancel":   words(between(t, wireSection(t, "5.4"), "", "Core's")),
		"wire 5.5 interaction_decision_ack function_result": words(wireSection(t, "5.5")),
		"wire 5.6 prompt_steer_ack ":                        words(wireSection(t, "5.6")),
		"wire 5.8 workspace_read_result rejected":           words(between(t, wireSection(t, "5.8"), "`rejected`:", "`unknown`")),
		"wire 5.8 workspace_read_result unknown":            words(between(t, wireSection(t, "5.8"), "`unknown`:", "\n\n")),
		"wire 5.9 workspace_write_result rejected":          words(between(t, wireSection(t, "5.9"), "`rejected`:", " (+")),
		"wire 5.9 workspace_write_result unknown":           words(between(t, wireSection(t, "5.9"), "`unknown`:", "\n\n")),
		"wire 5.10 workspace_export_result failed":          words(wireSection(t, "5.10")),
		"wire 5.10 workspace_export_result rejected":        words(wireSection(t, "5.10")),
		"wire 5.11 environment_quiesced ":                   words(wireSection(t, "5.11")),
		"wire 5.11 environment_resumed ":                    words(wireSection(t, "5.11")),
	}
	for _, row := range rows(wireSection(t, "5.7")) {
		where := words(row[0])
		if len(where) > 0 && len(row) == 2 {
			lists["wire 5.7 preparation_status "+where[len(where)-1]] = words(row[1])
		}
	}
	for _, row := range rows(wireSection(t, "3.8.4")) {
		if len(row) == 5 && len(words(row[4])) > 0 {
			lists["wire 5.12 runtime_prepare_result "+words(row[0])[0]] = words(row[4])
		}
	}
	return lists
}

// wire 5.3 to 5.12: the document and the program have the same codes, in the same order, at the same places.
func TestWireCodesOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	written := wrote(t)
	for _, row := range proto.CodeRows() {
		name := row.Section + " " + string(row.Type) + " " + row.When
		if !slices.Equal(written[name], row.Codes) {
			t.Errorf("%s: got %q in the program, want %q as in the document", name, row.Codes, written[name])
		}
		delete(written, name)
	}
	for name := range written {
		t.Errorf("the document has a list %q that the program does not know", name)
	}
}

// wire 2: types, their directions, their answers and their number.
func TestWireTypesOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	text := wireSection(t, "2")
	kinds := proto.Kinds()
	table := rows(text)[1:]
	if len(table) != len(kinds) || !strings.Contains(text, strconv.Itoa(len(kinds))+" types.") {
		t.Fatalf("got %d types, want the %d of the document", len(kinds), len(table))
	}
	for i, row := range table {
		to := proto.ToRuntime
		if row[1] == "Runtime → Core" {
			to = proto.ToCore
		}
		if name := words(row[0])[0]; name != string(kinds[i].Type) || to != kinds[i].To {
			t.Errorf("row %d: got %s %s, want %s %s", i, kinds[i].Type, kinds[i].To, name, to)
		}
		for _, answer := range kinds[i].Answered {
			if !slices.Contains(words(row[3]), string(answer)) {
				t.Errorf("%s: got answered by %s, want %s", kinds[i].Type, answer, row[3])
			}
		}
		if to == proto.ToRuntime && len(kinds[i].Answered) == 0 {
			t.Errorf("%s: got answered by nothing, want %s", kinds[i].Type, row[3])
		}
	}
}

// wire 4.2: the capabilities, in their order.
func TestCapabilitiesOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	var written, known []string
	for _, row := range rows(wireSection(t, "4.2"))[1:] {
		written = append(written, words(row[1])...)
	}
	for capability := range proto.CapabilityCount {
		known = append(known, capability.String())
	}
	if !slices.Equal(known, written) {
		t.Errorf("got %q, want %q", known, written)
	}
}

// wire 6.1
func TestWireVersionOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	if section := wireSection(t, "6.1"); !strings.Contains(section, "**`"+proto.Version+"`**") {
		t.Errorf("got version %s, want the one of %q", proto.Version, section)
	}
}

// wire 7: the examples of the document are the ones that the tests of the program use.
func TestWireExamplesOfDocumentAndProgram(t *testing.T) {
	t.Parallel()
	document := wireSection(t, "7.1") + wireSection(t, "7.2")
	shown := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllStringSubmatch(document, -1)
	count := 0
	for _, name := range []string{"wire-valid.jsonl", "wire-invalid.jsonl"} {
		data, err := os.ReadFile(filepath.Join(root, "daemon/proto/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			frame := regexp.MustCompile(`"frame": (".*")\}`).FindStringSubmatch(line)
			text, err := strconv.Unquote(frame[1])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if count >= len(shown) || shown[count][1] != text {
				t.Fatalf("%s: got %s, want the example of the document at the same place", name, text)
			}
			count++
		}
	}
	if count != len(shown) {
		t.Errorf("got %d examples, want the %d of the document", count, len(shown))
	}
}
