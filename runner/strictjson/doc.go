// Package strictjson reads one JSON object as strictly as the runner contract demands (runner 3): valid UTF-8, no byte
// order mark, no lone surrogate, no name twice at any depth, bounded nesting, nothing after the value. It finds the
// values that the caller knows and gives them back as the exact text that was sent, with their byte offsets; what is
// unknown is reported, never dropped.
//
// Reading is one pass over the bytes, in time linear in their number, and keeps spans instead of a tree, so that a
// hostile document costs no more than its own size. The package never converts a number through floating point
// and never executes or looks up anything. It serves the runner contract alone: every other contract of Parley has its
// own verdicts and its own reader.
package strictjson
