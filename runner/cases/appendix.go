package cases

import (
	"fmt"
	"strings"

	"parley/runner"
)

// Appendix gives the forty cases of runner 10. Cases 39 and 40 need inline.copilot-text: while it is not advertised
// they are refused at the negotiation.
func Appendix() []Case {
	all := append(negotiations(), units()...)
	return append(all, paid()...)
}

const (
	capsOf     = `"required_capabilities":["negotiation"]`
	optionalOf = `"optional_capabilities":[]`
	versionsOf = `"versions":["1.0"]`
)

func negotiations() []Case {
	compatible := func(n int, name, body string, selected, unavailable []string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Negotiate, Status: runner.Compatible, Selected: selected, Unavailable: unavailable}
	}
	refused := func(n int, name, body string, status runner.Status, says string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Negotiate, Status: status, Exit: status.ExitCode(), Code: runner.Code(status), Says: says}
	}
	const invalid = runner.RequestInvalid
	return []Case{
		compatible(1, "compact", C0, []string{"negotiation"}, []string{}),
		compatible(2, "fallback version, unknown optional", edit(C0, versionsOf, `"versions":["9.9","1.0"]`, optionalOf, `"optional_capabilities":["exact-unit","telepathy.v1"]`),
			[]string{"exact-unit", "negotiation"}, []string{"telepathy.v1"}),
		compatible(3, "nothing required", edit(C0, capsOf, `"required_capabilities":[]`), []string{}, []string{}),
		refused(4, "no mutual version", edit(C0, versionsOf, `"versions":["2.0","01.0"]`), runner.VersionUnsupported, `"1.0"`),
		refused(5, "unknown required", edit(C0, capsOf, `"required_capabilities":["inline.native-text"]`), runner.CapUnsupported, "inline.native-text"),
		refused(6, "other case", edit(C0, capsOf, `"required_capabilities":["Negotiation"]`), runner.CapUnsupported, "Negotiation"),
		refused(7, "required and optional", edit(C0, capsOf, `"required_capabilities":["exact-unit"]`, optionalOf, `"optional_capabilities":["exact-unit"]`), invalid, "exact-unit"),
		refused(8, "other envelope version", edit(C0, `"schema_version":"1.0"`, `"schema_version":"1.1"`), invalid, "/schema_version"),
		refused(9, "missing list", edit(C0, `,"optional_capabilities":[]`, ``), invalid, "/optional_capabilities"),
		refused(10, "null list", edit(C0, optionalOf, `"optional_capabilities":null`), invalid, "found null"),
		refused(11, "no version", edit(C0, versionsOf, `"versions":[]`), invalid, "/versions"),
		refused(12, "version twice", edit(C0, versionsOf, `"versions":["1.0","1.0"]`), invalid, "/versions/1"),
		refused(13, "65 optional names", edit(C0, optionalOf, `"optional_capabilities":[`+names(65)+`]`), invalid, "at most 64 entries"),
		refused(14, "unknown key", edit(C0, `}`, `,"note":1}`), invalid, "/note"),
		refused(15, "partial complete request", edit(C0, `}`, `,"run_key":"tide"}`), invalid, "/selection"),
		refused(16, "trailing value", C0+` {}`, invalid, "trailing data"),
		refused(17, "duplicate key", edit(C0, `}`, `,"versions":["1.0"]}`), invalid, "the same key again"),
		compatible(18, "yaml is not read", edit(M0, evalText(), `"not: [valid"`), []string{"exact-unit", "inline.mock-text"}, []string{}),
	}
}

