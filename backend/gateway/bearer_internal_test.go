package gateway

import (
	"net/http"
	"strings"
	"testing"
)

// behaviour 2.1: the scheme word and one space exactly, the rest trimmed.
func TestBearerIsParsedExactly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values []string
		want   string
	}{
		{[]string{"Bearer abc"}, "abc"}, {[]string{"Bearer   abc \t"}, "abc"}, {[]string{"Bearer a b"}, "a b"},
		{nil, ""}, {[]string{""}, ""}, {[]string{"Bearer"}, ""}, {[]string{"Bearer "}, ""}, {[]string{"Bearer  \t "}, ""},
		{[]string{"bearer abc"}, ""}, {[]string{"BEARER abc"}, ""}, {[]string{"Bearer\tabc"}, ""}, {[]string{" Bearer abc"}, ""},
		{[]string{"Basic abc"}, ""}, {[]string{"abc"}, ""}, {[]string{"Bearer abc", "Bearer abc"}, ""},
	} {
		if got := bearer(http.Header{"Authorization": tt.values}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.values, got, tt.want)
		}
	}
}

func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"Bearer abc", "bearer abc", "Bearer ", "", "Bearer \xff", "Bearer a b "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		got := bearer(http.Header{"Authorization": {value}})
		rest, ok := strings.CutPrefix(value, "Bearer ")
		switch {
		case got != strings.TrimSpace(got):
			t.Errorf("%q: got %q, want it trimmed", value, got)
		case got != "" && (!ok || !strings.Contains(rest, got)):
			t.Errorf("%q: got %q, want nothing that was not sent after the scheme", value, got)
		case got == "" && ok && strings.TrimSpace(rest) != "":
			t.Errorf("%q: got nothing, want %q", value, strings.TrimSpace(rest))
		}
	})
}
