package runner

import "slices"

// SchemaVersion is the envelope version of every document. It is a separate thing from the offered runner versions
// (runner 1.1).
const SchemaVersion = "1.0"

// Version is the only runner version this program speaks (runner 1.1).
const Version = "1.0"

// Capability names, exact and case-sensitive (runner 1.1).
const (
	CapNegotiation    = "negotiation"
	CapExactUnit      = "exact-unit"
	CapMockText       = "inline.mock-text"
	CapTerminalResult = "terminal-result"
	CapCopilotText    = "inline.copilot-text"
)

// Modes of execution as documents name them (runner 2.5).
const (
	ModeMock    = "mock"
	ModeCopilot = "copilot"
)

// Profile is one way to execute a unit. Source: runner 1.1 and the M and P columns of runner 4.
type Profile struct {
	Capability string // the name a request must require
	Executor   string // what config.executor must say
	Mode       string // what a document calls it
	Paid       bool   // executing may be charged
	Advertised bool   // this program can execute it
}

// Profiles lists every profile of the contract. One that is not advertised is unknown to negotiation, but the paid
// route policy (runner 7.3) already guards it.
func Profiles() []Profile {
	return []Profile{
		{Capability: CapMockText, Executor: "mock", Mode: ModeMock, Advertised: true},
		{Capability: CapCopilotText, Executor: "copilot-sdk", Mode: ModeCopilot, Paid: true},
	}
}

// Advertised lists what this program can do, in the order of runner 1.1. A capability is added when it works, never
// before.
func Advertised() []string {
	all := []string{CapNegotiation, CapExactUnit, CapMockText, CapTerminalResult, CapCopilotText}
	profiles := Profiles()
	return slices.DeleteFunc(all, func(name string) bool {
		return slices.ContainsFunc(profiles, func(p Profile) bool { return p.Capability == name && !p.Advertised })
	})
}

// Versions lists the runner versions spoken, lowest first.
func Versions() []string { return []string{Version} }

// Advertisement is the document of runner 2.1. It has no kind.
type Advertisement struct {
	SchemaVersion string   `json:"schema_version"`
	Versions      []string `json:"versions"`
	Capabilities  []string `json:"capabilities"`
}

// Advertise gives this program's advertisement.
func Advertise() Advertisement {
	return Advertisement{SchemaVersion: SchemaVersion, Versions: Versions(), Capabilities: Advertised()}
}
