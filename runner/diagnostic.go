package runner

import (
	"strings"
	"unicode/utf8"
)

// Diagnostic is one sentence about a document: what, where, expected, found, what to do.
type Diagnostic struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Diagnose gives a diagnostic whose message fits the contract's bound: cut on a code point, nothing put in its place
// (runner 3.3). An empty message becomes the code's own meaning.
func Diagnose(code Code, message string) Diagnostic {
	if strings.TrimSpace(message) == "" {
		message = code.Means()
	}
	return Diagnostic{Code: code, Message: Cut(message)}
}

// Means is the condition in words, from the table of runner 2.9; for an unknown code the code itself.
func (c Code) Means() string {
	for _, row := range Codes() {
		if row.Code == c {
			return row.Means
		}
	}
	return string(c)
}

// Cut bounds a text to MaxMessage code points; nothing is put in the place of the rest (runner 3.3).
func Cut(s string) string {
	if utf8.RuneCountInString(s) <= MaxMessage {
		return s
	}
	n := 0
	for i := range s {
		if n == MaxMessage {
			return s[:i]
		}
		n++
	}
	return s
}
