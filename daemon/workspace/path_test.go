package workspace_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/daemon/workspace"
)

func long(n int) string { return strings.Repeat("a/", n/2-1) + strings.Repeat("b", 2+n%2) }

// wire 3.10.2
func TestRelativePathGrammar(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		path string
		ok   bool
	}{
		{"a", true}, {"a/b.txt", true}, {"...", true}, {".git/config", true}, {"ä/日本", true}, {"a b", true}, {"-rf", true},
		{"a:b", true}, {long(4096), true}, {long(4097), false},
		{"", false}, {".", false}, {"..", false}, {"/", false}, {"/etc/passwd", false}, {"a/", false}, {"a//b", false},
		{"./a", false}, {"a/.", false}, {"a/./b", false}, {"../a", false}, {"a/../b", false}, {"a/..", false},
		{`a\b`, false}, {`..\a`, false}, {"a\x00", false}, {"a\rb", false}, {"a\nb", false}, {"a\xff", false}, {"\xc0\xae", false},
	} {
		err := workspace.CheckRelative(row.path)
		if got := err == nil; got != row.ok {
			t.Errorf("CheckRelative(%.40q): got %v, want accepted %v", row.path, err, row.ok)
		}
		if err != nil && !errors.Is(err, workspace.ErrPath) {
			t.Errorf("CheckRelative(%.40q): got %v, want ErrPath", row.path, err)
		}
	}
}

// wire 3.8.3
func TestLogicalPathGrammar(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ path, file, folder string }{ // "!" is refused
		{"/workspace/a", "a", "a"},
		{"/workspace/a/b c", "a/b c", "a/b c"},
		{"/workspace/workspace", "workspace", "workspace"},
		{"/workspace", "!", ""},
		{"/workspace/", "!", "!"},
		{"/workspace//a", "!", "!"},
		{"/workspace/a/", "!", "!"},
		{"/workspace/.", "!", "!"},
		{"/workspace/../etc", "!", "!"},
		{"/workspace/a/../b", "!", "!"},
		{"/workspaces/a", "!", "!"},
		{"/Workspace/a", "!", "!"},
		{"workspace/a", "!", "!"},
		{"a", "!", "!"},
		{"", "!", "!"},
		{"//workspace/a", "!", "!"},
		{`/workspace/a\b`, "!", "!"},
		{"/workspace/a\n", "!", "!"},
		{"/workspace/\xff", "!", "!"},
		{"/workspace/" + long(4096-11), long(4096 - 11), long(4096 - 11)},
		{"/workspace/" + long(4096-10), "!", "!"},
	} {
		check := func(name, want string, parse func(string) (string, error)) {
			got, err := parse(row.path)
			if err != nil && errors.Is(err, workspace.ErrPath) {
				got = "!"
			}
			if got != want {
				t.Errorf("%s(%.40q): got %.40q, %v, want %.40q", name, row.path, got, err, want)
			}
		}
		check("Logical", row.file, workspace.Logical)
		check("LogicalFolder", row.folder, workspace.LogicalFolder)
	}
}

// acceptable is the grammar of wire 3.10.2 once more, rune by rune.
func acceptable(path string) bool {
	element, size := "", 0
	accept := func() bool { return element != "" && element != "." && element != ".." }
	for i, r := range path {
		if r == utf8.RuneError && !strings.HasPrefix(path[i:], "\uFFFD") {
			return false
		}
		size = i + utf8.RuneLen(r)
		switch r {
		case '\\', 0, '\r', '\n':
			return false
		case '/':
			if !accept() {
				return false
			}
			element = ""
		default:
			element += string(r)
		}
	}
	return accept() && size <= 4096
}

func FuzzPathGrammar(f *testing.F) {
	for _, seed := range []string{"", "a", "a/b", "/workspace/a", "/workspace", "a//b", "..", "a/../b", "a\\b", "\xff", "\uFFFD", "a/", "./a", long(4096), long(4097)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if got, want := workspace.CheckRelative(path) == nil, acceptable(path); got != want {
			t.Fatalf("CheckRelative(%q): got %v, want %v", path, got, want)
		}
		relative, err := workspace.Logical(path)
		rest, below := strings.CutPrefix(path, "/workspace/")
		if want := below && acceptable(rest) && len(path) <= 4096; (err == nil) != want || err == nil && relative != rest {
			t.Fatalf("Logical(%q): got %q, %v, want accepted %v", path, relative, err, want)
		}
	})
}
