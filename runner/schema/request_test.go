package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

const (
	compactRequest = `{"schema_version":"1.0","versions":["1.0"],"required_capabilities":["negotiation"],"optional_capabilities":[]}`

	completeRequest = `{"schema_version":"1.0","versions":["1.0"],"required_capabilities":["exact-unit","inline.mock-text"],` +
		`"optional_capabilities":[],"run_key":"tide-2031",` +
		`"selection":{"shard":"quay-east","task":"berth-7","trial":3,"attempt":1},` +
		`"input":{"shard":"quay-east","eval":"name: Tidal log\n","task":"id: berth-7\n"},` +
		`"timeout_ms":45000,"allow_paid_execution":false}`
)

// docCase is one edited document: it fits, or it is refused at a place.
type docCase struct {
	rule  string
	edits []string
	place string // JSON Pointer of the refusal; "ok" when the document fits
}

func (c docCase) check(t *testing.T, name, base string) (doc []byte, fits bool) {
	t.Helper()
	doc = edited(t, base, c.edits...)
	err := schematest.Valid(name, doc)
	switch {
	case c.place == "ok" && err != nil:
		t.Errorf("%s: %v: got %v, want a document that fits", c.rule, c.edits, err)
	case c.place != "ok" && err == nil:
		t.Errorf("%s: %v: got no refusal, want one at %q", c.rule, c.edits, c.place)
	case c.place != "ok" && !strings.Contains(err.Error(), fmt.Sprintf("%q: ", c.place)):
		t.Errorf("%s: %v: got %v, want a refusal at %q", c.rule, c.edits, err, c.place)
	}
	return doc, err == nil
}

