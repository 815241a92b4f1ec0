package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newHelpCommand replaces the library's, which ends well for a command that does not exist.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Explain a command",
		Example: "  parley help serve\n  parley help runner run",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 && found.HasSubCommands() {
				return unknownCommand(found, rest[0])
			}
			if err != nil || len(rest) > 0 {
				return misused(cmd.Root(), fmt.Sprintf("help: expected a command, found %q", strings.Join(args, " ")))
			}
			return found.Help()
		},
	}
}
