package captured

import (
	"io"
	"strings"
	"unicode/utf8"

	"parley/runner"
)

// maxProblem bounds the library's own words, in code points.
const maxProblem = 120

// syntaxFault places a refusal of the library. Its error knows a line at most, and often the line where the unfinished
// construct begins; where the reading stopped is known exactly.
func syntaxFault(text string, err error) runner.Finding {
	line, column, indent := stop(text)
	f := runner.Finding{
		Code: runner.CodeCapturedYAMLInvalid, Line: line, Column: column,
		Expected: "well-formed YAML", Found: "a syntax error (" + problem(err) + ")",
		Hint: "reading stopped here; the fault is here or shortly before",
	}
	if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
		f.Column = tab + 1
		f.Hint = "a tab indents this line; indent with spaces"
	}
	return f
}

// encodingFault places the first byte that is no UTF-8.
func encodingFault(text string) runner.Finding {
	n := 0
	for n < len(text) {
		r, width := utf8.DecodeRuneInString(text[n:])
		if r == utf8.RuneError && width == 1 {
			break
		}
		n += width
	}
	line, current := lastLine(text[:n])
	return runner.Finding{Code: runner.CodeCapturedYAMLInvalid, Line: line, Column: 1 + utf8.RuneCountInString(current),
		Expected: "UTF-8 text", Found: "other bytes"}
}

// problem is the library's description without its prefixes. The name of an unknown anchor is the author's content and
// is left out.
func problem(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(s, "line "); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			s = after
		}
	}
	if strings.HasPrefix(s, "unknown anchor") {
		return "an alias without an anchor; aliases are not admitted at all"
	}
	return cut(s, maxProblem)
}

// stop reads the text again byte by byte to see how far the library got before it refused. It gives the place of the
// last visible character read, 1-based, and the blanks that open its line.
func stop(text string) (line, column int, indent string) {
	r := &bytewise{text: text}
	_, _, _ = parse(r) // the same refusal as before; only the place is of interest
	n := min(r.next, len(text))
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	if line, current := lastLine(text[:n]); strings.Contains(current, "\t") && strings.Trim(current, " \t") == "" {
		return line, utf8.RuneCountInString(current), current // it stopped in the blanks that open a line
	}
	line, current := lastLine(strings.TrimRight(text[:n], " \t\r\n"))
	indent = current[:len(current)-len(strings.TrimLeft(current, " \t"))]
	return line, max(1, utf8.RuneCountInString(current)), indent
}

// lastLine gives the 1-based number of a text's last line, and the line itself.
func lastLine(text string) (line int, current string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return 1 + strings.Count(text, "\n"), text[strings.LastIndexByte(text, '\n')+1:]
}

// bytewise gives one byte a call, so that next says how far the reader got.
type bytewise struct {
	text string
	next int
}

func (b *bytewise) Read(p []byte) (int, error) {
	if b.next >= len(b.text) {
		return 0, io.EOF
	}
	n := copy(p, b.text[b.next:b.next+1])
	b.next += n
	return n, nil
}
