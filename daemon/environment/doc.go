// Package environment performs the initialization steps of one Environment for real (wire 3.8, behaviour 7.1): it keeps
// variables, installs packages, runs setup commands, places files, unpacks skills and plugins, and freezes the result.
//
// It promises that a step tells what is known of it: completed, rejected with nothing applied, failed, or unknown. It
// returns only when what it started has ended, as far as that can be known. A skill or plugin is there whole or not at
// all, and nothing of an archive lands outside its own folder. Values of variables appear in no error and no tail.
//
// The dispatcher calls it, one step at a time, and owns clocks, capacity and receipts. What it keeps is read again when
// it is opened on the same folder. It never reaches outside its own folder and the workspace, except through the
// commands it is told to run, and it starts no harness.
package environment
