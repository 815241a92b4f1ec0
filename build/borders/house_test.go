package borders_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/build/borders"
)

// root is the tree's root, seen from this folder.
const root = "../.."

// TestHouse holds the tree to every habit.
func TestHouse(t *testing.T) {
	t.Parallel()
	tree, err := borders.Load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range borders.Rules() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			findings := rule.Check(tree)
			if len(findings) > 0 {
				t.Errorf("%s\n  %s", rule.Habit, strings.Join(findings, "\n  "))
			}
		})
	}
}

// TestHeadlessProgramKnowsNoWindow: everything but app/desktop is built without desktop libraries.
func TestHeadlessProgramKnowsNoWindow(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-deps", "./app/parley")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list what app/parley needs: %v", err)
	}
	for path := range strings.Lines(string(out)) {
		if strings.Contains(path, "wails") {
			t.Errorf("app/parley needs %q, want no Wails package", strings.TrimSpace(path))
		}
	}
}
