// Command suite runs `go test` with the arguments it is given and reports what a person needs: one line a package,
// the whole output of what failed, and every skipped test with its reason. With CI set, a skip that is not listed in
// skips.go is a failure: a green run must not mean "not run".
//
// The Makefile calls it; it builds nothing itself and changes no file.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	report := newReport(os.Stdout)
	err := run(report, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
	}
	complete := report.finish(listed(), os.Getenv("CI") != "")
	if err != nil || !complete {
		os.Exit(1)
	}
}

// run starts go test and feeds its events to the report until it ends.
func run(report *report, args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("open the output of go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	readErr := report.read(events)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return readErr
}
