package proto

import (
	"strings"
	"unicode/utf8"
)

// workspaceRoot is the logical root of an Environment (wire 3.8.3).
const workspaceRoot = "/workspace"

// LogicalPath reports whether text is a cleaned path below /workspace (wire 3.8.3).
func LogicalPath(text string) bool {
	below, ok := strings.CutPrefix(text, workspaceRoot+"/")
	return ok && len(text) <= MaxPath && cleaned(below, "/") && plain(text)
}

// RelativePath reports whether text is a path relative to the workspace that names something in it (wire 3.10.2).
func RelativePath(text string) bool {
	return len(text) <= MaxPath && cleaned(text, "/") && plain(text)
}

// absoluteDirectory reports whether text is an absolute cleaned path of a Unix or a Windows machine (wire 3.8.3).
func absoluteDirectory(text string) bool {
	if len(text) > MaxPath || !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return false
	}
	if below, ok := strings.CutPrefix(text, "/"); ok {
		return below == "" || cleaned(below, "/")
	}
	if below, ok := strings.CutPrefix(text, `\\`); ok {
		return strings.Contains(below, `\`) && cleaned(below, `\`) && !strings.Contains(below, "/")
	}
	if len(text) < 3 || !letter(text[0]) || text[1:3] != `:\` {
		return false
	}
	below := text[3:]
	return below == "" || cleaned(below, `\`) && !strings.Contains(below, "/")
}

// cleaned reports that no segment is empty, the folder itself or the one above.
func cleaned(text, separator string) bool {
	for segment := range strings.SplitSeq(text, separator) {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// plain reports text without the bytes that no path of the wire has.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsAny(text, "\\\x00\r\n")
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