func units() []Case {
	success := func(n int, name, body string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Run, Outcome: runner.Success, Boundary: runner.BoundaryNone, Validation: runner.Valid, Calls: 1}
	}
	refused := func(n int, name, body string, boundary runner.Boundary, code runner.Code, says string) Case {
		validation := runner.NotChecked
		if boundary == runner.BoundaryValidation {
			validation = runner.Invalid
		}
		return Case{Number: n, Name: name, Body: body, Act: Run, Outcome: runner.InvalidInput, Boundary: boundary, Validation: validation,
			Exit: runner.ExitInvalid, Code: code, Says: says}
	}
	rejected := func(n int, name, body string, validation runner.Validation, code runner.Code, says string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Validate, Unit: runner.UnitRejected, Validation: validation, Exit: runner.ExitInvalid, Code: code, Says: says}
	}
	ready := func(n int, name, body string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Validate, Unit: runner.UnitReady, Validation: runner.Valid}
	}
	const input, validation = runner.BoundaryInput, runner.BoundaryValidation
	metrics := func(weight string) string {
		return edit(M0, `graders:\n`, `metrics: [{name: fit, weight: `+weight+`, threshold: 0.25}]\ngraders:\n`)
	}

	base := success(20, "run", M0)
	base.Output = "Mock response for: Report the mooring at berth seven\nTask: Berth seven"
	spelled := success(21, "integers in other spellings", edit(M0, `"trial":3`, `"trial":3.0`, `"attempt":1`, `"attempt":10e-1`, `"timeout_ms":45000`, `"timeout_ms":4.5e4`))
	spelled.SameAs = 20
	failing := Case{Number: 28, Name: "failing expectation", Body: edit(M0, `    - berth\n`, `    - gull\n`), Act: Run, Outcome: runner.EvaluationFailure,
		Boundary: runner.BoundaryNone, Validation: runner.Valid, Calls: 1, Exit: runner.ExitEvaluation, Failing: "_output_contains"}
	weighed := success(34, "metrics are bound into the identity", metrics("0.5"))
	weighed.OtherThan = 20

	return []Case{
		ready(19, "validate", M0),
		base,
		spelled,
		refused(22, "fractional timeout", edit(M0, `45000`, `45000.5`), input, runner.CodeInvalidRequest, "/timeout_ms"),
		rejected(23, "timeout over a day", edit(M0, `45000`, `86400001`), runner.NotChecked, runner.CodeInvalidRequest, "/timeout_ms"),
		refused(24, "trial out of range", edit(M0, `"trial":3`, `"trial":5`), validation, runner.CodeSelectionOutOfRange, "trial"),
		refused(25, "attempt out of range", edit(M0, `"attempt":1`, `"attempt":2`, `  max_attempts: 2\n`, ``), validation, runner.CodeSelectionOutOfRange, "attempt"),
		rejected(26, "other shard", edit(M0, `"input":{"shard":"quay-east"`, `"input":{"shard":"quay-west"`), runner.Invalid, runner.CodeSelectionConflict, "shard"),
		refused(27, "other task", edit(M0, `id: berth-7\n`, `id: berth-07\n`), validation, runner.CodeSelectionConflict, "id"),
		failing,
		success(29, "empty prompt", edit(M0, `prompt: Report the mooring at berth seven\nexpected:\n  output_contains:\n    - berth\n`, `prompt: \"\"\n`, `[mooring]`, `[berth]`)),
		refused(30, "no prompt", edit(M0, `inputs:\n  prompt: Report the mooring at berth seven\n`, `inputs: {}\n`), validation, "", "prompt"),
		refused(31, "no check", edit(M0, `graders:\n  - type: text\n    name: says-mooring\n    config:\n      contains: [mooring]\n`, ``, `expected:\n  output_contains:\n    - berth\n`, ``), validation, runner.CodeNoTextCheck, ""),
		rejected(32, "broken pattern", edit(M0, `contains: [mooring]\n`, `regex_match: [\"(berth\"]\n`), runner.Invalid, runner.CodeGraderInvalid, "regex_match"),
		ready(33, "metrics null", edit(M0, `graders:\n`, `metrics: null\ngraders:\n`)),
		weighed,
		rejected(35, "metric without weight", metrics("0"), runner.Invalid, runner.CodeMetricsInvalid, "weight"),
		refused(36, "profile only optional", edit(M0, `["exact-unit","inline.mock-text"]`, `["exact-unit"]`, optionalOf, `"optional_capabilities":["inline.mock-text"]`), validation, runner.CodeProfileRequired, "inline.mock-text"),
		{Number: 37, Name: "unknown required on run", Body: edit(M0, `"inline.mock-text"]`, `"inline.mock-text","inline.native-text"]`), Act: Run,
			Outcome: runner.UnsupportedCapability, Boundary: runner.BoundaryNegotiation, Validation: runner.NotChecked,
			Exit: runner.ExitUnsupported, Code: runner.CodeUnsupportedCapability, Says: "inline.native-text"},
		refused(38, "compact on run", C0, input, runner.CodeInvalidRequest, "/allow_paid_execution"),
	}
}

func paid() []Case {
	unsupported := func(n int, name, body string) Case {
		return Case{Number: n, Name: name, Body: body, Act: Validate, Unit: runner.UnitRejected, Validation: runner.NotChecked,
			Exit: runner.ExitUnsupported, Code: runner.CodeUnsupportedCapability, Says: runner.CapCopilotText}
	}
	return []Case{
		unsupported(39, "paid without consent", edit(P0(), `"allow_paid_execution":true`, `"allow_paid_execution":false`)),
		unsupported(40, "paid with consent", P0()),
	}
}

// evalText is M0's eval as the JSON string it is.
func evalText() string {
	_, rest, _ := strings.Cut(M0, `"eval":`)
	text, _, _ := strings.Cut(rest, `,"task":`)
	return text
}

func names(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"future.%d"`, i))
	}
	return strings.Join(list, ",")
}
