package wiretest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// matching compares one seen value with one expected, remembering what it would bind.
type matching struct {
	*values
	found map[string]any
}

// match gives the bindings of a match, or says where the two differ. Nothing is bound yet.
func (v *values) match(path string, want, got any) (map[string]any, error) {
	m := &matching{values: v, found: map[string]any{}}
	if err := m.compare(path, want, got); err != nil {
		return nil, err
	}
	return m.found, nil
}

func differ(path string, want, got any) error {
	return fmt.Errorf("%s: expected %s, found %s", path, brief(want), brief(got))
}

func (m *matching) compare(path string, want, got any) error {
	switch n := name(want); n {
	case "":
	case "any":
		return m.there(path, want, got)
	case "optional":
		return nil
	default:
		return m.compareNamed(path, n, got)
	}
	switch want := want.(type) {
	case string:
		return m.equal(path, m.text(want), got)
	case []any:
		return m.compareList(path, want, got)
	case map[string]any:
		return m.compareObject(path, want, got)
	}
	return m.equal(path, want, got)
}

// equal holds absent and zero for the same, as every decoder of the wire does (wire 0.3).
func (m *matching) equal(path string, want, got any) error {
	if want == got || zero(want) && zero(got) {
		return nil
	}
	return differ(path, want, got)
}

func (m *matching) there(path string, want, got any) error {
	if got == nil {
		return differ(path, want, got)
	}
	return nil
}

// compareNamed compares with a given value, or binds a placeholder to the first value that is not empty.
func (m *matching) compareNamed(path, n string, got any) error {
	if given, ok := m.given[n]; ok {
		return m.compare(path, m.send(given), got)
	}
	if value, ok := m.lookup(n); ok {
		return m.equal(path, value, got)
	}
	if value, ok := m.found[n]; ok {
		return m.equal(path, value, got)
	}
	if zero(got) {
		return fmt.Errorf("%s: expected a value for $%s, found none", path, n)
	}
	for _, known := range []map[string]any{m.bound, m.found} {
		for other, value := range known {
			if stem(other) == stem(n) && value == got && stem(n) != "expires_at" {
				return fmt.Errorf("%s: expected a new value for $%s, found that of $%s, %s", path, n, other, brief(got))
			}
		}
	}
	m.found[n] = got
	return nil
}

func (m *matching) compareList(path string, want []any, got any) error {
	list, isList := got.([]any)
	if len(want) == 0 && zero(got) {
		return nil
	}
	if !isList || len(list) != len(want) {
		return differ(path, want, got)
	}
	for i := range want {
		if err := m.compare(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *matching) compareObject(path string, want map[string]any, got any) error {
	switch op, operand := operator(want); op {
	case opAny:
		return m.there(path, opAny, got)
	case opOptional:
		if got == nil {
			return nil
		}
		return m.compare(path, operand, got)
	case opOneOf:
		return m.oneOf(path, operand, got)
	case opBase:
		return m.compare(path, m.send(want), got)
	}
	object, isObject := got.(map[string]any)
	if got != nil && !isObject {
		return differ(path, want, got)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if key == opOthers {
			continue
		}
		if err := m.compare(join(path, key), want[key], object[key]); err != nil {
			return err
		}
	}
	if _, open := want[opOthers]; open {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if _, expected := want[key]; !expected && !zero(object[key]) {
			return differ(join(path, key), nil, object[key])
		}
	}
	return nil
}

func (m *matching) oneOf(path string, alternatives, got any) error {
	for _, alternative := range alternatives.([]any) {
		before := maps.Clone(m.found)
		if m.compare(path, alternative, got) == nil {
			return nil
		}
		m.found = before
	}
	return fmt.Errorf("%s: expected one of %s, found %s", path, brief(alternatives), brief(got))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// zero reports an absent value or the zero value of its type.
func zero(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case int64:
		return value == 0
	case float64:
		return value == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// plain turns JSON text into plain data, integers as int64.
func plain(data []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return numbers(value), nil
}

func numbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return n
		}
		f, err := value.Float64()
		if err != nil {
			return value.String()
		}
		return f
	case []any:
		for i := range value {
			value[i] = numbers(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = numbers(value[key])
		}
	}
	return value
}

// brief shows a value on one line, cut to what a line can bear.
func brief(value any) string {
	const most = 160
	if value == nil {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v", value)
	}
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
