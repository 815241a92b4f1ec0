package proto

import (
	"fmt"
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

// Faults is every rule that one frame breaks, in the order of the payload's keys.
type Faults []Fault

// Error joins the faults.
func (f Faults) Error() string {
	texts := make([]string, len(f))
	for i, fault := range f {
		texts[i] = fault.Error()
	}
	return strings.Join(texts, "; ")
}

// checker collects faults below one path.
type checker struct {
	rule   string // section of the rules being checked
	path   string
	faults *Faults
}

// that records a fault of key unless ok.
func (c *checker) that(ok bool, key, expected string, found any) {
	if !ok {
		*c.faults = append(*c.faults, Fault{Rule: c.rule, Path: c.at(key), Expected: expected, Found: show(found)})
	}
}

// below gives a checker for the value under key.
func (c *checker) below(key string) *checker {
	return &checker{rule: c.rule, path: c.at(key), faults: c.faults}
}

// by gives a checker whose faults cite another section.
func (c *checker) by(rule string) *checker {
	return &checker{rule: rule, path: c.path, faults: c.faults}
}

func (c *checker) at(key string) string {
	if key == "" || strings.HasPrefix(key, "[") {
		return c.path + key
	}
	return c.path + "." + key
}

// show quotes a found value, cut to a length that a message can bear. Values of secrets are never passed here.
func show(found any) string {
	const most = 80
	text := fmt.Sprintf("%v", found)
	if s, ok := found.(string); ok {
		text = fmt.Sprintf("%q", s)
	}
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
