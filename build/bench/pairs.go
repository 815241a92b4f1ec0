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
	var f figures
	for range reruns {
		var err error
		if f, err = onePass(baseline, product); err != nil || f.Noise <= maxNoise {
			return f, err
		}
	}
	return f, nil
}

func onePass(baseline, product measure) (figures, error) {
	var ratios, noise []float64
	for i := range pairCount + 1 {
		first, err := baseline()
		if err != nil {
			return figures{}, err
		}
		ours, err := product()
		if err != nil {
			return figures{}, err
		}
		second, err := baseline()
		if err != nil {
			return figures{}, err
		}
		if i == 0 {
			continue // the first pair warms caches and connections
		}
		ratios = append(ratios, ours/((first+second)/2))
		noise = append(noise, abs(first/second-1))
	}
	slices.Sort(ratios)
	slices.Sort(noise)
	return figures{Min: ratios[0], Median: ratios[len(ratios)/2], Max: ratios[len(ratios)-1], Noise: noise[len(noise)/2]}, nil
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
