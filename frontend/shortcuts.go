package frontend

import (
	"encoding/json"
	"strings"
)

// Shortcut is one row of the only shortcut table. The page's handlers, the sheet and the test that finds clashes read
// it. Keys are written "Mod+K": Mod is Ctrl, and Cmd on a Mac.
type Shortcut struct {
	ID    string   `json:"id"`
	Keys  []string `json:"keys"`
	Scope string   `json:"scope"` // where it works, one of the Scope constants
	Text  string   `json:"text"`
	// Editor marks keys that the text editor itself handles; the page leaves them alone.
	Editor bool `json:"editor,omitempty"`
}

// Scopes of shortcuts. Keys without a modifier work only in ScopeList and, for one of them, outside text.
const (
	ScopeAnywhere = "anywhere"
	ScopeNoText   = "outside text"
	ScopeLab      = "runner lab"
	ScopeSessions = "sessions"
	ScopeEditor   = "editor"
	ScopeList     = "list"
)

// Shortcuts is the table.
func Shortcuts() []Shortcut {
	return []Shortcut{
		{ID: "sheet", Keys: []string{"?"}, Scope: ScopeNoText, Text: "Show this sheet"},
		{ID: "palette", Keys: []string{"Mod+K"}, Scope: ScopeAnywhere, Text: "Go to a screen, sample or record, or follow a pasted link"},
		{ID: "export", Keys: []string{"Mod+E"}, Scope: ScopeAnywhere, Text: "Export the newest answer on the page as JSON"},
		{ID: "check", Keys: []string{"Mod+Enter"}, Scope: ScopeLab, Text: "Check compatibility; never runs anything"},
		{ID: "validate", Keys: []string{"Mod+Shift+Enter"}, Scope: ScopeLab, Text: "Validate exact work; never runs anything"},
		{ID: "next-error", Keys: []string{"F8"}, Scope: ScopeLab, Text: "Go to the next error of the request"},
		{ID: "previous-error", Keys: []string{"Shift+F8"}, Scope: ScopeLab, Text: "Go to the previous error of the request"},
		{ID: "send", Keys: []string{"Mod+Enter"}, Scope: ScopeSessions, Text: "Send the message or the answer that is being written"},
		{ID: "indent", Keys: []string{"Tab", "Shift+Tab"}, Scope: ScopeEditor, Text: "Indent more, indent less", Editor: true},
		{ID: "leave", Keys: []string{"Escape Tab"}, Scope: ScopeEditor, Text: "Leave the editor", Editor: true},
		{ID: "complete", Keys: []string{"Ctrl+Space"}, Scope: ScopeEditor, Text: "Complete a key or a value; in a captured text the name of a field", Editor: true},
		{ID: "find", Keys: []string{"Mod+F"}, Scope: ScopeEditor, Text: "Find in the text", Editor: true},
		{ID: "undo", Keys: []string{"Mod+Z"}, Scope: ScopeEditor, Text: "Undo the last edit", Editor: true},
		{ID: "next", Keys: []string{"j", "ArrowDown"}, Scope: ScopeList, Text: "Next row"},
		{ID: "previous", Keys: []string{"k", "ArrowUp"}, Scope: ScopeList, Text: "Previous row"},
		{ID: "first", Keys: []string{"Home"}, Scope: ScopeList, Text: "First row of the page"},
		{ID: "last", Keys: []string{"End"}, Scope: ScopeList, Text: "Last row of the page"},
		{ID: "open", Keys: []string{"Enter"}, Scope: ScopeList, Text: "Open the row", Editor: true},
	}
}

func shortcutsJSON() string { return compactJSON(Shortcuts()) }

// keyCaps splits "Mod+Enter" into the caps that a person presses.
func keyCaps(keys string) []string {
	caps := strings.FieldsFunc(keys, func(r rune) bool { return r == '+' || r == ' ' })
	for i, c := range caps {
		switch c {
		case "Mod":
			caps[i] = "Ctrl"
		case "Enter":
			caps[i] = "⏎"
		case "Escape":
			caps[i] = "Esc"
		case "ArrowDown":
			caps[i] = "↓"
		case "ArrowUp":
			caps[i] = "↑"
		}
	}
	return caps
}

// compactJSON serialises a table of our own for a data attribute; such a table always encodes.
func compactJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(data)
}
