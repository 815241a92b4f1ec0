package proto

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is one rule that a frame breaks.
type Fault struct {
	Rule     string // the section with the rule, like "wire 3.8.1"
	Path     string // where in the frame, like "payload.input[0].content"
	Expected string
	Found    string
}

// Error says where, what was expected and what was found.
func (f Fault) Error() string {
	return fmt.Sprintf("%s: expected %s, found %s (%s)", f.Path, f.Expected, f.Found, f.Rule)
}

// Faults are the rules that one frame breaks, in the order in which the rules are checked; at most 16 are told.
type Faults []Fault

// Error joins the faults.
func (f Faults) Error() string {
	texts := make([]string, len(f))
	for i, fault := range f {
		texts[i] = fault.Error()
	}
	return strings.Join(texts, "; ")
}

// orNil is the faults as an error, nil when there is none.
func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// checker collects the faults of one value, with paths below that value. It costs nothing while nothing is wrong:
// texts are put together only for a fault.
type checker struct {
	rule   string // section of the rules being checked
	faults Faults
}

// mostFaults bounds what is told of one frame: a peer may send a million wrong elements.
const mostFaults = 16

// full reports that no more faults are taken.
func (c *checker) full() bool { return len(c.faults) >= mostFaults }

func (c *checker) add(key, expected, found string) {
	if c.full() {
		return
	}
	c.faults = append(c.faults, Fault{Rule: c.rule, Path: key, Expected: expected, Found: found})
}

// that records a fault of key unless ok. Found is a phrase: for secrets, and for values with nothing to quote.
func (c *checker) that(ok bool, key, expected, found string) {
	if !ok {
		c.add(key, expected, found)
	}
}

// text records a fault of a text that may be shown.
func (c *checker) text(ok bool, key, expected, found string) {
	if !ok {
		c.add(key, expected, show(found))
	}
}

// number records a fault of a number.
func (c *checker) number(ok bool, key, expected string, found int64) {
	if !ok {
		c.add(key, expected, strconv.FormatInt(found, 10))
	}
}

// within records a fault of a number that is not from low to high.
func (c *checker) within(key string, value, low, high int64) {
	if value < low || value > high {
		c.add(key, fmt.Sprintf("%d to %d", low, high), strconv.FormatInt(value, 10))
	}
}

// absent records a fault of a key that must be left out or have its zero value.
func (c *checker) absent(ok bool, key string) { c.that(ok, key, "no value here", "a value") }

// present records a fault of an empty text.
func (c *checker) present(key, value string) { c.that(value != "", key, "text", "nothing") }

// oneOf records a fault unless value is one of a finite list.
func (c *checker) oneOf(key, value string, values ...string) {
	if !slices.Contains(values, value) {
		c.add(key, "one of "+strings.Join(values, ", "), show(value))
	}
}

// under takes over the faults of the value under key.
func (c *checker) under(key string, faults Faults) {
	for _, fault := range faults[:min(len(faults), mostFaults-len(c.faults))] {
		fault.Path = join(key, fault.Path)
		c.faults = append(c.faults, fault)
	}
}

// each checks the elements of the array under key, until enough is wrong.
func each[T any](c *checker, key string, elements []T, check func(*T) Faults) {
	for i := range elements {
		if c.full() {
			return
		}
		if faults := check(&elements[i]); len(faults) > 0 {
			c.under(index(key, i), faults)
		}
	}
}

// by runs checks whose faults cite another section.
func (c *checker) by(rule string, checks func(*checker)) {
	before := c.rule
	c.rule = rule
	checks(c)
	c.rule = before
}

// join puts a path below a key.
func join(key, path string) string {
	if key == "" || path == "" || strings.HasPrefix(path, "[") {
		return key + path
	}
	return key + "." + path
}

// index names one element of an array in a path.
func index(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// show quotes a found text, cut to a length that a message can bear. Secrets are never passed here.
func show(found string) string {
	const most = 80
	if len(found) > most {
		return fmt.Sprintf("%.80q… (%d bytes)", strings.ToValidUTF8(found[:most], ""), len(found))
	}
	return strconv.Quote(found)
}
