package captured_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/captured"
)

// hostile-inputs Y-1: what the library would compare with everything before it is bounded before it reads.
func TestTagDirectivesAreBounded(t *testing.T) {
	t.Parallel()
	task := baseTask().String()
	some, many := numbered("%%TAG !a%d! tag:a,2000:\n", 64), numbered("%%TAG !a%d! tag:a,2000:\n", 20_000)
	tests := []struct {
		name, text string
		line       int // of the finding, 0 when admitted
	}{
		{"64", some + "---\n" + task, 0},
		{"20,000", many + "---\n" + task, 65},
		{"old line ends", strings.ReplaceAll(many, "\n", "\r") + "---\n" + task, 65},
		{"both line ends", strings.ReplaceAll(many, "\n", "\r\n") + "---\n" + task, 65},
		{"lines of other scripts", strings.ReplaceAll(many, "\n", "\u2028") + "---\n" + task, 1},
		{"behind comments and blank lines", strings.ReplaceAll(many, "\n", "\n # c\n \n") + "---\n" + task, 1 + 3*64},
		{"before a second document", task + "...\n" + many + "---\n" + task, 65 + 1 + strings.Count(task, "\n")},
		{"in a text", task + "description: |\n  a\n" + strings.ReplaceAll(many, "%", "  %"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			unit, found := captured.Admit(request(baseEval(mock()).String(), tt.text), mock())
			if tt.line == 0 {
				if unit == nil {
					t.Errorf("got findings %v, want a unit", messages(found))
				}
				return
			}
			if len(found) != 1 || found[0].Expected != "at most 64 %TAG directives" || found[0].Line != tt.line || found[0].Document != runner.InTask {
				t.Errorf("got %.500v, want one finding about the directives at line %d", messages(found), tt.line)
			}
		})
	}
}
