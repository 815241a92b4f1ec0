package frontend

import "parley/runner"

// ReportView is one answer of the runner, ready to show: the verdict, then facts, then evidence. Exactly one of
// Compatibility, Unit and Run is set, none when the answer is not a document that this page knows.
type ReportView struct {
	Lab           Lab
	Record        Record
	Verdict       Verdict
	State         string // one sentence for the page's header
	Row           RecordRow
	Compatibility *CompatibilityView
	Unit          *UnitView
	Run           *RunView
	Diagnostics   []runner.Diagnostic
	Copy          string // the redacted report as text: version, platform, code, cause, ids
}

// CompatibilityView is a negotiation: required, offered, met, unmet, unknown.
type CompatibilityView struct {
	Rows      []CapabilityRow
	Asked     []string // runner versions offered by the request
	Offered   []string // runner versions spoken here
	Chosen    string   // "" when none was chosen
	LeftOut   []string // optional names that nobody here offers
	AlsoOffer []string // offered and not asked for
}

// CapabilityRow is one name that a request asked for.
type CapabilityRow struct {
	Name    string
	AskedBy string // "required" or "optional"
	Offered bool
	Badge   Badge // Met, Unmet, Selected, Left out, Unknown
}

// UnitView is a unit receipt: what was requested and what it resolved to.
type UnitView struct {
	Compatible runner.Status
	Validation runner.Validation
	Calls      int
	Requested  *runner.Selection
	Resolved   *runner.Selection
	Identity   *IdentityView // nil: unavailable, none is made up
}

// IdentityView is the derived identity with its five levels from the run down to the attempt.
type IdentityView struct {
	Version string
	Digest  string
	Levels  []IdentityLevel
}

// IdentityLevel is one level of the tree.
type IdentityLevel struct {
	Name  string // run, shard, task, trial, attempt
	Value string
}

// RunView is a terminal: how the one attempt ended.
type RunView struct {
	Outcome    runner.Outcome
	Exit       int
	Boundary   runner.Boundary
	Validation runner.Validation
	Calls      int
	Elapsed    string // "14 ms"
	Mode       string // "mock"; "" when none was observed
	Selection  *runner.Selection
	Identity   *IdentityView
	Checks     []CheckRow
	Output     string // the attempt's text as the internal receipt keeps it
	HasOutput  bool   // Output is known, though it may be empty
}

// CheckRow is one check of the attempt.
type CheckRow struct {
	Name     string
	Type     string // "text" or "expectation"
	Score    string // as the document holds it
	Feedback string
	Badge    Badge
}
