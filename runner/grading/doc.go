// Package grading is the builtin text grader and the three text expectations of the runner contract (runner 4.6). It
// promises that the same checks and the same output always give the same results, in the same order, and that a
// configuration which cannot be evaluated is refused with every fault before anything runs.
//
// Anybody may call it. It measures no time (a result's duration stays 0), never trims or normalises a text, and reads
// no YAML: runner/captured turns captured texts into checks.
package grading
