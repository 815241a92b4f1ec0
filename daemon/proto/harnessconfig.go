package proto

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// checkHarnessConfig applies wire 3.6.4: an object of at most 16 KiB and 32 levels, and no member twice at any depth.
// Which keys there may be is known to the harness alone. Values are not shown: they are an operator's business.
func checkHarnessConfig(config jsontext.Value) Faults {
	c := checker{rule: "wire 3.6.4"}
	if config.Kind() != '{' {
		c.add("", "an object", "another value")
		return c.faults
	}
	if len(config) > MaxHarnessConfig {
		c.number(false, "", "at most 16384 bytes", int64(len(config)))
		return c.faults
	}
	dec := jsontext.NewDecoder(bytes.NewReader(config), jsontext.AllowInvalidUTF8(true)) // it refuses a second member
	for dec.PeekKind() > 0 {
		if _, err := dec.ReadToken(); err != nil {
			c.add("", "no member twice at any depth", "a member twice")
			return c.faults
		}
		if dec.StackDepth() > MaxHarnessDepth {
			c.add("", "at most 32 levels", "more")
			return c.faults
		}
	}
	return c.faults
}
