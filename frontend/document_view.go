package frontend

import (
	"iter"
	"strconv"
)

// documentView is a stored document as a page shows it: expanded line by line, or the beginning of its raw text with
// the reason.
type documentView struct {
	Name  string
	File  string // address of the stored bytes
	Size  int    // bytes
	Lines iter.Seq[jsonLine]
	Head  string // shown when Lines is nil
	Why   string // "" when the whole is shown
}

func documentOf(name, file string, data []byte) documentView {
	v := documentView{Name: name, File: file, Size: len(data)}
	why, shown := "", "Some lines are too long to show whole;"
	switch {
	case deeperThan(data, shownDepth):
		why = "Too deep to expand: more than " + strconv.Itoa(shownDepth) + " levels. "
	case len(data) > shownBytes:
		why = "Too large to show whole. "
	default:
		v.Lines = jsonLines(data)
		parts, left := measure(v.Lines)
		if left == 0 && parts <= shownParts {
			return v
		}
		if parts > shownParts {
			why = "Too many parts to expand. "
		}
	}
	if why != "" {
		v.Lines = nil
		v.Head, shown = rawHead(data)
	}
	v.Why = why + shown + " " + v.ways() + " all " + exactSize(len(data)) + "."
	return v
}

// measure counts lines and tokens, up to one more than is shown, and the bytes that are left out of long lines.
func measure(lines iter.Seq[jsonLine]) (parts, left int) {
	for line := range lines {
		parts += 1 + len(line.Tokens)
		left += line.Left
		if parts > shownParts {
			break
		}
	}
	return parts, left
}

func rawHead(data []byte) (head, shown string) {
	if len(data) <= headBytes {
		return validText(data), "The raw text is shown;"
	}
	e := excerptOf(string(data[:headBytes+1]), headBytes)
	return validText([]byte(e.Head)), "The first " + size(len(e.Head)) + " of the raw text are shown;"
}

// saved says that the text is too large for the clipboard.
func (v documentView) saved() bool { return v.Size > copiedBytes }

func (v documentView) ways() string {
	if v.saved() {
		return "the file has"
	}
	return "copy and export give"
}

func (v documentView) exportWord() string {
	if v.saved() {
		return "Save " + lower(v.Name) + " to file"
	}
	return "Export " + lower(v.Name)
}

func (v documentView) copyWord() string {
	if v.Why != "" {
		return "Copy whole " + lower(v.Name)
	}
	return "Copy " + lower(v.Name)
}

// deeperThan tells whether brackets outside of strings nest deeper than most levels, whether they are closed or not.
func deeperThan(data []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth = max(depth-1, 0)
		}
	}
	return false
}