// list writes n distinct names or versions as a JSON list.
func list(n int, format string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("%q", fmt.Sprintf(format, i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// listCases are the rules that both requests share.
func listCases(rule string) []docCase {
	return []docCase{
		{rule, nil, "ok"},
		{rule, []string{"/schema_version"}, ""},
		{rule, []string{`/schema_version "1.1"`}, "/schema_version"},
		{rule, []string{"/schema_version 1.0"}, "/schema_version"},
		{rule, []string{"/versions"}, ""},
		{rule, []string{"/versions []"}, "/versions"},
		{rule, []string{"/versions null"}, "/versions"},
		{rule, []string{`/versions "1.0"`}, "/versions"},
		{rule, []string{`/versions ["9.9","01.0"]`}, "ok"},
		{rule, []string{`/versions ["1.0","1.0"]`}, "/versions"},
		{rule, []string{`/versions ["1.0","\u0031.0"]`}, "/versions"},
		{rule, []string{`/versions ["1"]`}, "/versions/0"},
		{rule, []string{`/versions ["1.0\n"]`}, "/versions/0"},
		{rule, []string{`/versions [1.0]`}, "/versions/0"},
		{rule, []string{"/required_capabilities"}, ""},
		{rule, []string{"/required_capabilities null"}, "/required_capabilities"},
		{rule, []string{"/required_capabilities []"}, "ok"},
		{rule, []string{"/optional_capabilities"}, ""},
		{rule, []string{"/optional_capabilities {}"}, "/optional_capabilities"},
		{rule, []string{`/optional_capabilities ["a","b","a"]`}, "/optional_capabilities"},
		{rule, []string{`/optional_capabilities [""]`}, "/optional_capabilities/0"},
		{rule, []string{`/optional_capabilities [".hidden"]`}, "/optional_capabilities/0"},
		{rule, []string{`/optional_capabilities ["telepathy.v1","A_b-c.9"]`}, "ok"},
		{rule, []string{`/optional_capabilities ["` + strings.Repeat("a", 128) + `"]`}, "ok"},
		{rule, []string{`/optional_capabilities ["` + strings.Repeat("a", 129) + `"]`}, "/optional_capabilities/0"},
		{rule, []string{`/note 1`}, ""},
		{rule, []string{"/versions", `/Versions ["1.0"]`}, ""},
	}
}

// runner 2.2
func TestCompactRequest(t *testing.T) {
	t.Parallel()
	for _, c := range append(listCases("runner 2.2"), []docCase{
		{"runner 3.3", []string{"/versions " + list(64, "%d.0")}, "ok"},
		{"runner 3.3", []string{"/versions " + list(65, "%d.0")}, "/versions"},
		{"runner 3.3", []string{`/versions ["1.` + strings.Repeat("0", 30) + `"]`}, "ok"},
		{"runner 3.3", []string{`/versions ["1.` + strings.Repeat("0", 31) + `"]`}, "/versions/0"},
		{"runner 3.3", []string{"/required_capabilities " + list(64, "n%d")}, "ok"},
		{"runner 3.3", []string{"/required_capabilities " + list(65, "n%d")}, "/required_capabilities"},
		{"runner 3.3", []string{"/optional_capabilities " + list(65, "n%d")}, "/optional_capabilities"},
	}...) {
		doc, fits := c.check(t, schema.NegotiationRequest, compactRequest)
		request, faults := runner.ReadRequest(doc)
		if read := !faults.Any(); read != fits || request.Complete {
			t.Errorf("%s: %v: schema fits %t, reader accepts %t (complete %t): want the same verdict", c.rule, c.edits, fits, read, request.Complete)
		}
	}
}

// runner 3.2: any complete-only key selects the complete schema, so the compact one need not know it.
func TestCompactRequestHasNoCompleteKey(t *testing.T) {
	t.Parallel()
	for _, edit := range []string{`/run_key "tide"`, "/selection {}", "/input {}", "/timeout_ms 1", "/allow_paid_execution false"} {
		docCase{"runner 3.2", []string{edit}, ""}.check(t, schema.NegotiationRequest, compactRequest)
	}
}

// runner 2.3
func TestCompleteRequest(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("k", 128)
	for _, c := range append(listCases("runner 2.3"), []docCase{
		{"runner 3.3", []string{"/versions " + list(65, "%d.0")}, "ok"},
		{"runner 3.3", []string{`/versions ["1.` + strings.Repeat("0", 31) + `"]`}, "ok"},
		{"runner 3.3", []string{"/required_capabilities " + list(65, "n%d")}, "ok"},
		{"runner 2.3", []string{"/run_key"}, ""},
		{"runner 2.3", []string{`/run_key ""`}, "/run_key"},
		{"runner 2.3", []string{`/run_key "tide\n"`}, "/run_key"},
		{"runner 2.3", []string{`/run_key "-tide"`}, "/run_key"},
		{"runner 2.3", []string{`/run_key "` + longest + `"`}, "ok"},
		{"runner 2.3", []string{`/run_key "` + longest + `k"`}, "/run_key"},
		{"runner 2.3", []string{"/selection"}, ""},
		{"runner 2.3", []string{"/selection null"}, "/selection"},
		{"runner 2.3", []string{"/selection/shard"}, "/selection"},
		{"runner 2.3", []string{`/selection/shard "quay east"`}, "/selection/shard"},
		{"runner 2.3", []string{"/selection/task"}, "/selection"},
		{"runner 2.3", []string{"/selection/task 7"}, "/selection/task"},
		{"runner 2.3", []string{"/selection/trial"}, "/selection"},
		{"runner 2.3", []string{"/selection/attempt"}, "/selection"},
		{"runner 2.3", []string{"/selection/note 1"}, "/selection"},
		{"runner 2.3", []string{"/input"}, ""},
		{"runner 2.3", []string{"/input/shard"}, "/input"},
		{"runner 2.3", []string{`/input/shard "quay/east"`}, "/input/shard"},
		{"runner 2.3", []string{"/input/eval"}, "/input"},
		{"runner 2.3", []string{`/input/eval ""`}, "/input/eval"},
		{"runner 2.3", []string{`/input/eval " "`}, "ok"},
		{"runner 2.3", []string{`/input/task ""`}, "/input/task"},
		{"runner 2.3", []string{"/input/task null"}, "/input/task"},
		{"runner 2.3", []string{`/input/path "a"`}, "/input"},
		{"runner 2.3", []string{"/timeout_ms"}, ""},
		{"runner 2.3", []string{"/allow_paid_execution"}, ""},
		{"runner 2.3", []string{"/allow_paid_execution null"}, "/allow_paid_execution"},
		{"runner 2.3", []string{"/allow_paid_execution 0"}, "/allow_paid_execution"},
		{"runner 2.3", []string{"/allow_paid_execution true"}, "ok"},
	}...) {
		doc, fits := c.check(t, schema.Request, completeRequest)
		_, faults := runner.ReadUnitRequest(doc)
		if read := !faults.Any(); read != fits {
			t.Errorf("%s: %v: schema fits %t, reader accepts %t: want the same verdict", c.rule, c.edits, fits, read)
		}
	}
}

// runner 3.1: an integer is a mathematical value, whatever its spelling.
func TestIntegerSpellings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		token            string
		timeout, ordinal bool
	}{
		{"6e4", true, true}, {"2.0", true, true}, {"20e-1", true, true}, {"1E0", true, true}, {"1e+0", true, true},
		{"0.0006e8", true, true}, {"100000000000000000000e-20", true, true}, {"1e0000000000000000004", true, true},
		{"8.64e7", true, true}, {"86400001", false, true}, {"864000005e-1", false, false},
		{"60000.000000000000001", false, false}, {"2147483647.00000000001", false, false},
		{"21474836470e-1", false, true}, {"2147483647", false, true}, {"2147483648", false, false},
		{"0", false, false}, {"-0", false, false}, {"-0.0", false, false}, {"0e400", false, false}, {"-1", false, false},
		{"1e400", false, false}, {"1e-400", false, false},
		{`"2"`, false, false}, {"true", false, false}, {"null", false, false}, {"[2]", false, false},
	} {
		for pointer, want := range map[string]bool{
			"/timeout_ms": row.timeout, "/selection/trial": row.ordinal, "/selection/attempt": row.ordinal,
		} {
			place := pointer
			if want {
				place = "ok"
			}
			doc, fits := docCase{"runner 3.1", []string{pointer + " " + row.token}, place}.check(t, schema.Request, completeRequest)
			if !strings.Contains(string(doc), ":"+row.token) {
				t.Fatalf("%s %s: got %s, want the token as it is spelled", pointer, row.token, doc)
			}
			if _, faults := runner.ReadUnitRequest(doc); faults.Any() == fits {
				t.Errorf("%s %s: schema fits %t, reader accepts %t: want the same verdict", pointer, row.token, fits, !fits)
			}
		}
	}
}
