package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"parley/app/data"
	"parley/backend/gateway"
	"parley/backend/store"
)

func newExecutorCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "executor",
		Short: "Create, rotate, list and revoke the credentials with which a Runtime enrolls itself",
		Long: `An executor credential lets one Runtime enroll itself as the device of one Environment. Its token is the device's
credential from then on.`,
		Example: `  parley core executor create --workspace /srv/work --out executor.json \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30 --session b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8
  parley core executor list
  parley core executor rotate 0e7d2b94-51c8-4a6f-b3d0-9f48c1e6a275 --out executor-next.json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newExecutorCreateCommand(), newExecutorRotateCommand(), newExecutorListCommand(), newExecutorRevokeCommand())
	return group
}

// executorFile is the document that an executor credential is handed over in (behaviour 2.2).
type executorFile struct {
	KeyID         string `json:"key_id"`
	EnvironmentID string `json:"environment_id"`
	ExecutorToken string `json:"executor_token"`
}

func newExecutorCreateCommand() *cobra.Command {
	var folder, out string
	var binding store.Binding
	cmd := &cobra.Command{
		Use:   "create --environment ID --session ID --workspace DIR",
		Short: "Create an executor credential and print it, once",
		Long: `Create an executor credential and print it, once: {"key_id":…,"environment_id":…,"executor_token":…}.
The token cannot be shown again; the lab keeps its SHA-256 only. With --out it goes to a new file that only its owner
can read.`,
		Example: `  parley core executor create --workspace /srv/work --out executor.json \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30 --session b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8
  parley daemon enroll --url http://127.0.0.1:7007 --token-file executor.json --out profile.json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := whole(cmd, binding); err != nil {
				return err
			}
			place, err := openSecretPlace(out, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			defer place.close()
			return withNewStore(cmd.Context(), folder, cmd.ErrOrStderr(), func(_ data.Folder, s *store.Store) error {
				return createExecutor(cmd.Context(), s, binding, place)
			})
		},
	}
	executorFlags(cmd, &folder, &out)
	bindingFlags(cmd, &binding)
	return cmd
}

func createExecutor(ctx context.Context, s *store.Store, binding store.Binding, place *secretPlace) error {
	token, digest := gateway.NewCredential()
	c, err := s.CreateExecutorCredential(ctx, store.ExecutorCredential{Digest: digest, Binding: binding, Created: time.Now()})
	if err != nil {
		return unfitIsUsage(err)
	}
	if err := place.put(executorFile{c.KeyID, c.EnvironmentID, token}); err != nil {
		// Nobody has the token, so nobody may ever use it.
		return errors.Join(err, errUndone, s.RevokeExecutorCredential(ctx, c.KeyID, time.Now()))
	}
	return nil
}

func newExecutorRotateCommand() *cobra.Command {
	var folder, out string
	cmd := &cobra.Command{
		Use:   "rotate KEY",
		Short: "Replace the token of an executor credential and print it, once",
		Long: `Replace the token of an executor credential and print it, once, as create does. The old token is good for nothing from
then on; the connection of a device that used it is closed at its next heartbeat.`,
		Example: `  parley core executor rotate 0e7d2b94-51c8-4a6f-b3d0-9f48c1e6a275 --out executor-next.json`,
		Args:    oneArgument("the key id of a credential, as parley core executor list shows it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := openSecretPlace(out, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			defer place.close()
			err = withExistingStore(cmd.Context(), folder, func(_ data.Folder, s *store.Store) error {
				token, digest := gateway.NewCredential()
				c, err := s.RotateExecutorCredential(cmd.Context(), args[0], digest)
				if err != nil {
					return err
				}
				if err := place.put(executorFile{c.KeyID, c.EnvironmentID, token}); err != nil {
					return errors.Join(err, errRotated)
				}
				return nil
			})
			return wordMissing(err, "executor", args[0])
		},
	}
	executorFlags(cmd, &folder, &out)
	return cmd
}

func executorFlags(cmd *cobra.Command, folder, out *string) {
	cmd.Flags().StringVar(folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().StringVar(out, "out", "", "write the document to this new `file`, for its owner only")
	cmd.Flags().Bool("json", false, "changes nothing: the document is JSON anyway")
}
