package strictjson_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/runner/strictjson"
)

// runner 3.1: every row of the table, for both pairs of bounds.
func TestIntegerTable(t *testing.T) {
	t.Parallel()
	const exact, fraction, below, above = strictjson.Exact, strictjson.Fraction, strictjson.BelowRange, strictjson.AboveRange
	for _, c := range []struct {
		token            string
		value            int64
		timeout, ordinal strictjson.Integrity
	}{
		{"6e4", 60000, exact, exact},
		{"2.0", 2, exact, exact},
		{"20e-1", 2, exact, exact},
		{"1E0", 1, exact, exact},
		{"1e+0", 1, exact, exact},
		{"0.0006e8", 60000, exact, exact},
		{"100000000000000000000e-20", 1, exact, exact},
		{"1e0000000000000000004", 10000, exact, exact},
		{"8.64e7", 86400000, exact, exact},
		{"86400001", 86400001, above, exact},
		{"864000005e-1", 0, fraction, fraction},
		{"60000.000000000000001", 0, fraction, fraction},
		{"2147483647.00000000001", 0, fraction, fraction},
		{"21474836470e-1", 2147483647, above, exact},
		{"2147483648", 2147483648, above, above},
		{"0", 0, below, below},
		{"-0", 0, below, below},
		{"-0.0", 0, below, below},
		{"0e400", 0, below, below},
		{"-1", -1, below, below},
		{"-1e99", 0, below, below},
		{"1e400", 0, above, above},
		{"1e-400", 0, fraction, fraction},
		{"1e" + strings.Repeat("9", 4000), 0, above, above},
		{"1e-" + strings.Repeat("9", 4000), 0, fraction, fraction},
		{"9999999999", 9999999999, above, above},
		{"10000000000", 0, above, above},
	} {
		if v, got := strictjson.Integer([]byte(c.token), 1, 86400000); got != c.timeout || got == exact && v != c.value {
			t.Errorf("timeout %.40s: got %d %v, want %d %v", c.token, v, got, c.value, c.timeout)
		}
		if v, got := strictjson.Integer([]byte(c.token), 1, 2147483647); got != c.ordinal || got == exact && v != c.value {
			t.Errorf("ordinal %.40s: got %d %v, want %d %v", c.token, v, got, c.value, c.ordinal)
		}
	}
}

// slowInteger is the same rule by rational arithmetic.
func slowInteger(token string, lower, upper int64) (int64, strictjson.Integrity) {
	r, ok := new(big.Rat).SetString(token)
	if !ok {
		panic("not a number: " + token)
	}
	switch {
	case !r.IsInt():
		return 0, strictjson.Fraction
	case r.Num().Cmp(big.NewInt(lower)) < 0:
		return 0, strictjson.BelowRange
	case r.Num().Cmp(big.NewInt(upper)) > 0:
		return 0, strictjson.AboveRange
	}
	return r.Num().Int64(), strictjson.Exact
}

// runner 3.1: the quick rule and the slow one agree on every spelling.
func TestIntegerAgreesWithRationals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?([eE][+-]?0?[0-9]{1,2})?`).Draw(t, "token")
		agree(t, token)
	})
}

func FuzzInteger(f *testing.F) {
	for _, seed := range []string{"6e4", "2.0", "20e-1", "-0.0", "864000005e-1", "1e20"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		doc, fault := strictjson.Read([]byte(`{"a":`+token+`}`), probe(), limits)
		if fault != nil {
			return
		}
		v, ok := doc.Value("/a")
		if !ok || v.Kind() != strictjson.Number || hugeExponent(string(v.Text)) {
			return
		}
		agree(t, string(v.Text))
	})
}

// hugeExponent keeps the slow implementation from expanding an exponent.
func hugeExponent(token string) bool {
	_, power, found := strings.Cut(strings.ToLower(token), "e")
	return found && len(strings.TrimLeft(power, "+-0")) > 3
}

func agree(t interface{ Fatalf(string, ...any) }, token string) {
	const lower, upper = 1, 86400000
	got, verdict := strictjson.Integer([]byte(token), lower, upper)
	want, wantVerdict := slowInteger(token, lower, upper)
	if verdict != wantVerdict || verdict == strictjson.Exact && got != want {
		t.Fatalf("%s: got %d %v, want %d %v", token, got, verdict, want, wantVerdict)
	}
}
