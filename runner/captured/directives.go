package captured

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/runner"
)

// maxTagDirectives bounds the %TAG directives in a row (our choice, runner 4.1): the library compares each with all
// before it, and the tags that they could name are refused anyway.
const maxTagDirectives = 64

// breaks are what the library takes for the end of a line.
const breaks = "\r\n\u0085\u2028\u2029"

// checkDirectives finds more %TAG lines in a row than the library is given; it runs before the library does. Blank
// lines and comments do not end a row, everything else does: directives only stand before a document.
func checkDirectives(text string, found *faults) {
	row := 0
	for at := 0; at < len(text); {
		line, width := text[at:], 0
		if end := strings.IndexAny(line, breaks); end >= 0 {
			_, width = utf8.DecodeRuneInString(line[end:])
			line = line[:end]
		}
		switch content := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "%TAG"):
			row++
		case content != "" && content[0] != '#' && line[0] != '%':
			row = 0
		}
		if row > maxTagDirectives {
			number, _ := lastLine(text[:at])
			found.add(runner.Finding{Code: runner.CodeCapturedYAMLInvalid, Line: number, Column: 1,
				Expected: fmt.Sprintf("at most %d %%TAG directives", maxTagDirectives), Found: "one more",
				Hint: "remove them, since tags of one's own are not admitted"})
			return
		}
		at += len(line) + width
	}
}
