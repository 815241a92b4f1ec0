package main

import (
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"parley/runner"
)

// runnerExit ends a runner command with one of the contract's exit codes (runner 1.3). Its message, if any, goes to
// standard error; standard output has its document by then or stays empty.
type runnerExit struct {
	code    int
	message string
}

func (e *runnerExit) Error() string { return e.message }

// ExitCode is what the process exits with.
func (e *runnerExit) ExitCode() int { return e.code }

// exitWith gives nil for success, so that a command ends in the ordinary way.
func exitWith(code int) error {
	if code == runner.ExitOK {
		return nil
	}
	return &runnerExit{code: code}
}

func misuse(format string, args ...any) error {
	return &runnerExit{code: runner.ExitInvalid, message: fmt.Sprintf(format, args...)}
}

// newRunnerCommand groups the commands of the runner contract. They read standard input and write one document.
func newRunnerCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "runner",
		Short: "Negotiate, validate and run exactly one captured evaluation unit",
		Long: `The runner contract on the command line: a JSON request on standard input, one JSON document on standard output.

Exits: 0 success, 1 a check failed, 2 infrastructure or output failure, 3 cancelled, 4 timeout,
5 unsupported version or capability, 6 invalid input or misuse.`,
		Example: `  parley runner capabilities
  parley runner negotiate < examples/runner/negotiation.json
  parley runner validate  < examples/runner/unit.json
  parley runner run       < examples/runner/unit.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse("runner: expected one of its commands, found %q; see parley runner --help", args[0])
			}
			return nil
		},
		// A reader that went away is a failed write, which has an exit of its own, and not the end by a signal.
		PersistentPreRun: func(*cobra.Command, []string) { signal.Ignore(syscall.SIGPIPE) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(cmd.ErrOrStderr())
			_ = cmd.Help() // the exit says that a command is missing, whether or not the help could be shown
			return misuse("runner: expected a command")
		},
	}
	group.AddCommand(newCapabilitiesCommand(), newNegotiateCommand(), newValidateCommand(), newRunCommand(),
		newSchemaCommand(), newCaptureCommand())
	for _, cmd := range append(group.Commands(), group) {
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
			return misuse("%s: %v; see %s --help", nameOf(cmd), err, cmd.CommandPath())
		})
	}
	return group
}

// noArguments refuses positional arguments as misuse (runner 1.2).
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return misuse("%s: expected no arguments, found %q; the request is read from standard input", nameOf(cmd), args[0])
}

// nameOf is the command as messages name it: the program's own name stands before every message.
func nameOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// respond writes one document. If that fails the exit is 2, whatever the document says (runner 1.2).
func respond(w io.Writer, document []byte, code int) error {
	if _, err := w.Write(document); err != nil {
		return &runnerExit{code: runner.ExitInfrastructure, message: "write response: " + err.Error()}
	}
	return exitWith(code)
}
