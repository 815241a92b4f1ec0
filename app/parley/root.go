package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// usageError is a command line that is wrong.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

// ExitCode is what the process exits with.
func (e *usageError) ExitCode() int { return exitUsage }

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "parley",
		Short: "A local lab for the contracts that agent systems live by",
		Long: `Parley is a local lab for the contracts that agent systems live by. Today it speaks the runner contract:
negotiate, validate and run exactly one captured evaluation unit, on a page, over HTTP and on the command line.

Exits: 0 done, 1 it did not work, 2 the command line was wrong. The commands below "parley runner" have the
contract's own exits, 0 to 6.`,
		Example: `  parley serve                                        start the lab and open it in the browser
  parley runner run < examples/runner/unit.json       run one unit, here and now
  parley doctor                                       what works on this machine, and what to do about the rest`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          refuseArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%s: %w; see %s --help", cmd.CommandPath(), err, cmd.CommandPath())}
	})
	root.AddCommand(newServeCommand(), newDesktopCommand(), newDoctorCommand(), newVersionCommand())
	root.AddCommand(newRunnerCommand())
	return root
}

// refuseArguments is for commands that take flags only.
func refuseArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{fmt.Errorf("%s: expected no argument, found %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())}
}
