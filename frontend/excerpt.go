package frontend

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what a page shows, in bytes unless they say otherwise. Copy and export always give the whole
// (ux-anchors C2, V8).
const (
	shownBytes  = 256_000   // a text above it is not shown whole
	headBytes   = 32_000    // what is shown of a text that is not shown whole
	lineBytes   = 16_000    // of one line of a document
	cellBytes   = 2_000     // of one value in a table
	nameBytes   = 200       // of a name inside a sentence
	copiedBytes = 1_000_000 // above it a file is offered in place of the clipboard (C4)
	shownRows   = 256       // rows of one table
	shownDepth  = 64        // levels of a document that is expanded
	shownParts  = 65_536    // lines and tokens of a document that is expanded: each is an element of the page
)

// excerpt is the beginning of a text, and how much was left out.
type excerpt struct {
	Head string
	Left int // bytes
}

// excerptOf cuts a text after at most n bytes, on a code point.
func excerptOf(s string, n int) excerpt {
	if len(s) <= n {
		return excerpt{Head: s}
	}
	for range utf8.UTFMax - 1 {
		if utf8.RuneStart(s[n]) {
			break
		}
		n--
	}
	return excerpt{Head: s[:n], Left: len(s) - n}
}

// rest says what is left out.
func (e excerpt) rest() string { return "… " + size(e.Left) + " more in the export" }

// short is a name that stands inside a sentence.
func short(name string) string {
	e := excerptOf(name, nameBytes)
	if e.Left > 0 {
		return e.Head + "…"
	}
	return name
}

// join lists names inside a sentence or a cell, as many as a reader takes in.
func join(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	const most = 64
	var names []string
	for _, name := range list[:min(len(list), most)] {
		names = append(names, short(name))
	}
	line := strings.Join(names, ", ")
	if len(list) > most {
		line += " and " + strconv.Itoa(len(list)-most) + " more"
	}
	return line
}

func firstRows[T any](list []T) []T { return list[:min(len(list), shownRows)] }

// validText is a copy of bytes as text; what is no UTF-8 is replaced.
func validText(data []byte) string { return strings.ToValidUTF8(string(data), string(utf8.RuneError)) }

func lower(s string) string { return strings.ToLower(s) }
