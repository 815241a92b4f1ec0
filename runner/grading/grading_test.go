package grading_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/runner"
	"parley/runner/grading"
)

// runner 4.6: what each list means, with the rules of case, exactness and RE2.
func TestTextGraderLists(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config grading.TextConfig
		output string
		score  float64
	}{
		{"contains ignores case on both sides", grading.TextConfig{Contains: []string{"QUAY"}}, "a qUaY", 1},
		{"contains lowers character by character", grading.TextConfig{Contains: []string{"ÄÖ"}}, "äö", 1},
		{"contains does not trim", grading.TextConfig{Contains: []string{" quay"}}, "quay", 0},
		{"contains does not normalise", grading.TextConfig{Contains: []string{"e\u0301"}}, "\u00e9", 0},
		{"a single space is an item", grading.TextConfig{Contains: []string{" "}}, "a b", 1},
		{"not_contains ignores case", grading.TextConfig{NotContains: []string{"QUAY"}}, "quay", 0},
		{"not_contains of an absent text", grading.TextConfig{NotContains: []string{"crane"}}, "quay", 1},
		{"contains_cs is exact", grading.TextConfig{ContainsCS: []string{"Quay"}}, "quay", 0},
		{"contains_cs of the same case", grading.TextConfig{ContainsCS: []string{"Quay"}}, "at Quay 7", 1},
		{"not_contains_cs is exact", grading.TextConfig{NotContainsCS: []string{"Quay"}}, "quay", 1},
		{"not_contains_cs of the same case", grading.TextConfig{NotContainsCS: []string{"quay"}}, "quay", 0},
		{"regex_match anywhere", grading.TextConfig{RegexMatch: []string{`b.y`}}, "a buoy bay", 1},
		{"regex_match keeps case", grading.TextConfig{RegexMatch: []string{`^B`}}, "bay", 0},
		{"regex_not_match finds none", grading.TextConfig{RegexNotMatch: []string{`^bay$`}}, "bays", 1},
		{"regex_not_match finds one", grading.TextConfig{RegexNotMatch: []string{`(?i)BAY`}}, "bay", 0},
		{"share of all lists together", grading.TextConfig{Contains: []string{"a", "x"}, RegexNotMatch: []string{"x"}, ContainsCS: []string{"A"}}, "a", 0.5},
		{"empty output", grading.TextConfig{Contains: []string{"a"}, NotContains: []string{"a"}}, "", 0.5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := checks(t, tt.config).Grade(tt.output)[0]
			if got.Score != tt.score || got.Passed != (tt.score == 1) {
				t.Errorf("got score %v, passed %v, want score %v", got.Score, got.Passed, tt.score)
			}
			if got.Type != "text" || got.Weight != 1 || got.DurationMS != 0 || got.Identifier != "q" {
				t.Errorf("got %+v, want type text, weight 1, duration 0, identifier q", got)
			}
		})
	}
}

