package main

import (
	"bytes"
	"errors"
	"testing"
)

// A must-line is soft by a tenth for what noise moves and exact for what it cannot; a noisy machine gives no verdict.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	least := goal{Must: 0.60, Aim: 0.70, Good: atLeast}
	most := goal{Must: 3, Good: atMost}
	hard := goal{Must: 6, Good: atMost, Hard: true}
	for _, c := range []struct {
		name string
		f    figures
		g    goal
		want string
	}{
		{"reached", figures{Median: 0.60}, least, "ok"},
		{"within the slack", figures{Median: 0.55}, least, "ok"},
		{"missed", figures{Median: 0.53}, least, "missed"},
		{"noisy, though reached", figures{Median: 0.9, Noise: 0.11}, least, "noisy"},
		{"noisy, though missed", figures{Median: 0.1, Noise: 0.11}, least, "noisy"},
		{"at most, within the slack", figures{Median: 3.2}, most, "ok"},
		{"at most, missed", figures{Median: 3.4}, most, "missed"},
		{"hard, reached", figures{Median: 6}, hard, "ok"},
		{"hard has no slack", figures{Median: 6.01}, hard, "missed"},
		{"hard is not excused by noise", figures{Median: 7, Noise: 0.5}, hard, "missed"},
	} {
		if got := judge(c.name, c.f, c.g).Verdict; got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestReportLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := newReport(&out)
	r.add("B3", figures{Min: 0.66, Median: 0.71, Max: 0.74}, goal{Must: 0.60, Aim: 0.70, Good: atLeast})
	r.add("B9", figures{Min: 4, Median: 4, Max: 4}, goal{Must: 3, Good: atMost})
	const want = "B3                     0.66/0.71/0.74 must 0.60 aim 0.70 ok\nB9                     4.00/4.00/4.00 must 3.00 missed\n"
	if out.String() != want || r.missed() != 1 {
		t.Errorf("got %q with %d missed, want %q with 1", out.String(), r.missed(), want)
	}
}

// The ratio is taken to the mean of the two baselines around the product, and the first pair is discarded.
func TestPairs(t *testing.T) {
	t.Parallel()
	calls := 0
	baseline := func() (float64, error) {
		calls++
		if calls <= 2 {
			return 1000, nil // the discarded pair
		}
		return []float64{9, 11}[calls%2], nil
	}
	all, err := onePass(single(baseline), single(func() (float64, error) { return 5, nil }))
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d figures (%v), want one", len(all), err)
	}
	f := all[0]
	if f.Min != 0.5 || f.Median != 0.5 || f.Max != 0.5 || calls != 2*(pairCount+1) {
		t.Errorf("got %+v after %d baselines, want 0.5 throughout after %d", f, calls, 2*(pairCount+1))
	}
	if f.Noise < 0.18 || f.Noise > 0.23 {
		t.Errorf("got noise %.3f, want the disagreement of 9 and 11", f.Noise)
	}
	broken := errors.New("broken")
	if _, err := pairs(baseline, func() (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the product's error", err)
	}
}

// A figure without a must is recorded and can never be missed; a counted one says what was counted.
func TestRecordedAndCounted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := newReport(&out)
	r.add("free", figures{Min: 1, Median: 2, Max: 3, Noise: 0.5}, goal{})
	r.count("counted", 55, 50, "a round trip", goal{Must: 1.1, Good: atMost, Hard: true})
	r.count("over", 56, 50, "a round trip", goal{Must: 1.1, Good: atMost, Hard: true})
	const want = "free                   1.00/2.00/3.00 recorded\n" +
		"counted                1.10/1.10/1.10 must 1.10 (55 a round trip) ok\n" +
		"over                   1.12/1.12/1.12 must 1.10 (56 a round trip) missed\n"
	if out.String() != want || r.missed() != 1 {
		t.Errorf("got %q with %d missed, want %q with 1", out.String(), r.missed(), want)
	}
}

// Every figure of a run has its own ratio and noise, and one noisy figure makes the run noisy.
func TestPairsOf(t *testing.T) {
	t.Parallel()
	steady := func() ([]float64, error) { return []float64{2, 10}, nil }
	all, err := onePass(together(steady), func() ([]float64, error) { return []float64{4, 5}, nil })
	if err != nil || len(all) != 2 || all[0].Median != 2 || all[1].Median != 0.5 || noisy(all) {
		t.Errorf("got %+v (%v), want 2 and 0.5 without noise", all, err)
	}
	all[1].Noise = 0.2
	if !noisy(all) {
		t.Error("got quiet, want noisy")
	}
}
