// Package runner is the runner contract as values: the six documents, the tables of capabilities, codes, exits and
// limits, the reading of a request, and the negotiation. It promises that a document it encodes has passed the
// contract's own checks and that the same document always gives the same bytes.
//
// Everything here is a pure function of bytes and values. The package may be used by anybody, also outside Parley; it
// opens no file, socket or process and looks at no clock. Reading captured YAML is runner/captured, deriving identity
// is runner/identity, executing a unit is runner/attempt.
package runner
