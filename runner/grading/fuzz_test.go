package grading_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"parley/runner/grading"
)

// runner 4.6: a grader never panics, answers the same twice, and agrees with a second, slow reading of the table.
func FuzzText(f *testing.F) {
	f.Add("quay", "crane", "b.y", "Mock response for: Say quay")
	f.Add(" ", "İ", "(a|b)*$", "i\u0307 \xff")
	f.Add("ſ", "K", "\\x{10FFFF}", "Kk")
	f.Fuzz(func(t *testing.T, plain, other, pattern, output string) {
		g, err := grading.NewText("q", grading.TextConfig{
			Contains: []string{plain}, NotContainsCS: []string{other}, RegexMatch: []string{pattern},
		})
		re, bad := regexp.Compile(pattern)
		if refused := plain == "" || other == "" || pattern == "" || bad != nil; refused != (err != nil) {
			t.Fatalf("got error %v, want refused %v", err, refused)
		}
		if err != nil {
			return
		}
		c := grading.Checks{Graders: []*grading.Text{g}}
		got := c.Grade(output)
		if again := c.Grade(output); !reflect.DeepEqual(got, again) {
			t.Fatalf("got %+v, then %+v", got, again)
		}
		passed := 0
		for _, holds := range []bool{
			strings.Contains(lower(output), lower(plain)), !strings.Contains(output, other), re.FindStringIndex(output) != nil,
		} {
			if holds {
				passed++
			}
		}
		if want := float64(passed) / 3; got[0].Score != want {
			t.Errorf("got score %v, want %v", got[0].Score, want)
		}
	})
}

// lower lowers character by character, with nothing for speed.
func lower(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
