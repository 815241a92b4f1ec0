package runner

// KindNegotiation marks a negotiation response.
const KindNegotiation = "waza.runner-negotiation"

// Status is the verdict of a negotiation (runner 2.4).
type Status string

// The four verdicts.
const (
	Compatible         Status = "compatible"
	VersionUnsupported Status = "unsupported_version"
	CapUnsupported     Status = "unsupported_capability"
	RequestInvalid     Status = "invalid_request"
)

// ExitCode is the exit of the negotiate command for a status (runner 1.3).
func (s Status) ExitCode() int {
	switch s {
	case Compatible:
		return ExitOK
	case VersionUnsupported, CapUnsupported:
		return ExitUnsupported
	}
	return ExitInvalid
}

// Negotiation is the response document of runner 2.4.
type Negotiation struct {
	Kind          string       `json:"kind"`
	SchemaVersion string       `json:"schema_version"`
	Status        Status       `json:"status"`
	Negotiation   Terms        `json:"negotiation"`
	Diagnostics   []Diagnostic `json:"diagnostics"`
}

// Terms holds what was asked, what is offered and what was agreed.
type Terms struct {
	Version             string   `json:"version,omitzero"`
	RequestedVersions   []string `json:"requested_versions"`
	Required            []string `json:"required_capabilities"`
	Optional            []string `json:"optional_capabilities"`
	Available           []string `json:"available_capabilities"`
	Selected            []string `json:"selected_capabilities"`
	UnavailableOptional []string `json:"unavailable_optional_capabilities"`
}
