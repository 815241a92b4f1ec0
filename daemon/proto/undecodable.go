package proto

import (
	"errors"
	"reflect"
	"strings"

	jsonv1 "github.com/go-json-experiment/json/v1"
)

// undecodable says why a body did not decode. It shows places and kinds, never a value: that may be a secret.
func undecodable(kind Kind, err error) Fault {
	fault := Fault{Rule: kind.Section, Path: "payload", Expected: "a payload that decodes", Found: brief(err.Error())}
	mismatch, ok := errors.AsType[*jsonv1.UnmarshalTypeError](err)
	if !ok {
		return fault
	}
	fault.Path = brief(join("payload", mismatch.Field))
	fault.Expected = wanted(mismatch.Type)
	fault.Found, _, _ = strings.Cut(mismatch.Value, " ") // a number follows its kind
	if fault.Found == "number" && fault.Expected == "an integer" {
		fault.Found = "a number that is fractional or out of range"
	}
	if fault.Found == "string" && fault.Expected == "base64" {
		fault.Found = "other text"
	}
	return fault
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
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}

// brief cuts a text that a peer may have made long.
func brief(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
