package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/app/data"
	"parley/backend/store"
)

func newDeviceRevokeCommand() *cobra.Command {
	return newRevokeCommand(revocation{
		what: "device", key: "runtime_id", revoke: (*store.Store).RevokeDevice,
		use: "revoke ID", argument: "the id of a device, as parley core device list shows it",
		short: "End a device's right to connect, for good",
		long: `End a device's right to connect, for good, and that of the executor credential it was enrolled with. New connections
are refused at once, an open one is closed at its next heartbeat. Doing it again changes nothing.`,
	})
}

func newExecutorRevokeCommand() *cobra.Command {
	return newRevokeCommand(revocation{
		what: "executor", key: "key_id", revoke: (*store.Store).RevokeExecutorCredential,
		use: "revoke KEY", argument: "the key id of a credential, as parley core executor list shows it",
		short: "End an executor credential, for good",
		long: `End an executor credential, for good, and the device that was enrolled with it. Its Environment is free then. Doing it
again changes nothing.`,
	})
}

// revocation is what tells the two revoke commands apart.
type revocation struct {
	what, key, use, argument, short, long string

	revoke func(*store.Store, context.Context, string, time.Time) error
}

func newRevokeCommand(r revocation) *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use: r.use, Short: r.short, Long: r.long,
		Example: "  parley core " + r.what + " revoke 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30",
		Args:    oneArgument(r.argument),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := withExistingStore(cmd.Context(), folder, func(_ data.Folder, s *store.Store) error {
				return r.revoke(s, cmd.Context(), args[0], time.Now())
			})
			if err != nil {
				return wordMissing(err, r.what, args[0])
			}
			return tellRevoked(cmd.OutOrStdout(), asJSON, r, args[0])
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func tellRevoked(w io.Writer, asJSON bool, r revocation, id string) error {
	if asJSON {
		return printDocument(w, map[string]any{r.key: id, "revoked": true})
	}
	_, err := fmt.Fprintf(w, "The %s %s is revoked.\n", r.what, id)
	return err
}

// wordMissing says what to do where nothing has the id, also because there is no database yet.
func wordMissing(err error, what, id string) error {
	if _, ok := errors.AsType[*absentError](err); ok {
		return fmt.Errorf("find %s %q: %w; name the lab's data folder with --data", what, id, err)
	}
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("find %s: nothing has the id %q in this data folder; parley core %s list shows all", what, id, what)
	}
	return err
}
