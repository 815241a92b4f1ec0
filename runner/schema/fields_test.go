package schema_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
)

// The documents are Go types in package runner; a schema has exactly their keys, and requires exactly those that are
// always written.
func TestKeysAreThoseOfTheType(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		rule, name, pointer string
		document            reflect.Type
	}{
		{"runner 2.1", schema.Capabilities, "", reflect.TypeFor[runner.Advertisement]()},
		{"runner 2.4", schema.NegotiationResponse, "", reflect.TypeFor[runner.Negotiation]()},
		{"runner 2.4", schema.NegotiationResponse, "/$defs/terms", reflect.TypeFor[runner.Terms]()},
		{"runner 2.4", schema.NegotiationResponse, "/$defs/diagnostic", reflect.TypeFor[runner.Diagnostic]()},
		{"runner 2.5", schema.Unit, "", reflect.TypeFor[runner.Receipt]()},
		{"runner 2.5", schema.Unit, "/$defs/selection", reflect.TypeFor[runner.Selection]()},
		{"runner 2.7", schema.Unit, "/$defs/identity", reflect.TypeFor[runner.Identity]()},
		{"runner 5.2", schema.Unit, "/$defs/run_result", reflect.TypeFor[runner.RunResult]()},
		{"runner 5.2", schema.Unit, "/$defs/session_digest", reflect.TypeFor[runner.SessionDigest]()},
		{"runner 5.2", schema.Unit, "/$defs/grade_result", reflect.TypeFor[runner.GradeResult]()},
		{"runner 5.2", schema.Unit, "/$defs/grade_details", reflect.TypeFor[runner.GradeDetails]()},
		{"runner 2.6", schema.Terminal, "", reflect.TypeFor[runner.Terminal]()},
		{"runner 2.6", schema.Terminal, "/$defs/selection", reflect.TypeFor[runner.Selection]()},
		{"runner 2.6", schema.Terminal, "/$defs/diagnostic", reflect.TypeFor[runner.Diagnostic]()},
		{"runner 2.6", schema.Terminal, "/$defs/observation", reflect.TypeFor[runner.Observation]()},
		{"runner 2.6", schema.Terminal, "/$defs/check", reflect.TypeFor[runner.Check]()},
		{"runner 2.7", schema.Terminal, "/$defs/identity", reflect.TypeFor[runner.Identity]()},
	} {
		keys, always := keysOf(row.document)
		checkKeys(t, row.rule, row.name, row.pointer, keys, always)
	}
}

// runner 2.2 and 2.3: requests have no tagged type, because they are read by hand; every key is required.
func TestKeysOfRequests(t *testing.T) {
	t.Parallel()
	compact := []string{"schema_version", "versions", "required_capabilities", "optional_capabilities"}
	complete := append(slices.Clone(compact), "run_key", "selection", "input", "timeout_ms", "allow_paid_execution")
	checkKeys(t, "runner 2.2", schema.NegotiationRequest, "", compact, compact)
	checkKeys(t, "runner 2.3", schema.Request, "", complete, complete)
	selection := []string{"shard", "task", "trial", "attempt"}
	checkKeys(t, "runner 2.3", schema.Request, "/$defs/selection", selection, selection)
	input := []string{"shard", "eval", "task"}
	checkKeys(t, "runner 2.3", schema.Request, "/$defs/input", input, input)
}

// checkKeys compares the order of the required keys too: it is the order in which documents are written.
func checkKeys(t *testing.T, rule, name, pointer string, keys, always []string) {
	t.Helper()
	object := at(published(t, name), pointer)
	properties, _ := at(object, "/properties").(map[string]any)
	got := slices.Sorted(maps.Keys(properties))
	if want := slices.Sorted(slices.Values(keys)); !slices.Equal(got, want) {
		t.Errorf("%s: %s#%s: got keys %v, want %v", rule, name, pointer, got, want)
	}
	var required []string
	for _, key := range at(object, "/required").([]any) {
		required = append(required, key.(string))
	}
	if !slices.Equal(required, always) {
		t.Errorf("%s: %s#%s: got required %v, want %v", rule, name, pointer, required, always)
	}
}

// keysOf lists a document's keys and those that are always written.
func keysOf(document reflect.Type) (keys, always []string) {
	for i := range document.NumField() {
		name, options, _ := strings.Cut(document.Field(i).Tag.Get("json"), ",")
		keys = append(keys, name)
		if options != "omitzero" {
			always = append(always, name)
		}
	}
	return keys, always
}
