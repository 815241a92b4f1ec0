// Package cases is the appendix of the runner contract as data (runner 10): request documents, the command they are
// given to, and what must come back. Tests of every door use it: functions, command line, HTTP. It holds values only
// and executes nothing.
package cases

import (
	"strings"

	"parley/runner"
)

// Act is the operation that a case is given to.
type Act string

// The three acts.
const (
	Negotiate Act = "negotiate"
	Validate  Act = "validate"
	Run       Act = "run"
)

// Case is one row of the appendix.
type Case struct {
	Number int
	Name   string
	Body   string
	Act    Act
	Exit   int

	Status      runner.Status     // negotiate
	Selected    []string          // negotiate, compatible
	Unavailable []string          // negotiate, compatible
	Unit        runner.UnitStatus // validate
	Outcome     runner.Outcome    // run
	Boundary    runner.Boundary   // run
	Validation  runner.Validation // validate, run
	Calls       int
	Says        string      // in some diagnostic's message
	Code        runner.Code // of the first diagnostic
	Failing     string      // a check that must have failed with score 0
	Output      string      // the attempt's output, where the appendix gives it
	SameAs      int         // same identity as the case with this number
	OtherThan   int         // other identity than the case with this number
}

// C0 is the compact base document.
const C0 = `{"schema_version":"1.0","versions":["1.0"],"required_capabilities":["negotiation"],"optional_capabilities":[]}`

// M0 is the complete base document of the mock profile.
const M0 = `{"schema_version":"1.0","versions":["1.0"],"required_capabilities":["exact-unit","inline.mock-text"],"optional_capabilities":[],"run_key":"tide-2031","selection":{"shard":"quay-east","task":"berth-7","trial":3,"attempt":1},"input":{"shard":"quay-east","eval":"schemaVersion: \"2.0\"\nscenario: tidal-log\nname: Tidal log\nconfig:\n  executor: mock\n  model: harbor-stub\n  trials_per_task: 4\n  max_attempts: 2\n  timeout_seconds: 20\ntasks:\n  - never-opened/*.yaml\ngraders:\n  - type: text\n    name: says-mooring\n    config:\n      contains: [mooring]\n","task":"id: berth-7\nname: Berth seven\ninputs:\n  prompt: Report the mooring at berth seven\nexpected:\n  output_contains:\n    - berth\n"},"timeout_ms":45000,"allow_paid_execution":false}`

// P0 is the complete base document of the Copilot profile.
func P0() string {
	return edit(M0,
		`"inline.mock-text"`, `"inline.copilot-text"`,
		`"allow_paid_execution":false`, `"allow_paid_execution":true`,
		`executor: mock`, `executor: copilot-sdk`,
		`model: harbor-stub`, `model: gpt-nominal-1`)
}

// edit replaces each old text by its new one, exactly once. A text that is not there is a fault of the table.
func edit(base string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(base, pairs[i]) != 1 {
			panic("cases: edit does not match exactly once: " + pairs[i])
		}
		base = strings.Replace(base, pairs[i], pairs[i+1], 1)
	}
	return base
}
