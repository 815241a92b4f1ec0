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
	return "something that is not JSON"
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
	text, err := jsontext.AppendUnquote(nil, v.Text)
	if err != nil {
		return "" // Read has accepted the text before
	}
	return string(text)
}

// Entries calls yield for each entry of an Array value until it returns false.
func (v Value) Entries(yield func(i int, entry Value) bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v.Text))
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		raw, err := dec.ReadValue()
		if err != nil {
			return // Read has accepted the text before
		}
		end := dec.InputOffset()
		start := end - int64(len(raw))
		entry := Value{Path: v.Path + "/" + strconv.Itoa(i), Offset: v.Offset + start, Text: v.Text[start:end]}
		if !yield(i, entry) {
			return
		}
	}
}
