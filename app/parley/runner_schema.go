package main

import (
	"strings"

	"github.com/spf13/cobra"

	"parley/runner"
	"parley/runner/schema"
)

func newSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "List the published JSON Schemas, or print one",
		Example: `  parley runner schema
  parley runner schema runner-request-1.0 > request.schema.json`,
		ValidArgs: schema.Names(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse("%s: expected one name, found %d", nameOf(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return respond(cmd.OutOrStdout(), []byte(strings.Join(schema.Names(), "\n")+"\n"), runner.ExitOK)
			}
			text, ok := schema.Get(args[0])
			if !ok {
				return misuse("%s: expected one of %s, found %q", nameOf(cmd), strings.Join(schema.Names(), ", "), args[0])
			}
			return respond(cmd.OutOrStdout(), text, runner.ExitOK)
		},
	}
}
