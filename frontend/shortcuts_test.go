package frontend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/frontend"
)

// overlap says which scopes a key can mean at the same time.
func overlap(a, b string) bool {
	if a == b || a == frontend.ScopeAnywhere || b == frontend.ScopeAnywhere {
		return true
	}
	if a == frontend.ScopeLab && b == frontend.ScopeSessions || a == frontend.ScopeSessions && b == frontend.ScopeLab {
		return false // other screens
	}
	text := func(s string) bool { return s == frontend.ScopeEditor }
	plain := func(s string) bool { return s == frontend.ScopeNoText || s == frontend.ScopeList }
	return !(text(a) && plain(b) || plain(a) && text(b))
}

// ux-anchors K9: no key means two things in one place.
func TestShortcutsDoNotClash(t *testing.T) {
	t.Parallel()
	all := frontend.Shortcuts()
	for i, a := range all {
		for _, b := range all[i+1:] {
			for _, key := range a.Keys {
				for _, other := range b.Keys {
					if key == other && overlap(a.Scope, b.Scope) {
						t.Errorf("key %s: got %s and %s, want one meaning", key, a.ID, b.ID)
					}
				}
			}
			if a.ID == b.ID {
				t.Errorf("id %s: got it twice", a.ID)
			}
		}
	}
}

// ux-anchors K2, K4: a key without Ctrl, Cmd or Alt works in lists only, apart from ?, F8 and what an editor needs; no
// key runs anything.
func TestSingleKeysAreHarmless(t *testing.T) {
	t.Parallel()
	for _, s := range frontend.Shortcuts() {
		if strings.Contains(s.ID, "run") || strings.Contains(strings.ToLower(s.Text), "run ") && !strings.Contains(s.Text, "never") {
			t.Errorf("shortcut %s: got a key that runs, want none", s.ID)
		}
		for _, key := range s.Keys {
			single := regexp.MustCompile(`^.$`).MatchString(key)
			if single && s.Scope != frontend.ScopeList && s.Scope != frontend.ScopeNoText {
				t.Errorf("key %s works %s: want only lists and outside text", key, s.Scope)
			}
		}
	}
}

// Every shortcut that the page handles has a handler, and no handler is for a shortcut that is not in the table.
func TestHandlersAndTableAgree(t *testing.T) {
	t.Parallel()
	handled := map[string]bool{}
	files, _ := filepath.Glob("script/*.js")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`onShortcut\("([a-z-]+)"`).FindAllStringSubmatch(string(data), -1) {
			handled[m[1]] = true
		}
	}
	for _, s := range frontend.Shortcuts() {
		if !s.Editor && !handled[s.ID] {
			t.Errorf("shortcut %s: got no handler in script/, want one", s.ID)
		}
		delete(handled, s.ID)
	}
	if len(handled) > 0 {
		t.Errorf("handlers without a row in the table: got %s, want none", fmt.Sprint(handled))
	}
}
