package strictjson

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a JSON value.
type Kind byte

// The kinds, by their first character.
const (
	None    Kind = 0
	Null    Kind = 'n'
	Boolean Kind = 't'
	Number  Kind = '0'
	String  Kind = '"'
	Array   Kind = '['
	Object  Kind = '{'
)

// Value is one value as it was sent.
type Value struct {
	Path   string // JSON Pointer
	Offset int64  // bytes before it
	Text   []byte // exact text, a part of the document; do not change
}

// Kind tells the value's type.
func (v Value) Kind() Kind {
	if len(v.Text) == 0 {
		return None
	}
	switch c := v.Text[0]; {
	case c == 'n' || c == '"' || c == '[' || c == '{':
		return Kind(c)
	case c == 't' || c == 'f':
		return Boolean
	case c == '-' || c >= '0' && c <= '9':
		return Number
	}
	return None
}

func (k Kind) noun() string {
	switch k {
	case Null:
		return "null"
	case Boolean:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "an array"
	case Object:
		return "an object"
	}
	return "nothing"
}

// shown bounds how much of a value a message repeats, in bytes.
const shown = 32

// Describe names the value for a message: its kind, and the text itself where it is short.
func (v Value) Describe() string {
	noun := v.Kind().noun()
	switch v.Kind() {
	case Boolean:
		return "the boolean " + string(v.Text)
	case Number:
		if len(v.Text) <= shown {
			return "the number " + string(v.Text)
		}
		return "a number of " + strconv.Itoa(len(v.Text)) + " characters"
	case String:
		if len(v.Text) == 2 {
			return "an empty string"
		}
		if len(v.Text) <= shown && utf8.Valid(v.Text) {
			return "the string " + string(v.Text)
		}
		return "a string of " + strconv.Itoa(utf8.RuneCount(v.Text)-2) + " characters"
	case Array:
		if len(bytes.TrimSpace(v.Text[1:len(v.Text)-1])) == 0 {
			return "an empty array"
		}
	}
	return noun
}

// Decoded is the string that a String value spells.
func (v Value) Decoded() string {
	if bytes.IndexByte(v.Text, '\\') < 0 {
		return string(v.Text[1 : len(v.Text)-1])
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(v.Text)), v.Text)
	if err != nil {
		return "" // Read has accepted the text before
	}
	return string(text)
}

// Entries calls yield for each entry of an Array value until it returns false. An entry has no Path of its own: its
// reader knows the array's and the index, and needs them only for a fault.
func (v Value) Entries(yield func(i int, entry Value) bool) {
	at := 1
	for i := 0; ; i++ {
		at += leading(v.Text[at:], " \t\r\n,")
		if v.Text[at] == ']' {
			return
		}
		end := at + extent(v.Text[at:])
		if !yield(i, Value{Offset: v.Offset + int64(at), Text: v.Text[at:end]}) {
			return
		}
		at = end
	}
}

func leading(text []byte, set string) int {
	return len(text) - len(bytes.TrimLeft(text, set))
}

// extent is the length of the value that text starts with. The text was read before, so it is well formed.
func extent(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += closing(text[i+1:]) + 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		default:
			if depth == 0 {
				return i + bytes.IndexAny(text[i:], " \t\r\n,]}")
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// closing is where the string that began before text ends: the first quote that is not escaped.
func closing(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}