// runner 5.2: the example at its end.
func TestGradeExample(t *testing.T) {
	t.Parallel()
	got := checks(t, grading.TextConfig{Contains: []string{"quay", "crane"}}).Grade("Mock response for: Say quay\nTask: Quay")
	want := []runner.GradeResult{{
		Identifier: "q", Type: "text", Score: 0.5, Weight: 1, Feedback: `1 of 2 passed; missing: "crane"`,
		Details: &runner.GradeDetails{
			Contains: []string{"quay", "crane"}, NotContains: []string{}, ContainsCS: []string{}, NotContainsCS: []string{},
			RegexMatch: []string{}, RegexNotMatch: []string{}, Failures: []string{`contains: "crane"`},
		},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if s := grading.Status(got); s != runner.StatusFailed {
		t.Errorf("got status %q, want %q", s, runner.StatusFailed)
	}
}

// runner 4.6: expectation checks, their names, scores and missing details.
func TestExpectations(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		expectations grading.Expectations
		output       string
		identifier   string
		score        float64
		feedback     string
	}{
		{"all appear", grading.Expectations{Contains: []string{"A", "b"}}, "ab", grading.NameContains, 1, "2 of 2 passed"},
		{"one of two appears", grading.Expectations{Contains: []string{"A", "x"}}, "ab", grading.NameContains, 0.5, `1 of 2 passed; missing: "x"`},
		{"none may appear and none does", grading.Expectations{NotContains: []string{"x"}}, "ab", grading.NameNotContains, 1, "1 of 1 passed"},
		{"one that may not appears", grading.Expectations{NotContains: []string{"x", "y", "B", "z"}}, "ab", grading.NameNotContains, 0.75, `3 of 4 passed; must not appear: "B"`},
		{"any: one is enough", grading.Expectations{ContainsAny: []string{"x", "B"}}, "ab", grading.NameContainsAny, 1, "one of 2 appears"},
		{"any: none", grading.Expectations{ContainsAny: []string{"x", "y"}}, "ab", grading.NameContainsAny, 0, `none of them appears; 0 of 2 passed; missing: "x", "y"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := grading.Checks{Expectations: tt.expectations}.Grade(tt.output)
			want := []runner.GradeResult{{Identifier: tt.identifier, Score: tt.score, Weight: 1, Passed: tt.score == 1, Feedback: tt.feedback}}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}

// runner 2.6: validations are sorted by identifier, bytewise.
func TestGradeSorts(t *testing.T) {
	t.Parallel()
	var c grading.Checks
	for _, name := range []string{"z", "Z", "a", "ä", "_a"} {
		g, err := grading.NewText(name, grading.TextConfig{Contains: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		c.Graders = append(c.Graders, g)
	}
	c.Expectations = grading.Expectations{Contains: []string{"x"}, NotContains: []string{"y"}, ContainsAny: []string{"x"}}
	var got []string
	for _, r := range c.Grade("x") {
		got = append(got, r.Identifier)
	}
	want := []string{"Z", "_a", "_output_contains", "_output_contains_any", "_output_not_contains", "a", "z", "ä"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.Len() != len(want) {
		t.Errorf("got Len %d, want %d", c.Len(), len(want))
	}
	if s := grading.Status(c.Grade("x")); s != runner.StatusPassed {
		t.Errorf("got status %q, want %q", s, runner.StatusPassed)
	}
}

// runner 4.6: the configuration check before runtime; a message never repeats the item.
func TestNewTextRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config grading.TextConfig
		want   []string
	}{
		{"no item at all", grading.TextConfig{Contains: []string{}}, []string{"config: expected at least one item in one of the lists, found none"}},
		{"an empty item", grading.TextConfig{ContainsCS: []string{"a", ""}}, []string{"config.contains_cs[1]: expected a nonempty text, found an empty one"}},
		{"an empty pattern", grading.TextConfig{RegexMatch: []string{""}}, []string{"config.regex_match[0]: expected a nonempty text, found an empty one"}},
		{"an open group", grading.TextConfig{RegexMatch: []string{"(berth"}}, []string{"config.regex_match[0]: expected an RE2 pattern, found one that does not compile: missing closing )"}},
		{"lookaround", grading.TextConfig{RegexNotMatch: []string{"a(?=b)"}}, []string{"config.regex_not_match[0]: expected an RE2 pattern, found one that does not compile: invalid or unsupported Perl syntax"}},
		{"a backreference", grading.TextConfig{RegexMatch: []string{`(a)\1`}}, []string{"config.regex_match[0]: expected an RE2 pattern, found one that does not compile: invalid escape sequence"}},
		{"every fault is listed", grading.TextConfig{Contains: []string{""}, RegexMatch: []string{"a", "["}}, []string{
			"config.contains[0]: expected a nonempty text, found an empty one",
			"config.regex_match[1]: expected an RE2 pattern, found one that does not compile: missing closing ]",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := grading.NewText("q", tt.config)
			faults, ok := errors.AsType[grading.Faults](err)
			if !ok {
				t.Fatalf("got error %v, want Faults", err)
			}
			if got, want := faults.Error(), strings.Join(tt.want, "; "); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// runner 2.6: feedback has at most 4096 code points, whatever was authored.
func TestFeedbackIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\u0001", 1<<10)
	config := grading.TextConfig{}
	for range 100 {
		config.Contains = append(config.Contains, long)
		config.NotContains = append(config.NotContains, "a")
	}
	got := checks(t, config).Grade("a")[0].Feedback
	if n := utf8.RuneCountInString(got); n > 4096 {
		t.Errorf("got %d code points of feedback, want at most 4096", n)
	}
	if !strings.Contains(got, "and 192 more") {
		t.Errorf("got feedback %q, want it to say how many more failed", got)
	}
}

// runner 2.8: a deadline or a cancel ends grading too.
func TestGradeContextEnds(t *testing.T) {
	t.Parallel()
	cause := errors.New("deadline of the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	c := checks(t, grading.TextConfig{Contains: []string{"a"}})
	c.Expectations = grading.Expectations{Contains: []string{"x"}, ContainsAny: []string{"x"}}
	results, err := c.GradeContext(ctx, "a")
	if results != nil || !errors.Is(err, cause) {
		t.Errorf("got %d results and error %v, want none and %v", len(results), err, cause)
	}
}

// runner 2.8: it does so inside one expensive match.
func TestGradeContextEndsInsideAMatch(t *testing.T) {
	t.Parallel()
	ctx := &countdown{Context: t.Context(), left: 100} // far fewer than the characters of the output
	results, err := checks(t, grading.TextConfig{RegexMatch: []string{"(a|b|ab)*c"}}).GradeContext(ctx, strings.Repeat("ab", 1<<19))
	if results != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d results and error %v, want none and %v", len(results), err, context.Canceled)
	}
}

// countdown is a context that ends after it was asked left times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A match that is fed rune by rune answers as one on the whole text.
func TestLargeMatchAnswersTheSame(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("quay ", 1<<18) + "end"
	for pattern, want := range map[string]bool{`end$`: true, `^quay`: true, `crane`: false, `\bend\b`: true, `^end`: false} {
		got := checks(t, grading.TextConfig{RegexMatch: []string{pattern}}).Grade(text)[0].Passed
		if got != want {
			t.Errorf("%s: got %v, want %v", pattern, got, want)
		}
	}
}

// A grader keeps its own copy of what was authored.
func TestConfigIsCopied(t *testing.T) {
	t.Parallel()
	items := []string{"a"}
	g, err := grading.NewText("q", grading.TextConfig{Contains: items})
	if err != nil {
		t.Fatal(err)
	}
	items[0] = "b"
	if got := g.Config().Contains[0]; got != "a" || g.Name() != "q" {
		t.Errorf("got %q named %q, want a named q", got, g.Name())
	}
}

func checks(t *testing.T, c grading.TextConfig) grading.Checks {
	t.Helper()
	g, err := grading.NewText("q", c)
	if err != nil {
		t.Fatal(err)
	}
	return grading.Checks{Graders: []*grading.Text{g}}
}
