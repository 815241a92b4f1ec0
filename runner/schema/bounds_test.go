package schema_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
)

// codePattern is the form of a diagnostic code (runner 2.6); package runner has codes but no need of their pattern.
const codePattern = `^[a-z][a-z0-9_]*$`

// The bounds stand twice, in package runner and here; neither may drift.
func TestBoundsAreThoseOfThePackage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		rule, name, pointer string
		want                any
	}{
		{"runner 2.2", schema.NegotiationRequest, "/properties/versions/minItems", 1},
		{"runner 2.2", schema.NegotiationRequest, "/properties/versions/maxItems", runner.MaxCompactEntries},
		{"runner 2.2", schema.NegotiationRequest, "/properties/versions/uniqueItems", true},
		{"runner 2.2", schema.NegotiationRequest, "/properties/versions/items/maxLength", runner.MaxCompactVersion},
		{"runner 2.2", schema.NegotiationRequest, "/properties/versions/items/pattern", runner.VersionPattern},
		{"runner 2.2", schema.NegotiationRequest, "/$defs/capability_names/minItems", nil},
		{"runner 2.2", schema.NegotiationRequest, "/$defs/capability_names/maxItems", runner.MaxCompactEntries},
		{"runner 2.2", schema.NegotiationRequest, "/$defs/capability_names/uniqueItems", true},
		{"runner 2.2", schema.NegotiationRequest, "/$defs/capability_names/items/pattern", runner.CapabilityPattern},

		{"runner 2.3", schema.Request, "/properties/versions/minItems", 1},
		{"runner 2.3", schema.Request, "/properties/versions/maxItems", nil},
		{"runner 2.3", schema.Request, "/properties/versions/uniqueItems", true},
		{"runner 2.3", schema.Request, "/properties/versions/items/maxLength", nil},
		{"runner 2.3", schema.Request, "/properties/versions/items/pattern", runner.VersionPattern},
		{"runner 2.3", schema.Request, "/$defs/capability_names/maxItems", nil},
		{"runner 2.3", schema.Request, "/$defs/capability_names/uniqueItems", true},
		{"runner 2.3", schema.Request, "/$defs/capability_names/items/pattern", runner.CapabilityPattern},
		{"runner 2.3", schema.Request, "/properties/timeout_ms/minimum", runner.MinTimeoutMS},
		{"runner 2.3", schema.Request, "/properties/timeout_ms/maximum", runner.MaxTimeoutMS},
		{"runner 2.3", schema.Request, "/$defs/key/pattern", runner.KeyPattern},
		{"runner 2.3", schema.Request, "/$defs/ordinal/minimum", runner.MinOrdinal},
		{"runner 2.3", schema.Request, "/$defs/ordinal/maximum", runner.MaxOrdinal},
		{"runner 2.3", schema.Request, "/$defs/input/properties/eval/minLength", 1},
		{"runner 2.3", schema.Request, "/$defs/input/properties/task/minLength", 1},

		{"runner 2.1", schema.Capabilities, "/properties/versions/minItems", 1},
		{"runner 2.1", schema.Capabilities, "/properties/versions/items/pattern", runner.VersionPattern},
		{"runner 2.1", schema.Capabilities, "/properties/capabilities/uniqueItems", true},
		{"runner 2.1", schema.Capabilities, "/properties/capabilities/items/pattern", runner.CapabilityPattern},

		{"runner 2.4", schema.NegotiationResponse, "/properties/kind/const", runner.KindNegotiation},
		{"runner 2.4", schema.NegotiationResponse, "/$defs/terms/properties/version/const", runner.Version},
		{"runner 3.3", schema.NegotiationResponse, "/allOf/2/then/properties/diagnostics/maxItems", runner.MaxMissingNames + 1},
		{"runner 3.3", schema.NegotiationResponse, "/allOf/3/then/properties/diagnostics/items/properties/message/maxLength", runner.MaxMessage},

		{"runner 2.5", schema.Unit, "/properties/kind/const", runner.KindUnit},
		{"runner 2.5", schema.Unit, "/properties/adjacent_work_selected/const", false},
		{"runner 2.5", schema.Unit, "/properties/engine_calls/minimum", 0},
		{"runner 2.5", schema.Unit, "/properties/engine_calls/maximum", 1},
		{"runner 2.5", schema.Unit, "/$defs/key/pattern", runner.KeyPattern},
		{"runner 2.5", schema.Unit, "/$defs/ordinal/maximum", runner.MaxOrdinal},
		{"runner 3.3", schema.Unit, "/allOf/2/then/properties/diagnostics/items/properties/message/maxLength", runner.MaxMessage},

		{"runner 2.6", schema.Terminal, "/properties/kind/const", runner.KindTerminal},
		{"runner 2.6", schema.Terminal, "/properties/exit_code/minimum", runner.ExitOK},
		{"runner 2.6", schema.Terminal, "/properties/exit_code/maximum", runner.ExitInvalid},
		{"runner 2.6", schema.Terminal, "/properties/engine_calls/minimum", 0},
		{"runner 2.6", schema.Terminal, "/properties/engine_calls/maximum", 1},
		{"runner 2.6", schema.Terminal, "/properties/diagnostics/maxItems", runner.MaxTerminalDiagnostics},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic/properties/code/minLength", 1},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic/properties/code/maxLength", 64},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic/properties/code/pattern", codePattern},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic/properties/message/minLength", 1},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic/properties/message/maxLength", runner.MaxMessage},
		{"runner 2.6", schema.Terminal, "/$defs/observation/properties/validations/maxItems", runner.MaxTerminalChecks},
		{"runner 2.6", schema.Terminal, "/$defs/check/properties/feedback/maxLength", runner.MaxMessage},
		{"runner 2.6", schema.Terminal, "/$defs/key/pattern", runner.KeyPattern},
		{"runner 2.6", schema.Terminal, "/$defs/ordinal/maximum", runner.MaxOrdinal},
	} {
		if got := at(published(t, row.name), row.pointer); fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s: %s#%s: got %v, want %v", row.rule, row.name, row.pointer, got, row.want)
		}
	}
}

