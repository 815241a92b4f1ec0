package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"parley/backend/store"
	"parley/daemon/proto"
)

// newCoreCommand groups what is done to Core's side of a lab, beside a lab that runs or without one.
func newCoreCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "core",
		Short: "Manage who may connect to the lab as a Runtime, and who may use Core's API",
		Long: `Manage who may connect to the lab as a Runtime: devices, which have a credential of their own, and executor
credentials, with which a Runtime enrolls itself as the device of one Environment. And manage the keys with which programs
use Core's API.

The commands work on the lab's data folder, also while the lab runs: it sees each change at once.`,
		Example: `  parley core device create quay-east --out quay-east.json
  parley core device list
  parley core executor create --workspace /srv/work --out executor.json \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30 --session b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newDeviceCommand(), newExecutorCommand(), newKeyCommand(), newDriveCommand())
	return group
}

// oneArgument is for commands that work on one named thing.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return misused(cmd, fmt.Sprintf("expected %s, found %d arguments", what, len(args)))
		}
		return nil
	}
}

// bindingFlags say what a device or a credential is good for.
func bindingFlags(cmd *cobra.Command, b *store.Binding) {
	f := cmd.Flags()
	f.StringVar(&b.EnvironmentID, "environment", "", "`id` of the Environment to bind to, a UUID in lower case")
	f.StringVar(&b.SessionID, "session", "", "`id` of the Session to bind to, a UUID in lower case")
	f.StringVar(&b.WorkspaceDirectory, "workspace", "", "workspace `folder` on the Runtime's machine")
}

// whole refuses a binding of which a part is missing, and one that no frame could name (wire 0.2).
func whole(cmd *cobra.Command, b store.Binding) error {
	if b.EnvironmentID == "" || b.SessionID == "" || b.WorkspaceDirectory == "" {
		return misused(cmd, "expected --environment, --session and --workspace together")
	}
	if err := uuidFlag(cmd, "--environment", b.EnvironmentID); err != nil {
		return err
	}
	return uuidFlag(cmd, "--session", b.SessionID)
}

// uuidFlag refuses an id that is no canonical UUID.
func uuidFlag(cmd *cobra.Command, flag, id string) error {
	if proto.CanonicalUUID(id) {
		return nil
	}
	const most = 64 // bytes that are repeated
	return misused(cmd, fmt.Sprintf("%s: expected a UUID in lower case such as 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30, found %s",
		flag, strconv.QuoteToASCII(id[:min(len(id), most)])))
}

// unfitIsUsage makes what the store would not take a fault of the command line.
func unfitIsUsage(err error) error {
	if errors.Is(err, store.ErrUnfit) {
		return &usageError{err}
	}
	return err
}

// document is a JSON document as the commands of this group print and store it.
func document(value any) ([]byte, error) { return json.MarshalIndent(value, "", "  ") }

func printDocument(w io.Writer, value any) error {
	text, err := document(value)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
