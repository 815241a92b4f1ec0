package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley/app"
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
		Long: `Parley is a local lab for the contracts that agent systems live by. Today it speaks two:
the runner contract, to negotiate, validate and run exactly one captured evaluation unit, on a page, over HTTP and on
the command line; and the Core-Runtime protocol, between a Core and the Runtimes that connect to it.

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
	root.Version = app.Version()
	root.SetVersionTemplate("parley {{.Version}}\n") // as the first line of parley version
	root.Flags().Bool("version", false, "say which program this is; parley version says more")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// Of a command that does not exist no flag can be known either.
		if typed := cmd.Flags().Args(); cmd.HasSubCommands() && len(typed) > 0 {
			return unknownCommand(cmd, typed[0])
		}
		return misused(cmd, err.Error())
	})
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(newServeCommand(), newDesktopCommand(), newDoctorCommand(), newVersionCommand())
	root.AddCommand(newRunnerCommand(), newCoreCommand(), newDaemonCommand(), newSessionCommand(), newConformanceCommand())
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		for _, cmd := range append(completion.Commands(), completion) {
			cmd.Args = refuseArguments // the library's own end with 0 or 1
		}
		completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() } // what is not run refuses nothing
	}
	return root
}

// unknownCommand refuses a name that is none of a group's commands and names those that are spelled like it.
func unknownCommand(group *cobra.Command, typed string) error {
	group.SuggestionsMinimumDistance = 2 // the library sets its usual distance only where it words the refusal itself
	what := fmt.Sprintf("unknown command %q", typed)
	if alike := group.SuggestionsFor(typed); len(alike) > 0 {
		what += fmt.Sprintf(" (did you mean %s?)", strings.Join(alike, " or "))
	}
	return misused(group, what)
}

// refuseArguments is for commands that take flags only, and for groups of commands.
func refuseArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		return unknownCommand(cmd, args[0])
	}
	return misused(cmd, fmt.Sprintf("expected no argument, found %q", args[0]))
}

// misused words a wrong command line. The program's own name stands before every message already.
func misused(cmd *cobra.Command, what string) error {
	text := fmt.Sprintf("%s; see %s --help", what, cmd.CommandPath())
	if cmd.HasParent() {
		text = nameOf(cmd) + ": " + text
	}
	return &usageError{errors.New(text)}
}
