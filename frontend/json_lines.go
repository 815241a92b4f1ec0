package frontend

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	// shownBytes bounds a document on a page: above it a page becomes slow to read and to lay out. Copy and export give
	// the whole.
	shownBytes = 256_000
	// maxShownDepth is the deepest indentation that the style sheet knows.
	maxShownDepth = 8
)

// jsonLine is one line of a document as it is shown.
type jsonLine struct {
	Depth  int
	Tokens []jsonToken
}

// jsonToken is a piece of a line. Class is k key, s string, n number, l literal, p punctuation, e escape, or "".
type jsonToken struct {
	Class string
	Text  string
}

// jsonLines breaks a document into lines: as it is when it has lines, re-indented when it is one line of JSON. That
// changes white space alone.
func jsonLines(data []byte) []jsonLine {
	data = bytes.TrimRight(data, "\r\n")
	var indented bytes.Buffer
	if !bytes.Contains(data, []byte("\n")) && json.Indent(&indented, data, "", "  ") == nil {
		data = indented.Bytes()
	}
	if len(data) > shownBytes {
		data = data[:shownBytes]
	}
	text := strings.ToValidUTF8(string(data), string(utf8.RuneError))
	var lines []jsonLine
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		lines = append(lines, jsonLine{Depth: (len(line) - len(trimmed)) / 2, Tokens: jsonTokens(trimmed)})
	}
	return lines
}

func jsonTokens(line string) []jsonToken {
	var list []jsonToken
	for len(line) > 0 {
		n := tokenLength(line)
		list = append(list, tokensOf(line[:n], strings.HasPrefix(line[n:], ":"))...)
		line = line[n:]
	}
	return list
}

func tokenLength(s string) int {
	if s[0] == '"' {
		return stringLength(s)
	}
	if isPunctuation(s[0]) {
		n := strings.IndexFunc(s, func(r rune) bool { return r > utf8.RuneSelf || !isPunctuation(byte(r)) })
		return lengthOr(n, len(s))
	}
	return lengthOr(strings.IndexAny(s, "{}[],: \""), len(s))
}

func lengthOr(n, all int) int {
	if n <= 0 {
		return all
	}
	return n
}

func isPunctuation(b byte) bool { return strings.IndexByte("{}[],: ", b) >= 0 }

// stringLength is the length of the string literal that s begins with, or all of s when it does not end.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func tokensOf(text string, key bool) []jsonToken {
	switch c := text[0]; {
	case c == '"' && key:
		return []jsonToken{{"k", text}}
	case c == '"':
		return escapes(text)
	case isPunctuation(c):
		return []jsonToken{{"p", text}}
	case c == '-' || c >= '0' && c <= '9':
		return []jsonToken{{"n", text}}
	case text == "true" || text == "false" || text == "null":
		return []jsonToken{{"l", text}}
	}
	return []jsonToken{{"", text}}
}

// escapes sets line breaks written as \n apart, so that a captured text can be read inside its string.
func escapes(text string) []jsonToken {
	var list []jsonToken
	for {
		before, after, found := strings.Cut(text, `\n`)
		if before != "" {
			list = append(list, jsonToken{"s", before})
		}
		if !found {
			return list
		}
		list = append(list, jsonToken{"e", `\n`})
		text = after
	}
}

func lower(s string) string { return strings.ToLower(s) }
