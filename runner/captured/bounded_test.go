package captured_test

import (
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/captured"
)

// hostile-inputs J-3 and Y-1: a fault beyond the listed ones is counted and not put into words: what admission adds to
// the library's own tree is far less than a path or a message for each. Not parallel: the allocation counter is the
// process's.
func TestCountedFaultsAreNotWorded(t *testing.T) {
	const faults = 50_000
	long := strings.Repeat("a", 100_000)
	task := baseTask().String()
	tests := []struct {
		name, text string
		most       uint64 // bytes for each fault
	}{
		{"anchors below a long key", "? " + long + "\n: [" + strings.Repeat("&a ,", faults) + "]\n", 8},
		{"aliases below a long key", "? " + long + "\n: [&a ," + strings.Repeat("*a ,", faults) + "]\n", 8},
		{"foreign tags", "tags: [" + strings.Repeat("!x ,", faults) + "]\n", 8},
		{"keys that are no strings", "tags: {" + strings.Repeat("1: ,", faults) + "}\n", 80}, // the set of keys
		{"one level too deep", strings.Repeat("[", 63) + strings.Repeat("[[]],", faults) + strings.Repeat("]", 63), 8},
		{"repeated keys", strings.Repeat("k: 1\n", faults), 80},   // the set of keys
		{"unknown keys", task + numbered("k%d: 1\n", faults), 80}, // the set of keys
		{"items that are no texts", task + "tags: [" + strings.Repeat("1,", faults) + "]\n", 8},
		{"blank expectations", "id: a\ninputs: {prompt: a}\nexpected: {output_contains: [" + strings.Repeat("'',", faults) + "]}\n", 8},
		{"graders without fields", task + "graders:\n" + strings.Repeat("- {}\n", faults), 80}, // where each entry stands
		{"graders that are none", task + "graders:\n" + strings.Repeat("- a\n", faults), 80},   // the same
		{"metrics in a task", task + "metrics:\n" + strings.Repeat("- a\n", faults), 8},
		{"empty items of a grader", task + "graders: [{type: text, name: g, config: {contains: [" + strings.Repeat("'',", faults) + "]}}]\n", 40}, // the items
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			total := allocated(tt.text)
			tree := measured(func() { readTree(tt.text) })
			if tree > total {
				tree = total
			}
			const fixed = 1 << 20 // both documents' tables, the eval, the listed findings
			if got := (total - tree) / faults; total-tree > faults*tt.most+fixed {
				t.Errorf("got %d bytes for each fault, want at most %d", got, tt.most)
			}
		})
	}
}

func readTree(text string) {
	d := yaml.NewDecoder(strings.NewReader(text))
	for range 2 { // the reader looks for a second document
		var n yaml.Node
		if d.Decode(&n) != nil { // at the end of the text
			return
		}
	}
}

func measured(act func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	act()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// runner 3.3: every fault is listed or counted, and a name of any length is shown by its first characters.
func TestPathsAreShort(t *testing.T) {
	t.Parallel()
	const faults = 1_000
	long := strings.Repeat("a", 100_000)
	for name, want := range map[string]string{
		long:       strings.Repeat("a", 64) + "…[0]",
		"é" + long: `["é` + strings.Repeat("a", 63) + `…"][0]`,
		long + "é": strings.Repeat("a", 64) + "…[0]",
	} {
		_, found := captured.Admit(request(baseEval(mock()).String(), "? "+name+"\n: ["+strings.Repeat("&a ,", faults)+"]\n"), mock())
		if len(found) != runner.MaxFindings+1 || found[0].Path != want || found[runner.MaxFindings].Found != "936 more" {
			t.Errorf("got %d findings, the first at %s, want %d, the first at %s", len(found), found[0].Path, runner.MaxFindings+1, want)
		}
	}
}
