// Package environment performs the initialization steps of one Environment for real (wire 3.8, behaviour 7.1): it keeps
// variables, installs packages, runs setup commands, places files, unpacks skills and plugins, and freezes the result.
//
// It promises that a step tells what is known of it: completed, rejected with nothing applied, failed, or unknown. It
// returns only when what it started has ended, as far as that can be known. A skill or plugin is there whole or not at
// all, and nothing of an archive lands outside its own folder. Values of variables appear in no error and no tail.
// One process at a time has a folder open; the next one after a kill ends what the killed one's step left running.
//
// What is found of a step's processes: on Linux all descendants, except of a killed Runtime those that left the group,
// dropped their environment and lost their parent; they, and one that this process may have adopted from another child,
// are not ended. On Windows all. Elsewhere the process group only, and after a kill nothing.
//
// The dispatcher calls it, one step at a time in one process, and owns clocks, capacity and receipts. It never reaches
// outside its own folder and the workspace, except through the commands it is told to run, and it starts no harness.
package environment
