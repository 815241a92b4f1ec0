// Package schema holds the six published JSON Schemas of the runner contract (draft 2020-12), embedded as the bytes
// that are served and printed.
//
// It promises that each schema stands alone (every reference points into the same file), closes every object, and says
// what package runner says: bounds, patterns and the tables of runner 2.4, 2.5 and 2.8 are compared with it by tests.
// A schema cannot state everything. That required and optional names do not overlap, that resolved equals requested,
// that a map key equals the identifier below it and that lists are sorted stays with package runner.
//
// Anybody may call it. It validates nothing, so that the program carries no schema validator; tests use schematest.
package schema

import (
	"embed"
	"slices"
)

//go:embed *.schema.json
var files embed.FS

// Names of the schemas; each is also the file name and the last part of the $id, without ".schema.json".
const (
	NegotiationRequest  = "runner-negotiation-request-1.0"
	NegotiationResponse = "runner-negotiation-response-1.0"
	Request             = "runner-request-1.0"
	Capabilities        = "runner-capabilities-1.0"
	Unit                = "runner-unit-1.0"
	Terminal            = "runner-terminal-1.0"
)

// Names lists the six schemas in the contract's order. The slice is the caller's own.
func Names() []string {
	return []string{NegotiationRequest, NegotiationResponse, Request, Capabilities, Unit, Terminal}
}

// Get gives a schema's text; ok is false for a name that is not in Names. The bytes are the caller's own.
func Get(name string) (text []byte, ok bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	text, err := files.ReadFile(name + ".schema.json")
	return text, err == nil
}

// Title is the title a schema gives itself, or "" for a name that is not in Names.
func Title(name string) string {
	switch name {
	case NegotiationRequest:
		return "Runner negotiation request 1.0"
	case NegotiationResponse:
		return "Runner negotiation response 1.0"
	case Request:
		return "Complete runner request 1.0"
	case Capabilities:
		return "Runner capabilities 1.0"
	case Unit:
		return "Runner unit receipt 1.0"
	case Terminal:
		return "Runner terminal 1.0"
	}
	return ""
}
