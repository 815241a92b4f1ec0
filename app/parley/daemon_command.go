package main

import "github.com/spf13/cobra"

func newDaemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run a Runtime without a lab",
		Example: `  parley daemon connect --profile laptop.json
  parley daemon enroll --url http://127.0.0.1:7007 --token-file executor.json --out profile.json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDaemonConnectCommand(), newDaemonEnrollCommand())
	return cmd
}
