package runner

// KindTerminal marks a terminal envelope.
const KindTerminal = "waza.runner-terminal"

// Terminal is the envelope of runner 2.6: how one run ended. It covers this attempt only.
type Terminal struct {
	Kind            string       `json:"kind"`
	SchemaVersion   string       `json:"schema_version"`
	Outcome         Outcome      `json:"outcome"`
	ExitCode        int          `json:"exit_code"`
	FailureBoundary Boundary     `json:"failure_boundary"`
	Validation      Validation   `json:"validation"`
	EngineCalls     int          `json:"engine_calls"`
	Selection       *Selection   `json:"selection,omitzero"`
	Identity        *Identity    `json:"identity,omitzero"`
	Observation     *Observation `json:"observation,omitzero"`
	Diagnostics     []Diagnostic `json:"diagnostics"`
}

// Refuse gives the terminal of a run that never reached an engine: no selection, identity or observation.
func Refuse(outcome Outcome, boundary Boundary, validation Validation, diagnostics ...Diagnostic) Terminal {
	return Terminal{
		Kind: KindTerminal, SchemaVersion: SchemaVersion,
		Outcome: outcome, ExitCode: outcome.ExitCode(), FailureBoundary: boundary, Validation: validation,
		Diagnostics: boundDiagnostics(diagnostics),
	}
}
