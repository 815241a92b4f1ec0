package main

import (
	"slices"
	"time"
)

// Rules of measuring: pairs of baseline and product, one discarded, each at least windowTime; every pair runs the
// baseline twice, and a machine that disagrees with itself by more than maxNoise gives no verdict.
const (
	pairCount  = 7
	windowTime = 700 * time.Millisecond
	maxNoise   = 0.10
	reruns     = 3
)

// measure gives a positive figure of one run: more is more of the same unit for both sides.
type measure func() (float64, error)

// figures are the per-pair ratios of product to baseline.
type figures struct {
	Min, Median, Max float64
	Noise            float64 // median of |baseline/baseline − 1|
}

// pairs compares product to baseline, and tries again while the machine is noisy.
func pairs(baseline, product measure) (figures, error) {
	all, err := pairsOf(single(baseline), single(product))
	if err != nil {
		return figures{}, err
	}
	return all[0], nil
}

// measures gives several figures of one run, the same number for both sides.
type measures func() ([]float64, error)

func single(m measure) measures {
	return func() ([]float64, error) {
		x, err := m()
		return []float64{x}, err
	}
}

// together runs measures one after the other as one run.
func together(all ...measures) measures {
	return func() ([]float64, error) {
		var figures []float64
		for _, m := range all {
			some, err := m()
			if err != nil {
				return nil, err
			}
			figures = append(figures, some...)
		}
		return figures, nil
	}
}

// pairsOf compares every figure of product to the same of baseline. The figure with the most noise decides whether to
// try again.
func pairsOf(baseline, product measures) ([]figures, error) {
	var all []figures
	for range reruns {
		var err error
		if all, err = onePass(baseline, product); err != nil || !noisy(all) {
			return all, err
		}
	}
	return all, nil
}

func noisy(all []figures) bool {
	return slices.ContainsFunc(all, func(f figures) bool { return f.Noise > maxNoise })
}

func onePass(baseline, product measures) ([]figures, error) {
	var tallies []tally
	for i := range pairCount + 1 {
		first, err := baseline()
		if err != nil {
			return nil, err
		}
		ours, err := product()
		if err != nil {
			return nil, err
		}
		second, err := baseline()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			tallies = make([]tally, len(first))
			continue // the first pair warms caches and connections
		}
		for n := range tallies {
			tallies[n].add(first[n], ours[n], second[n])
		}
	}
	all := make([]figures, len(tallies))
	for n := range tallies {
		all[n] = tallies[n].figures()
	}
	return all, nil
}

// tally collects the pairs of one figure.
type tally struct{ ratios, noise []float64 }

func (t *tally) add(first, ours, second float64) {
	t.ratios = append(t.ratios, ours/((first+second)/2))
	t.noise = append(t.noise, abs(first/second-1))
}

func (t *tally) figures() figures {
	slices.Sort(t.ratios)
	slices.Sort(t.noise)
	last := len(t.ratios) - 1
	return figures{Min: t.ratios[0], Median: t.ratios[len(t.ratios)/2], Max: t.ratios[last], Noise: t.noise[len(t.noise)/2]}
}

func abs(x float64) float64 { return max(x, -x) }

// rate counts how often work runs in one window, per second.
func rate(work func() error) measure {
	return func() (float64, error) {
		start := time.Now()
		for n := 1; ; n++ {
			if err := work(); err != nil {
				return 0, err
			}
			if spent := time.Since(start); spent >= windowTime {
				return float64(n) / spent.Seconds(), nil
			}
		}
	}
}

// laps runs work for one window and gives the duration of each run, in rising order.
func laps(work func() error) ([]time.Duration, error) {
	var all []time.Duration
	for start := time.Now(); time.Since(start) < windowTime; {
		begin := time.Now()
		if err := work(); err != nil {
			return nil, err
		}
		all = append(all, time.Since(begin))
	}
	slices.Sort(all)
	return all, nil
}

// percentiles gives some percentiles of one window, in seconds.
func percentiles(work func() error, shares ...int) measures {
	return func() ([]float64, error) {
		all, err := laps(work)
		if err != nil {
			return nil, err
		}
		return quantiles(all, shares...), nil
	}
}

// quantiles reads percentiles off durations in rising order, in seconds.
func quantiles(sorted []time.Duration, shares ...int) []float64 {
	figures := make([]float64, len(shares))
	for i, share := range shares {
		figures[i] = sorted[len(sorted)*share/100].Seconds()
	}
	return figures
}
