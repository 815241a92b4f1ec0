package captured_test

import (
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/captured"
	"parley/runner/identity"
)

// runner 4: admitting never panics, answers the same twice, says expected and found of every fault, refuses every
// anchor and alias, and whatever it admits has an identity.
func FuzzAdmit(f *testing.F) {
	f.Add(baseEval(mock()).String(), baseTask().String())
	f.Add(baseEval(copilot()).String(), baseTask().set("graders", "[{type: text, name: g, config: {regex_match: ['(a']}}]").String())
	f.Add("not: [valid", "a: &x [*x]\n")
	f.Add("---\n...\n---", "? {a: !!int b}\n: !x\n")
	f.Add(baseEval(mock()).set("metrics", "[{name: fit, weight: 5e-1, threshold: .25}]").String(), "\tid: 1\r\n# c\n")
	f.Fuzz(func(t *testing.T, eval, task string) {
		for _, p := range runner.Profiles() {
			unit, found := captured.Admit(request(eval, task), p)
			_, again := captured.Admit(request(eval, task), p)
			if !reflect.DeepEqual(found, again) {
				t.Fatalf("got %v, then %v", messages(found), messages(again))
			}
			if (unit != nil) == (len(found) > 0) {
				t.Fatalf("got unit %v with findings %v", unit != nil, messages(found))
			}
			for _, one := range found {
				checkFinding(t, one, eval, task)
			}
			if unit == nil {
				continue
			}
			if decorated(unit.Eval) || decorated(unit.Task) {
				t.Fatal("got a unit with an anchor or alias, want it refused")
			}
			if _, err := identity.Of(request(eval, task), unit.Eval, unit.Task); err != nil {
				t.Fatalf("got %v for an admitted unit, want an identity", err)
			}
			unit.Checks.Grade(unit.Prompt)
		}
	})
}

func checkFinding(t *testing.T, f runner.Finding, eval, task string) {
	if f.Code == "" || f.Expected == "" || f.Found == "" {
		t.Fatalf("got %+v, want code, expected and found", f)
	}
	text := map[string]string{runner.InEval: eval, runner.InTask: task}[f.Document]
	if f.Document == runner.InRequest {
		return
	}
	// The library also ends lines at U+0085, U+2028 and U+2029.
	lines := 1 + strings.Count(strings.NewReplacer("\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n")
	if f.Line < 1 || f.Column < 1 || f.Line > lines+1 {
		t.Fatalf("got %s, want a place in %d lines of %q", f.Message(), lines, text)
	}
}

func decorated(n *yaml.Node) bool {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return true
	}
	for _, child := range n.Content {
		if decorated(child) {
			return true
		}
	}
	return false
}
