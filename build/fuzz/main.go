// Command fuzz finds every fuzz target of the tree and runs them one after another, each for the time or the number of
// executions it is told: `-time 60s` or `-time 2000x`. A fixed number keeps the ordinary test run as long tomorrow as
// today; `make fuzz` is the long form.
//
// A crasher is written by go test below the package's testdata and stays there until somebody deals with it. The
// program stops at the first target that fails.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	length := flag.String("time", "2000x", "how long each target runs: a duration, or a count of executions such as 2000x")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if err := fuzz(patterns, *length); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func fuzz(patterns []string, length string) error {
	targets, err := find(patterns)
	if err != nil {
		return err
	}
	for _, t := range targets {
		fmt.Printf("fuzz %s %s for %s\n", t.pkg, t.name, length)
		cmd := exec.Command("go", "test", "-vet=off", "-run=^$", "-fuzz=^"+t.name+"$", "-fuzztime="+length, t.pkg)
		out, err := cmd.CombinedOutput()
		if err != nil {
			os.Stderr.Write(out)
			return fmt.Errorf("run %s of %s: %w", t.name, t.pkg, err)
		}
	}
	fmt.Printf("%d fuzz targets\n", len(targets))
	return nil
}
