package proto

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// stringIn reads a string member of free JSON, "" when it is absent or no string.
func stringIn(members map[string]jsontext.Value, key string) string {
	var text string
	value := members[key]
	if value.Kind() != '"' || json.Unmarshal(value, &text, lenient()) != nil {
		return ""
	}
	return text
}

// index names one element of an array in a path.
func index(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

func known(values []string, value string) bool { return slices.Contains(values, value) }

// oneOf records a fault unless value is one of a finite list.
func (c *checker) oneOf(key, value string, values []string) {
	c.that(known(values, value), key, fmt.Sprintf("one of %q", values), value)
}
