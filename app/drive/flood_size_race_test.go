//go:build race

package drive_test

// floodFrames are fewer than without the race detector, which takes minutes for 4 GiB. Without the bounds they would
// still hold more than the test allows.
const floodFrames = 3
