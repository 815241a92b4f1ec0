package schema_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"parley/runner/schema"
)

// published gives a schema as a tree, numbers as they are written.
func published(t *testing.T, name string) map[string]any {
	t.Helper()
	text, ok := schema.Get(name)
	if !ok {
		t.Fatalf("schema %s: got none, want one", name)
	}
	return tree(t, text).(map[string]any)
}

func tree(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("decode: %v\n%s", err, text)
	}
	return value
}

// at follows a JSON Pointer; a missing step gives nil.
func at(value any, pointer string) any {
	for _, step := range steps(pointer) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(pointer, "/"), "/")
}

// edited gives base after edits: "/path JSON" puts a value, written exactly so; "/path" alone removes it.
func edited(t *testing.T, base string, edits ...string) []byte {
	t.Helper()
	value := tree(t, []byte(base))
	for _, edit := range edits {
		pointer, text, put := strings.Cut(edit, " ")
		cut := strings.LastIndex(pointer, "/")
		last := pointer[cut+1:]
		switch parent := at(value, pointer[:cut]).(type) {
		case map[string]any:
			delete(parent, last)
			if put {
				parent[last] = json.RawMessage(text)
			}
		case []any:
			i, err := strconv.Atoi(last)
			if err != nil || !put {
				t.Fatalf("edit %q: an array item can only be replaced", edit)
			}
			parent[i] = json.RawMessage(text)
		default:
			t.Fatalf("edit %q: nothing at %q", edit, pointer[:cut])
		}
		value = tree(t, encoded(t, value)) // a later edit may go inside an earlier one
	}
	return encoded(t, value)
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return text
}
