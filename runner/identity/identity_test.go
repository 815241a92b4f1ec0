package identity_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"parley/runner"
	"parley/runner/identity"
)

// runner-identity 2: one row for each form, the chosen ones included.
func TestEncode(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"empty string", `""`, "s0:"},
		{"empty list", "[]", "a0:"},
		{"empty mapping", "{}", "m0:"},
		{"length in bytes", "é😀", "s6:é😀"},
		{"string as parsed", `" a\n"`, "s3: a\n"},
		{"quoted number is a string", `"2.0"`, "s3:2.0"},
		{"tagged number is a string", "!!str 5", "s1:5"},
		{"yes is a string", "yes", "s3:yes"},
		{"keys by text, not by token", "{name: 1, config: 2, a: 3}", "m3:s1:ai1:3s6:configi1:2s4:namei1:1"},
		{"keys by bytes", "{é: 1, z: 2, Z: 3}", "m3:s1:Zi1:3s1:zi1:2s2:éi1:1"},
		{"list order stays", "[b, a]", "a2:s1:bs1:a"},
		{"integer", "30", "i2:30"},
		{"plus sign", "+5", "i1:5"},
		{"minus sign is a digit", "-12", "i3:-12"},
		{"minus zero", "-0", "i1:0"},
		{"hexadecimal", "0x1E", "i2:30"},
		{"octal", "0o36", "i2:30"},
		{"old octal", "036", "i2:30"},
		{"binary", "0b11", "i1:3"},
		{"underscores", "1_000", "i4:1000"},
		{"tagged integer", `!!int "5"`, "i1:5"},
		{"largest unsigned", "18446744073709551615", "i20:18446744073709551615"},
		{"true", "TRUE", "b4:true"},
		{"false", "False", "b5:false"},
		{"null", "~", "n0:"},
		{"fraction", "0.50", "f3:0.5"},
		{"fraction with exponent", "5e-1", "f3:0.5"},
		{"fraction without leading zero", "+.5", "f3:0.5"},
		{"negative fraction", "-0.250", "f5:-0.25"},
		{"no binary rounding", "0.1000000000000000055511151231257827", "f36:0.1000000000000000055511151231257827"},
		{"fraction behind an integer part", "12.340", "f5:12.34"},
		{"integer by value", "1.0", "i1:1"},
		{"integer by exponent", "1.2e3", "i4:1200"},
		{"zero by value", "-0.0", "i1:0"},
		{"zero with a huge exponent", "0e999999999999999999999", "i1:0"},
		{"integer beyond 64 bits", "99999999999999999999", "i20:99999999999999999999"},
		{"float tag on an integer", "!!float 0x10", "i2:16"},
		{"least native float", "5e-324", "f326:0." + strings.Repeat("0", 323) + "5"},
		{"large native float", "1e308", "i309:1" + strings.Repeat("0", 308)},
		{"long zeros and a matching exponent", "0." + strings.Repeat("0", 5000) + "1e5001", "i1:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := encode(t, root(t, tt.text)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// runner-identity 2: what is rejected before encoding has no encoding either.
func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"alias", "{a: &x 1, b: *x}", "an anchor"},
		{"anchor", "a: &x 1", "an anchor"},
		{"anchored key", "&x a: 1", "a key that is no plain string"},
		{"merge key", "{<<: {a: 1}}", "a key that is no plain string"},
		{"number as key", "1: a", "a key that is no plain string"},
		{"repeated key", "{a: 1, b: 2, a: 3}", "a repeated key"},
		{"foreign tag", "!x 1", "not a number"},
		{"foreign tag on a mapping", "!x {}", "a mapping of another type"},
		{"foreign tag on a list", "!x []", "a list of another type"},
		{"date", "2024-01-01", "not a number"},
		{"binary", "!!binary aGk=", "not a number"},
		{"infinity", ".inf", "not a finite number"},
		{"not a number", ".nan", "not a finite number"},
		{"underflow", "1e-400", "a number that a native float turns into 0"},
		{"nesting", strings.Repeat("[", 65) + strings.Repeat("]", 65), "nesting over 64 levels"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := identity.Encode(root(t, tt.text))
			if !errors.Is(err, identity.ErrNotEncodable) || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %q, error %v, want error %q", got, err, tt.want)
			}
		})
	}
	for name, n := range map[string]*yaml.Node{"nothing": nil, "document": {Kind: yaml.DocumentNode}, "alias": {Kind: yaml.AliasNode}} {
		if _, err := identity.Encode(n); !errors.Is(err, identity.ErrNotEncodable) {
			t.Errorf("%s: got error %v, want ErrNotEncodable", name, err)
		}
	}
	good, bad := root(t, "a: 1"), root(t, "a: .inf")
	if _, err := identity.Of(&runner.Request{}, bad, good); err == nil || !strings.Contains(err.Error(), "from the eval") {
		t.Errorf("got error %v, want one about the eval", err)
	}
	if _, err := identity.Of(&runner.Request{}, good, bad); err == nil || !strings.Contains(err.Error(), "from the task") {
		t.Errorf("got error %v, want one about the task", err)
	}
}

// runner-identity 1, what is in and what is out: each change moves its own level and all below, and the digest.
func TestDeriveLevels(t *testing.T) {
	t.Parallel()
	base := runner.Request{RunKey: "tide", TimeoutMS: 1000, Selection: runner.Selection{Shard: "s", Task: "t", Trial: 1, Attempt: 1}}
	of := func(r runner.Request, eval, task string) []string {
		d := identity.Derive(&r, eval, task)
		return []string{d.Run, d.Shard, d.Task, d.Trial, d.Attempt, d.CanonicalDigest}
	}
	want := of(base, "m0:", "m0:")
	tests := []struct {
		name       string
		edit       func(r *runner.Request)
		eval, task string
		kept       int // levels that stay
	}{
		{"run key", func(r *runner.Request) { r.RunKey = "ebb" }, "m0:", "m0:", 0},
		{"timeout", func(r *runner.Request) { r.TimeoutMS++ }, "m0:", "m0:", 0},
		{"eval", func(*runner.Request) {}, "m1:", "m0:", 0},
		{"shard", func(r *runner.Request) { r.Selection.Shard = "x" }, "m0:", "m0:", 1},
		{"task key", func(r *runner.Request) { r.Selection.Task = "x" }, "m0:", "m0:", 2},
		{"task document", func(*runner.Request) {}, "m0:", "m1:", 2},
		{"trial", func(r *runner.Request) { r.Selection.Trial = 2 }, "m0:", "m0:", 3},
		{"attempt", func(r *runner.Request) { r.Selection.Attempt = 2 }, "m0:", "m0:", 4},
		{"versions, capabilities and consent", func(r *runner.Request) {
			r.Versions, r.Required, r.Optional, r.AllowPaidExecution = []string{"9.9"}, []string{"x"}, []string{"y"}, true
		}, "m0:", "m0:", 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := base
			tt.edit(&r)
			got := of(r, tt.eval, tt.task)
			for level := range got {
				if same := got[level] == want[level]; same != (level < tt.kept) {
					t.Errorf("level %d: got the same %v, want %v", level, same, level < tt.kept)
				}
			}
		})
	}
}

// hostile-inputs J-3: the chain hashes a document of megabytes without copying it. Not parallel: the allocation counter
// is the process's.
func TestDeriveCopiesNoDocument(t *testing.T) {
	document := strings.Repeat("x", 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	identity.Derive(&runner.Request{}, document, document)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("got %d bytes allocated, want less than a quarter of a document", got)
	}
}
