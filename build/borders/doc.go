// Package borders reads the whole source tree and holds it to the habits of the house: the floors of ARCHITECTURE.md,
// what a package says about itself, what may not appear where. A rule is a value with one sentence that names the
// habit, so that a failure teaches; its findings name file and line.
//
// Only its own tests call it. It changes no file, and it judges text and syntax, never behaviour.
package borders
