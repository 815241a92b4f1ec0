// Command parley is the lab without a window: the server and every command. It never links the window's libraries.
//
// Commands live one a file. The commands of the runner contract print contract documents only and exit with its codes;
// the others print text for people, or one JSON document with --json, and exit 0 (done), 1 (it did not work) or 2 (the
// command line was wrong).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Exits of the commands that are not the runner contract's.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// run executes one command line and gives the exit code.
func run(ctx context.Context, args []string) int {
	root := newRootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if err.Error() != "" {
		fmt.Fprintf(os.Stderr, "parley: %v\n", err)
	}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return exitFailed
}
