package grading_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/grading"
)

// runner 4.6: a configuration check reads patterns and keeps no program, which can be a thousand times as large. Not
// parallel: the allocation counter is the process's.
func TestCheckedPatternsStaySmall(t *testing.T) {
	patterns := slices.Repeat([]string{".{1000}"}, 20_000)
	got := allocated(func() { checks(t, grading.TextConfig{RegexMatch: patterns, RegexNotMatch: patterns}) })
	if per := got / uint64(2*len(patterns)); per > 2<<10 {
		t.Errorf("got %d bytes allocated for a pattern of 7 bytes, want at most 2 KiB", per)
	}
}

// runner 2.8: a deadline ends grading between patterns; the next program is not made. Not parallel, as above.
func TestGradeContextEndsBetweenPatterns(t *testing.T) {
	c := checks(t, grading.TextConfig{RegexMatch: slices.Repeat([]string{"(?:x{10}y){90}"}, 10_000)})
	got := allocated(func() {
		results, err := c.GradeContext(&countdown{Context: t.Context(), left: 20}, "no match")
		if results != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %d results and error %v, want none and %v", len(results), err, context.Canceled)
		}
	})
	if got > 16<<20 {
		t.Errorf("got %d MiB allocated after the context ended, want at most 16", got>>20)
	}
}

// runner 2.8: what makes a match expensive is the size of its program, not of its pattern.
func TestGradeContextEndsInsideAMatchOfALargeProgram(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 20_000)
	for _, pattern := range []string{"(?:a?){1000}z", "^(?:a?){1000}z", "(?:(?:a?){30}b?){30}z"} {
		ctx := &countdown{Context: t.Context(), left: 100} // far fewer than the characters of the output
		results, err := checks(t, grading.TextConfig{RegexNotMatch: []string{pattern}}).GradeContext(ctx, text)
		if results != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %d results and error %v, want none and %v", pattern, len(results), err, context.Canceled)
		}
	}
}

// runner 4.6: faults beyond the listed ones are counted, each once.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	const each = 1_000
	_, err := grading.NewText("q", grading.TextConfig{Contains: make([]string, each), RegexMatch: slices.Repeat([]string{"("}, each)})
	faults, ok := errors.AsType[grading.Faults](err)
	if !ok || len(faults.Listed) != runner.MaxFindings || faults.More != 2*each-runner.MaxFindings {
		t.Errorf("got %d listed and %d more, want %d and %d", len(faults.Listed), faults.More, runner.MaxFindings, 2*each-runner.MaxFindings)
	}
	if !strings.HasSuffix(err.Error(), "; and 1936 more") {
		t.Errorf("got error ending %q, want it to say how many more", err.Error()[len(err.Error())-40:])
	}
}

func allocated(act func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	act()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
