package main

import "github.com/spf13/cobra"

func newDeviceCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "device",
		Short: "Create, list and revoke the devices that may connect",
		Example: `  parley core device create quay-east --out quay-east.json
  parley core device list
  parley core device revoke 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newDeviceCreateCommand(), newDeviceListCommand(), newDeviceRevokeCommand())
	return group
}
