package runner

import "time"

// Limits of the contract. Each is read by the code, by the tests and by docs/contracts/runner.md; none is repeated.
const (
	// MaxDocumentBytes is the largest request document; one byte more is refused before parsing (runner 3, rule 1).
	MaxDocumentBytes = 4 << 20
	// MaxDepth bounds nesting; the deepest legal request has three levels (runner 3, rule 10).
	MaxDepth = 64
	// MaxKeys bounds the keys of one object; the largest legal one has nine (runner 3, rule 6).
	MaxKeys = 1024
	// MaxCompactEntries bounds each array of a compact request (runner 3.3).
	MaxCompactEntries = 64
	// MaxCompactVersion bounds a compact version string, in code points (runner 3.3).
	MaxCompactVersion = 32
	// MaxMessage bounds a diagnostic message, in code points (runner 3.3).
	MaxMessage = 4096
	// MaxMissingNames bounds missing required names reported one by one (runner 3.3).
	MaxMissingNames = 64
	// MaxFindings bounds the faults of one document reported one by one; a remainder item follows.
	MaxFindings = 64
	// MaxTerminalDiagnostics bounds the diagnostics of a terminal (runner 2.6).
	MaxTerminalDiagnostics = 16
	// MaxTerminalChecks bounds the validations of a terminal's observation (runner 2.6).
	MaxTerminalChecks = 256
	// MinOrdinal and MaxOrdinal bound trial and attempt (runner 2.3).
	MinOrdinal, MaxOrdinal = 1, 2147483647
	// MinTimeoutMS and MaxTimeoutMS bound timeout_ms, in milliseconds: up to one day (runner 2.3).
	MinTimeoutMS, MaxTimeoutMS = 1, 86400000
	// MaxCount bounds counts and timeouts inside captured YAML (runner 4.1).
	MaxCount = 2147483647
)

const (
	// BodyDeadline bounds the reading of an HTTP request body (runner 7.1).
	BodyDeadline = 5 * time.Second
	// ShutdownBudget is the shutdown step's own time, apart from every other deadline (runner 1.4, step 11).
	ShutdownBudget = 5 * time.Second
)

// Patterns of the schemas, whole string (runner 2.1 and 2.3).
const (
	VersionPattern    = `^[0-9]+\.[0-9]+$`
	CapabilityPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`
	KeyPattern        = `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`
)
