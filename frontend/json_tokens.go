package frontend

import (
	"strings"
	"unicode/utf8"
)

// jsonToken is a piece of a line. Class is k key, s string, n number, l literal, p punctuation, e escape, muted what stands for
// bytes that are not shown, or "".
type jsonToken struct {
	Class string
	Text  string
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
	return lengthOr(strings.IndexAny(s, "{}[],: \t\r\""), len(s))
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
