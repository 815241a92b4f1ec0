package main

import "github.com/spf13/cobra"

func newDaemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run a Runtime without a lab",
		Args:  refuseArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDaemonConnectCommand())
	return cmd
}
