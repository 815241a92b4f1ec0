package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/app/data"
	"parley/backend/gateway"
	"parley/backend/store"
)

func newKeyCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "key",
		Short: "Create, list and revoke the keys of Core's API",
		Long: `Create, list and revoke the keys with which programs use Core's API, the addresses below /v1. The lab also has a key of
its own, in the file that parley serve --json names as api_key_file; that one opens the lab's other routes too, and is
not listed here.`,
		Example: `  parley core key create ci --out ci-key.json
  parley core key list
  parley core key revoke 7a1c9f4e-3b52-4d08-a6e1-0c95d2b8f713`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newKeyCreateCommand(), newKeyListCommand(), newKeyRevokeCommand())
	return group
}

// keyFile is the document that a key is handed over in.
type keyFile struct {
	KeyID  string `json:"key_id"`
	Name   string `json:"name"`
	APIKey string `json:"api_key"`
}

func newKeyCreateCommand() *cobra.Command {
	var folder, out string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a key of Core's API and print it, once",
		Long: `Create a key of Core's API and print it, once: {"key_id":…,"name":…,"api_key":…}. The key cannot be shown again; the lab
keeps its SHA-256 only. With --out it goes to a new file that only its owner can read.`,
		Example: `  parley core key create ci
  parley core key create ci --out ci-key.json`,
		Args: oneArgument("the name of the key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := openSecretPlace(out, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			defer place.close()
			return withNewStore(cmd.Context(), folder, cmd.ErrOrStderr(), func(_ data.Folder, s *store.Store) error {
				return createKey(cmd.Context(), s, args[0], place)
			})
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().StringVar(&out, "out", "", "write the document to this new `file`, for its owner only")
	return cmd
}

func createKey(ctx context.Context, s *store.Store, name string, place *secretPlace) error {
	secret, _ := gateway.NewCredential()
	secret = "parley_" + secret
	key, err := s.CreateAPIKey(ctx, store.APIKey{Name: name, Digest: gateway.Digest(secret), Created: time.Now()})
	if err != nil {
		return unfitIsUsage(err)
	}
	if err := place.put(keyFile{key.ID, key.Name, secret}); err != nil {
		// Nobody has the key, so nobody may ever use it.
		return errors.Join(err, errUndone, s.RevokeAPIKey(ctx, key.ID, time.Now()))
	}
	return nil
}

// listedKey is a key in the document of key list.
type listedKey struct {
	KeyID      string    `json:"key_id"`
	Name       string    `json:"name"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
	RevokedAt  time.Time `json:"revoked_at,omitzero"`
}

func newKeyListCommand() *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List keys of Core's API, revoked ones too",
		Example: "  parley core key list\n  parley core key list --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var keys []store.APIKey
			err := withExistingStore(cmd.Context(), folder, func(_ data.Folder, s *store.Store) (err error) {
				keys, err = s.APIKeys(cmd.Context())
				return err
			})
			absent, err := absence(err) // a lab that was never started has none
			if err != nil {
				return err
			}
			if asJSON {
				noteAbsence(cmd.ErrOrStderr(), absent)
				return printKeys(cmd.OutOrStdout(), keys)
			}
			return tellKeys(cmd.OutOrStdout(), keys, absent)
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printKeys(w io.Writer, keys []store.APIKey) error {
	list := []listedKey{}
	for _, k := range keys {
		list = append(list, listedKey{k.ID, k.Name, k.Created, k.LastUsed, k.Revoked})
	}
	return printDocument(w, struct {
		Keys []listedKey `json:"keys"`
	}{list})
}

func tellKeys(w io.Writer, keys []store.APIKey, absent string) error {
	if len(keys) == 0 {
		_, err := fmt.Fprintf(w, "No key yet%s; parley core key create makes one.\n", because(absent))
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tCREATED\tLAST USED\tSTATE")
	for _, k := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Name, when(k.Created), when(k.LastUsed), validity(k.Revoked))
	}
	return table.Flush() // tells what went wrong before
}

func newKeyRevokeCommand() *cobra.Command {
	return newRevokeCommand(revocation{
		what: "key", key: "key_id", revoke: (*store.Store).RevokeAPIKey,
		use: "revoke ID", argument: "the id of a key, as parley core key list shows it",
		short: "End a key of Core's API, for good",
		long: `End a key of Core's API, for good. The next request with it is refused, and a stream that is open ends within 15
seconds. Doing it again changes nothing.`,
	})
}
