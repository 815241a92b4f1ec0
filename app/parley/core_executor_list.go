package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/app/data"
	"parley/backend/store"
)

// listedExecutor is a credential in the document of executor list.
type listedExecutor struct {
	KeyID              string    `json:"key_id"`
	EnvironmentID      string    `json:"environment_id"`
	SessionID          string    `json:"session_id"`
	WorkspaceDirectory string    `json:"workspace_directory"`
	RuntimeID          string    `json:"runtime_id,omitempty"` // of the enrolled device
	CreatedAt          time.Time `json:"created_at"`
	RevokedAt          time.Time `json:"revoked_at,omitzero"`
}

func newExecutorListCommand() *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List executor credentials, revoked ones too",
		Example: "  parley core executor list\n  parley core executor list --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var credentials []store.ExecutorCredential
			err := withExistingStore(cmd.Context(), folder, func(_ data.Folder, s *store.Store) (err error) {
				credentials, err = s.ExecutorCredentials(cmd.Context())
				return err
			})
			absent, err := absence(err) // a lab that was never started has none
			if err != nil {
				return err
			}
			if asJSON {
				noteAbsence(cmd.ErrOrStderr(), absent)
				return printExecutors(cmd.OutOrStdout(), credentials)
			}
			return tellExecutors(cmd.OutOrStdout(), credentials, absent)
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printExecutors(w io.Writer, credentials []store.ExecutorCredential) error {
	list := []listedExecutor{}
	for _, c := range credentials {
		list = append(list, listedExecutor{c.KeyID, c.EnvironmentID, c.SessionID, c.WorkspaceDirectory, c.DeviceID, c.Created, c.Revoked})
	}
	return printDocument(w, struct {
		ExecutorCredentials []listedExecutor `json:"executor_credentials"`
	}{list})
}

func tellExecutors(w io.Writer, credentials []store.ExecutorCredential, absent string) error {
	if len(credentials) == 0 {
		_, err := fmt.Fprintf(w, "No executor credential yet%s; parley core executor create makes one.\n", because(absent))
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tENVIRONMENT\tCREATED\tSTATE\tDEVICE")
	for _, c := range credentials {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.KeyID, c.EnvironmentID, when(c.Created), validity(c.Revoked), orDash(c.DeviceID))
	}
	return table.Flush() // tells what went wrong before
}
