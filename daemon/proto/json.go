package proto

import (
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
