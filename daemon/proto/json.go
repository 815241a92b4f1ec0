package proto

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// stringIn reads a string member of free JSON, "" when it is absent or no string.
func stringIn(members map[string]jsontext.Value, key string) string {
	return stringOf(members[key])
}

// stringOf reads free JSON as a string, "" when it is none.
func stringOf(value jsontext.Value) string {
	var text string
	if value.Kind() != '"' || json.Unmarshal(value, &text, lenient()) != nil {
		return ""
	}
	return text
}

// missing reports a value of free JSON that is absent or null.
func missing(value jsontext.Value) bool { return len(value) == 0 || value.Kind() == 'n' }

// objectOrMissing reports a value of free JSON that is an object, null or absent.
func objectOrMissing(value jsontext.Value) bool { return missing(value) || value.Kind() == '{' }

// firstKey is the first member's name of an object; false when there is none.
func firstKey(object jsontext.Value) (string, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowInvalidUTF8(true))
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
		return "", false
	}
	name, err := dec.ReadToken()
	return name.String(), err == nil && name.Kind() == '"'
}
