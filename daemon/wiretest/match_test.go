package wiretest_test

import (
	"strings"
	"testing"

	"parley/daemon/wiretest"
)

// Values are compared as a decoder of the wire sees them, placeholders by what they are bound to. // behaviour 10
func TestMatching(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want, got, differs string }{
		{"equal", `{"a":1,"b":["x"]}`, `{"b":["x"],"a":1}`, ""},
		{"zero is absent", `{"a":""}`, `{"b":false,"c":0,"d":[],"e":null}`, ""},
		{"another value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, "a.b: expected 1, found 2"},
		{"text and number", `{"a":"1"}`, `{"a":1}`, `a: expected "1", found 1`},
		{"missing", `{"a":1}`, `{}`, "a: expected 1, found nothing"},
		{"too much", `{}`, `{"a":1}`, "a: expected nothing, found 1"},
		{"others allowed", `{"$others":"any"}`, `{"a":1}`, ""},
		{"anything", `{"a":{"$any":1}}`, `{"a":"x"}`, ""},
		{"anything must be there", `{"a":{"$any":1}}`, `{}`, "a: expected"},
		{"optional and absent", `{"a":{"$optional":1}}`, `{}`, ""},
		{"optional and wrong", `{"a":{"$optional":1}}`, `{"a":2}`, "a: expected 1, found 2"},
		{"one of", `{"a":{"$one_of":[1,2]}}`, `{"a":2}`, ""},
		{"none of", `{"a":{"$one_of":[1,2]}}`, `{"a":3}`, "a: expected one of [1,2], found 3"},
		{"longer list", `{"a":[1]}`, `{"a":[1,2]}`, "a: expected [1], found [1,2]"},
		{"placeholder twice", `{"a":"$handle","b":"$handle"}`, `{"a":"h","b":"h"}`, ""},
		{"placeholder not repeated", `{"a":"$handle","b":"$handle"}`, `{"a":"h","b":"i"}`, `b: expected "h", found "i"`},
		{"placeholder empty", `{"a":"$handle"}`, `{"a":""}`, "a: expected a value for $handle, found none"},
		{"second placeholder", `{"a":"$handle","b":"$handle_2"}`, `{"a":"h","b":"i"}`, ""},
		{"second placeholder not new", `{"a":"$handle","b":"$handle_2"}`, `{"a":"h","b":"h"}`, "b: expected a new value for $handle_2"},
		{"base with a change", `{"a":{"$base":{"x":1,"y":2},"y":3}}`, `{"a":{"x":1,"y":3}}`, ""},
		{"base without a member", `{"a":{"$base":{"x":1,"y":2},"y":"$absent"}}`, `{"a":{"x":1}}`, ""},
		{"given value", `{"a":"$device"}`, `{"a":"runtime"}`, ""},
		{"given value inside a text", `{"a":"x-${device}"}`, `{"a":"x-runtime"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := wiretest.Match(tt.want, tt.got)
			if tt.differs == "" && err != nil || tt.differs != "" && (err == nil || !strings.Contains(err.Error(), tt.differs)) {
				t.Errorf("got %v, want %q", err, tt.differs)
			}
		})
	}
}

// A frame that does not match binds nothing. // behaviour 10
func TestFailedMatchBindsNothing(t *testing.T) {
	t.Parallel()
	if err := wiretest.MatchTwice(`{"a":"$handle","b":1}`, `{"a":"wrong","b":2}`, `{"a":"right","b":1}`); err != nil {
		t.Errorf("got %v, want the second to match", err)
	}
}
