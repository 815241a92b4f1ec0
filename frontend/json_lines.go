package frontend

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// jsonLine is one line of a document as it is shown.
type jsonLine struct {
	Depth  int
	Tokens []jsonToken
	Left   int // bytes of the line that are not shown
}

// jsonLines breaks a document into lines: as it is when it has lines, re-indented when it is one line of JSON. That
// changes white space alone. Lines are made one at a time, so that a page holds none of them.
func jsonLines(data []byte) iter.Seq[jsonLine] {
	data = bytes.TrimRight(data, "\r\n")
	text, lay := validText(data), linesOf
	if !bytes.ContainsRune(data, '\n') && json.Valid(data) {
		lay = indented
	}
	return func(yield func(jsonLine) bool) {
		for depth, line := range lay(text) {
			shown := excerptOf(line, lineBytes)
			tokens := jsonTokens(shown.Head)
			if shown.Left > 0 {
				tokens = append(tokens, jsonToken{"muted", " … " + size(shown.Left) + " more"})
			}
			if !yield(jsonLine{Depth: depth, Tokens: tokens, Left: shown.Left}) {
				return
			}
		}
	}
}

// linesOf gives the lines that a text has, each with its depth.
func linesOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			trimmed := strings.TrimLeft(line, " ")
			if !yield((len(line)-len(trimmed))/2, trimmed) {
				return
			}
		}
	}
}

// indented breaks JSON that is known to be valid where a reader expects it: one member or element a line, an empty
// array or object on one. The indentation is a number; written out, it would grow with the square of the depth.
func indented(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		var line strings.Builder
		depth := 0
		ended := func() bool {
			whole := line.String()
			line.Reset()
			return yield(depth, whole)
		}
		for text = skipSpace(text); text != ""; text = skipSpace(text) {
			n, more := 1, true
			switch c := text[0]; c {
			case '{', '[':
				line.WriteByte(c)
				if rest := skipSpace(text[1:]); rest[0] == c+2 { // '}' and ']' stand two after their opening
					line.WriteByte(rest[0])
					n = len(text) - len(rest) + 1
					break
				}
				more = ended()
				depth++
			case '}', ']':
				more = ended()
				depth--
				line.WriteByte(c)
			case ',':
				line.WriteByte(c)
				more = ended()
			case ':':
				line.WriteString(": ")
			default:
				n = tokenLength(text)
				line.WriteString(text[:n])
			}
			if !more {
				return
			}
			text = text[n:]
		}
		ended()
	}
}

func skipSpace(s string) string { return strings.TrimLeft(s, " \t\r\n") }
