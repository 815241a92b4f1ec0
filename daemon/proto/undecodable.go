package proto

import (
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// undecodable says why a body did not decode. It shows places and kinds, never a value: that may be a secret.
func undecodable(kind Kind, err error) Fault {
	fault := Fault{Rule: kind.Section, Path: "payload", Expected: "a payload that decodes", Found: "another value"}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fault
	}
	fault.Path = "payload" + pathOf(semantic.JSONPointer)
	var own refusal
	switch {
	case errors.As(semantic.Err, &own):
		fault.Expected, fault.Found = own.expected, brief(own.found)
	case errors.Is(semantic.Err, json.ErrUnknownName):
		fault.Expected, fault.Found = "the keys of the contract alone", "another key"
	case semantic.GoType != nil:
		fault.Expected = wanted(semantic.GoType)
		fault.Found = received(semantic.JSONKind, fault.Expected)
	}
	return fault
}

// refusal is what a decoder of this package has against a value.
type refusal struct{ expected, found string }

func (r refusal) Error() string { return "expected " + r.expected + ", found " + r.found }

// pathOf writes a JSON pointer as the other paths are written.
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		if strings.Trim(token, "0123456789") == "" {
			path.WriteString("[" + token + "]")
		} else {
			path.WriteString("." + token)
		}
		if path.Len() > longest {
			break
		}
	}
	return brief(path.String())
}

// wanted names what JSON has for a Go type.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[[]byte]() {
		return "base64"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint64:
		return "an integer in range"
	case reflect.Float64:
		return "a number in range"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}

// received names the kind of a value beside what was wanted of it.
func received(kind jsontext.Kind, wanted string) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		if wanted == "base64" {
			return "other text"
		}
		return "a string"
	case '0':
		if strings.HasSuffix(wanted, "in range") {
			return "another number"
		}
		return "a number"
	case '[', ']':
		return "an array"
	case '{', '}':
		return "an object"
	}
	return "another value"
}

// longest is how much of a text that a peer chose stands in a fault, in bytes.
const longest = 200

// brief cuts such a text.
func brief(text string) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}
