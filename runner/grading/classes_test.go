package grading_test

import (
	"strings"
	"testing"

	"parley/runner/grading"
)

// runner 4.6: what a few bytes of a pattern make large is counted before the pattern is read.
func TestClasses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern string
		want    int
	}{
		{`\pL\PN[\p{Greek}x]`, 3},
		{`[B-𞤠]`, 0},
		{`(?i)[B-𞤠]`, 8},
		{`(?m-si:[B-\x{1e920}B-𞤠])`, 16},
		{`(?i)[a-z]-\d{2}-`, 0},
		{`(?s)[一-龥]i`, 0},
		{`(?i)quay`, 0},
		{`(?P<i>a-é)`, 0},
		{`(?s)(?i)[a-é]`, 8},
	}
	for _, tt := range tests {
		for _, c := range []grading.TextConfig{{RegexMatch: []string{tt.pattern}}, {RegexNotMatch: []string{tt.pattern}}} {
			if got := c.Classes(); got != tt.want {
				t.Errorf("%s: got %d, want %d", tt.pattern, got, tt.want)
			}
		}
	}
	if got := (grading.TextConfig{Contains: []string{strings.Repeat(`\pL`, 3)}}).Classes(); got != 0 {
		t.Errorf("got %d for a text that is no pattern, want 0", got)
	}
}