func TestVocabularyIsThatOfThePackage(t *testing.T) {
	t.Parallel()
	validations := []runner.Validation{runner.NotChecked, runner.Invalid, runner.Valid}
	modes := []string{runner.ModeMock, runner.ModeCopilot}
	attempt := []string{runner.StatusPassed, runner.StatusFailed, runner.StatusError}
	for _, row := range []struct {
		rule, name, pointer string
		want                any
	}{
		{"runner 2.4", schema.NegotiationResponse, "/properties/status/enum", []runner.Status{
			runner.Compatible, runner.VersionUnsupported, runner.CapUnsupported, runner.RequestInvalid}},
		{"runner 2.5", schema.Unit, "/properties/status/enum", []runner.UnitStatus{
			runner.UnitReady, runner.UnitRejected, runner.UnitCompleted, runner.UnitExecutionError}},
		{"runner 2.5", schema.Unit, "/properties/validation/enum", validations},
		{"runner 2.5", schema.Unit, "/properties/execution_mode/enum", modes},
		{"runner 5.2", schema.Unit, "/$defs/run_result/properties/status/enum", attempt},
		{"runner 2.6", schema.Terminal, "/properties/outcome/enum", runner.Outcomes()},
		{"runner 2.6", schema.Terminal, "/properties/failure_boundary/enum", runner.Boundaries()},
		{"runner 2.6", schema.Terminal, "/properties/validation/enum", validations},
		{"runner 2.6", schema.Terminal, "/$defs/observation/properties/execution_mode/enum", modes},
		{"runner 2.6", schema.Terminal, "/$defs/observation/properties/status/enum", attempt},
	} {
		if got := at(published(t, row.name), row.pointer); fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s: %s#%s: got %v, want %v", row.rule, row.name, row.pointer, got, row.want)
		}
	}
}

// runner 1.1: the envelope version is 1.0 in every document.
func TestEnvelopeVersionIsOne(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		if got := at(published(t, name), "/properties/schema_version/const"); got != runner.SchemaVersion {
			t.Errorf("%s: schema_version: got %v, want %s", name, got, runner.SchemaVersion)
		}
	}
}

// runner 2.9: a negotiation that could not read its request says why with a code of the input step. The policy on paid
// execution is asked by run alone, so its code never appears there (runner 7.3).
func TestInvalidRequestUsesTheInputCodes(t *testing.T) {
	t.Parallel()
	var want []string
	for _, row := range runner.Codes() {
		if row.Where == runner.BoundaryInput && row.Code != runner.CodeNativeHTTPDenied {
			want = append(want, string(row.Code))
		}
	}
	var got []string
	codes := at(published(t, schema.NegotiationResponse), "/allOf/3/then/properties/diagnostics/items/properties/code/enum")
	for _, code := range codes.([]any) {
		got = append(got, code.(string))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("codes: got %v, want %v", got, want)
	}
}

// runner 2.6: every code that this program can write fits the terminal's form of a code.
func TestCodesFitTheirPattern(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(codePattern)
	for _, row := range runner.Codes() {
		if !form.MatchString(string(row.Code)) || len(row.Code) > 64 {
			t.Errorf("code %q: got no match, want 1 to 64 characters of %s", row.Code, codePattern)
		}
	}
}

// runner 2.7: the shape of the seven identity fields, with the lengths that the contract names.
func TestIdentityShape(t *testing.T) {
	t.Parallel()
	for _, name := range []string{schema.Unit, schema.Terminal} {
		fields := at(published(t, name), "/$defs/identity/properties")
		if got := at(fields, "/version/const"); got != "sha256-waza-c14n-v1" {
			t.Errorf("%s: version: got %v, want sha256-waza-c14n-v1", name, got)
		}
		for field, want := range map[string]struct {
			prefix string
			length int
		}{
			"canonical_digest": {"", 64}, "run": {"run-", 68}, "shard": {"shard-", 70}, "task": {"task-", 69},
			"trial": {"trial-", 70}, "attempt": {"attempt-", 72},
		} {
			pattern, _ := at(fields, "/"+field+"/pattern").(string)
			value := want.prefix + strings.Repeat("0a", 32)
			if len(value) != want.length || !regexp.MustCompile(pattern).MatchString(value) {
				t.Errorf("%s: %s: pattern %q refuses a value of %d, want it to fit", name, field, pattern, want.length)
			}
			if want := "^" + want.prefix + "[a-f0-9]{64}$"; pattern != want {
				t.Errorf("%s: %s: got pattern %q, want %q", name, field, pattern, want)
			}
		}
	}
}
