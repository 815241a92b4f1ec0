package captured

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"parley/runner"
)

// scenarioVersion is the one schemaVersion that goes with a scenario (runner 4.2).
const scenarioVersion = "2.0"

// admitSuite wants schemaVersion and scenario to fit: "2.0" with a scenario, absent or 1.x without (runner 4.2).
func admitSuite(eval *yaml.Node, found *faults) {
	version := value(eval, "schemaVersion")
	if version != nil && !isString(version) {
		return // its kind is refused already
	}
	at := authored{cmp.Or(version, eval), pathOf("schemaVersion"), found}
	switch scenario := value(eval, "scenario") != nil; {
	case scenario && textOf(version) != scenarioVersion:
		at.refuse(runner.CodeCapturedUnsupported, `"2.0", because scenario is set`, enumerated(version),
			`write schemaVersion: "2.0"`)
	case !scenario && version != nil && !firstEra(version.Value):
		at.refuse(runner.CodeCapturedUnsupported, "a version 1.x or none, because scenario is not set", enumerated(version), "")
	}
}

// firstEra is a version 1.x of a skill suite.
func firstEra(version string) bool {
	minor, ok := strings.CutPrefix(version, "1.")
	return ok && minor != "" && strings.Trim(minor, "0123456789") == ""
}
