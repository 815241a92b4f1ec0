package captured_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
)

// hostile-inputs Y-1: expansion and disguise. Each is refused, or admitted, before anything is expanded; the message
// names line and column, not the content. What is allocated stays near the text's own size. Not parallel: the
// allocation counter is the process's.
func TestExpansionAndDisguise(t *testing.T) {
	task := baseTask()
	tests := []struct {
		name, text string
		found      string // of the first finding, "" when admitted
	}{
		{"nine levels of aliases", laughs(9), "an anchor"},
		{"an unused anchor", task.String() + "tags: &unused [a]\n", "an anchor"},
		{"a merge key", "tags: {<<: {a: b}}\n" + task.String(), "a merge key"},
		{"a recursive alias", "tags: &again [*again]\n" + task.String(), "an anchor"},
		{"100,000 open lists", "tags: " + strings.Repeat("[", 100_000), "a syntax error (exceeded max depth of 10000)"},
		{"100,000 open mappings", "tags: " + strings.Repeat("{a: ", 100_000), "a syntax error (exceeded max depth of 10000)"},
		{"100,000 nested dashes", "tags:\n" + strings.Repeat("- ", 100_000), "a syntax error (exceeded max depth of 10000)"},
		{"a block scalar of 4 MiB", task.String() + "description: |\n" + strings.Repeat("  "+strings.Repeat("x", 61)+"\n", 4<<20>>6), ""},
		{"a line of 4 MiB", task.set("description", strings.Repeat("x", 4<<20)).String(), ""},
		{"a number of 4 MiB", task.set("description", "1."+strings.Repeat("1", 4<<20)).String(), "the floating-point number 1." + strings.Repeat("1", 30) + "…"},
		{"an anchor's name of 4 MiB", "tags: &" + strings.Repeat("x", 4<<20) + " []\n", "an anchor"},
		{"an unknown anchor of 1 MiB", "tags: *" + strings.Repeat("x", 1<<20) + " \n", "a syntax error (an alias without an anchor; aliases are not admitted at all)"},
		{"a tab-indented twin", strings.ReplaceAll(task.String(), "  ", "\t"), "a syntax error (found character that cannot start any token)"},
		{"a second document behind a comment", task.String() + "# nothing to see\n---\n" + laughs(9), "a second one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := request(baseEval(mock()).String(), tt.text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			unit, found := captured.Admit(req, mock())
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 64 {
				t.Errorf("got %d MiB allocated, want at most 64", got)
			}
			if tt.found == "" {
				if unit == nil {
					t.Fatalf("got findings %v, want a unit", messages(found))
				}
				return
			}
			if unit != nil || len(found) == 0 || found[0].Found != tt.found {
				t.Fatalf("got %v, want found %q", messages(found), tt.found)
			}
			for _, f := range found {
				if f.Document != runner.InTask || f.Line < 1 || f.Column < 1 || len(f.Message()) > 300 {
					t.Errorf("got %.400s, want a short message with line and column in the task", f.Message())
				}
			}
		})
	}
}

// laughs nests lists of ten aliases, level upon level.
func laughs(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 lol\n")
	for level := range levels {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", level+1, level+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", level), 10), ", "))
	}
	return b.String()
}

// hostile-inputs J-3 in YAML: many small things allocate in proportion to the text, so doubling a text doubles the
// work. Not parallel, as above.
func TestManySmallThingsStayLinear(t *testing.T) {
	shapes := map[string]func(n int) string{
		"items":         func(n int) string { return "tags: [" + strings.Repeat("a,", n) + "]\n" },
		"unknown keys":  func(n int) string { return numbered("k%d: 1\n", n) },
		"repeated keys": func(n int) string { return strings.Repeat("k: 1\n", n) },
		"graders":       func(n int) string { return "graders:\n" + strings.Repeat("- {type: text}\n", n) },
		"comments":      func(n int) string { return "tags:\n" + strings.Repeat("# x\n- a # y\n", n) },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			small, large := allocated(shape(2_500)), allocated(shape(10_000))
			if large > 8*small {
				t.Errorf("got %d bytes for four times the text, %d for the text, want about four times", large, small)
			}
		})
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func allocated(text string) uint64 {
	req := request(baseEval(mock()).String(), text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	captured.Admit(req, mock())
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
