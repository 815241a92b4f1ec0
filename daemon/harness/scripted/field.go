package scripted

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The structs of a script describe themselves: the tag json names a key, about says what it is for, need that it must
// be there, of which texts it may be, value what is expected when the type does not tell. Reading and reference both follow the tags, so that they cannot disagree.

// field is one key of an object of a script.
type field struct {
	name, about, expected string
	needed                bool
	of                    []string
	index                 int
}

func fieldsOf(object reflect.Type) []field {
	var all []field
	for i := range object.NumField() {
		tag := object.Field(i).Tag
		if tag.Get("about") == "" {
			continue
		}
		f := field{name: tag.Get("json"), about: tag.Get("about"), needed: tag.Get("need") != "", index: i}
		f.expected = expected(object.Field(i).Type)
		if value := tag.Get("value"); value != "" {
			f.expected = value
		}
		if list := tag.Get("of"); list != "" {
			f.of = strings.Split(list, ",")
			f.expected = "one of " + strings.Join(f.of, ", ")
		}
		all = append(all, f)
	}
	return all
}

// isSection says that a type is an object of the script format itself.
func isSection(t reflect.Type) bool { return t.Kind() == reflect.Struct && len(fieldsOf(t)) > 0 }

// milliseconds is a duration in a script.
type milliseconds int64

// longest bounds a single wait of a script.
const longest = 10 * time.Minute

func (m milliseconds) duration() time.Duration { return time.Duration(m) * time.Millisecond }

// UnmarshalJSONFrom takes a whole number within bounds.
func (m *milliseconds) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var n int64
	if err := json.UnmarshalDecode(dec, &n); err != nil {
		return err
	}
	if n < 0 || n > longest.Milliseconds() {
		return errors.New("out of range")
	}
	*m = milliseconds(n)
	return nil
}

// expected words a type for a message and for the reference.
func expected(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[milliseconds]():
		return "milliseconds, 0 to " + strconv.FormatInt(longest.Milliseconds(), 10)
	case reflect.TypeFor[jsontext.Value]():
		return "any JSON"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list"
	}
	return "object"
}

// fill reads an object into a struct of the script format. skip names keys that somebody else reads.
func fill(where string, into any, data jsontext.Value, skip ...string) error {
	var members map[string]jsontext.Value
	if data.Kind() != '{' {
		return fmt.Errorf("%s: expected an object, found %s", where, found(data))
	}
	if err := json.Unmarshal(data, &members); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	target := reflect.ValueOf(into).Elem()
	fields := fieldsOf(target.Type())
	if err := onlyKnown(where, members, fields, skip); err != nil {
		return err
	}
	for _, f := range fields {
		value, present := members[f.name]
		switch {
		case !present && f.needed:
			return fmt.Errorf("%s: key %q is missing; expected %s", where, f.name, f.expected)
		case !present:
			continue
		}
		if err := f.read(where, target.Field(f.index), value); err != nil {
			return err
		}
	}
	return nil
}

func onlyKnown(where string, members map[string]jsontext.Value, fields []field, skip []string) error {
	for name := range members {
		isField := slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
		if !isField && !slices.Contains(skip, name) {
			return fmt.Errorf("%s: key %q is not known; known are %s", where, name, names(fields))
		}
	}
	return nil
}

func names(fields []field) string {
	if len(fields) == 0 {
		return "none"
	}
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return strings.Join(all, ", ")
}

func (f field) read(where string, into reflect.Value, value jsontext.Value) error {
	if isSection(into.Type()) {
		return fill(where+": "+f.name, into.Addr().Interface(), value)
	}
	if value.Kind() == 'n' {
		return fmt.Errorf("%s: key %q: expected %s, found null", where, f.name, f.expected)
	}
	if err := json.Unmarshal(value, into.Addr().Interface(), json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: key %q: expected %s, found %s", where, f.name, f.expected, found(value))
	}
	if f.of != nil && !slices.Contains(f.of, into.String()) {
		return fmt.Errorf("%s: key %q: expected %s, found %s", where, f.name, f.expected, found(value))
	}
	return nil
}

// maxShown bounds, in bytes, what a message shows of a value.
const maxShown = 60

// found shows a value in a message, cut when it is long.
func found(value jsontext.Value) string {
	if text := strings.TrimSpace(string(value)); text != "" {
		return cut(text, maxShown)
	}
	return "nothing"
}
