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

// listedDevice is a device in the document of device list.
type listedDevice struct {
	RuntimeID          string    `json:"runtime_id"`
	DeviceName         string    `json:"device_name"`
	WorkspaceID        string    `json:"workspace_id"`
	EnvironmentID      string    `json:"environment_id,omitempty"`
	SessionID          string    `json:"session_id,omitempty"`
	WorkspaceDirectory string    `json:"workspace_directory,omitempty"`
	CreatedAt          time.Time `json:"created_at"`
	LastSeenAt         time.Time `json:"last_seen_at,omitzero"`
	RevokedAt          time.Time `json:"revoked_at,omitzero"`
}

func newDeviceListCommand() *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List devices, revoked ones too",
		Example: "  parley core device list\n  parley core device list --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var devices []store.Device
			err := withExistingStore(cmd.Context(), folder, func(_ data.Folder, s *store.Store) (err error) {
				devices, err = s.Devices(cmd.Context())
				return err
			})
			absent, err := absence(err) // a lab that was never started has none
			if err != nil {
				return err
			}
			if asJSON {
				noteAbsence(cmd.ErrOrStderr(), absent)
				return printDevices(cmd.OutOrStdout(), devices)
			}
			return tellDevices(cmd.OutOrStdout(), devices, absent)
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printDevices(w io.Writer, devices []store.Device) error {
	list := []listedDevice{}
	for _, d := range devices {
		list = append(list, listedDevice{d.ID, d.Name, d.WorkspaceID, d.EnvironmentID, d.SessionID, d.WorkspaceDirectory,
			d.Created, d.LastSeen, d.Revoked})
	}
	return printDocument(w, struct {
		Devices []listedDevice `json:"devices"`
	}{list})
}

func tellDevices(w io.Writer, devices []store.Device, absent string) error {
	if len(devices) == 0 {
		_, err := fmt.Fprintf(w, "No device yet%s; parley core device create makes one.\n", because(absent))
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tCREATED\tLAST SEEN\tSTATE\tENVIRONMENT")
	for _, d := range devices {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, d.Name, when(d.Created), when(d.LastSeen), validity(d.Revoked), orDash(d.EnvironmentID))
	}
	return table.Flush() // tells what went wrong before
}

func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

func validity(revoked time.Time) string {
	if revoked.IsZero() {
		return "valid"
	}
	return "revoked"
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}
