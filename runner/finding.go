package runner

import (
	"fmt"
	"strconv"
)

// The texts a finding can point into.
const (
	InRequest = "request"
	InEval    = "eval"
	InTask    = "task"
)

// Finding is one fault of a document at its place. It becomes a Diagnostic on the wire and a mark in an editor.
type Finding struct {
	Code     Code   `json:"code"`
	Document string `json:"document"` // request, eval or task
	Path     string `json:"path"`     // request: JSON Pointer, "" is the whole; captured text: dotted path as people write it
	Offset   int64  `json:"offset"`   // request only: byte offset of the value, 0-based
	Line     int    `json:"line"`     // captured text only: 1-based, 0 unknown
	Column   int    `json:"column"`   // captured text only: 1-based, in code points
	Expected string `json:"expected"` // what the contract asks for
	Found    string `json:"found"`    // kind of what is there; never a long or private content
	Hint     string `json:"hint,omitzero"`
}

// Message is the finding as one sentence.
func (f Finding) Message() string {
	s := f.place() + ": expected " + f.Expected + ", found " + f.Found
	if f.Hint != "" {
		s += "; " + f.Hint
	}
	return s
}

// Diagnostic is the finding as the contract carries it.
func (f Finding) Diagnostic() Diagnostic { return Diagnose(f.Code, f.Message()) }

func (f Finding) place() string {
	if f.Document == InRequest || f.Document == "" {
		path := f.Path
		if path == "" {
			path = "document"
		}
		return path + " at byte " + strconv.FormatInt(f.Offset, 10)
	}
	s := f.Document
	if f.Line > 0 {
		s += fmt.Sprintf(" line %d column %d", f.Line, f.Column)
	}
	if f.Path != "" {
		s += ", " + f.Path
	}
	return s
}
