package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"parley/app/data"
	"parley/backend/gateway"
	"parley/backend/store"
)

// deviceFlags are the flags of device create.
type deviceFlags struct {
	data, serverURL, out string
	json                 bool
	binding              store.Binding
}

func newDeviceCreateCommand() *cobra.Command {
	var flags deviceFlags
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a device and print its profile, once",
		Long: `Create a device and print the profile that its Runtime needs, once:
  {"server_url":…,"runtime_id":…,"runner_credential":…,"device_name":…}
and environment_id, session_id and workspace_directory for a device that is bound. The credential cannot be shown again;
the lab keeps its SHA-256 only.

With --out the profile goes to a new file that only its owner can read. server_url is made from --server-url, else from the
address of the lab that runs on the data folder, else from the default address.`,
		Example: `  parley core device create quay-east > quay-east.json
  parley core device create quay-east --out quay-east.json
  parley core device create quay-east --environment env-1 --session ses-1 --workspace /srv/work --out quay-east.json
  parley core device create quay-east --server-url https://lab.example`,
		Args: oneArgument("the name of the device"),
		RunE: func(cmd *cobra.Command, args []string) error { return createDevice(cmd, args[0], flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.data, "data", "", "data `folder`; as for parley serve")
	f.StringVar(&flags.out, "out", "", "write the profile to this new `file`, for its owner only")
	f.StringVar(&flags.serverURL, "server-url", "", "`origin` where the Runtime reaches the lab")
	f.BoolVar(&flags.json, "json", false, "with --out, print one JSON document without the credential; the profile is JSON anyway")
	bindingFlags(cmd, &flags.binding)
	return cmd
}

func createDevice(cmd *cobra.Command, name string, flags deviceFlags) error {
	if flags.binding != (store.Binding{}) {
		if err := whole(cmd, flags.binding); err != nil {
			return err
		}
	}
	origin := ""
	if flags.serverURL != "" {
		var err error
		if origin, err = originOf(flags.serverURL); err != nil {
			return misused(cmd, "--server-url: "+err.Error())
		}
	}
	place, err := openSecretPlace(flags.out, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	defer place.close()
	return withNewStore(cmd.Context(), flags.data, cmd.ErrOrStderr(), func(folder data.Folder, s *store.Store) error {
		if origin == "" {
			origin = labOrigin(folder)
		}
		secret, digest := gateway.NewCredential()
		device, err := s.CreateDevice(cmd.Context(), store.Device{Name: name, RuntimeType: store.AgentDaemon, Digest: digest,
			Binding: flags.binding, Created: time.Now()})
		if err != nil {
			return unfitIsUsage(err)
		}
		if err := place.put(profileOf(device, secret, origin)); err != nil {
			// Nobody has the credential, so nobody may ever use it.
			return errors.Join(err, errUndone, s.RevokeDevice(cmd.Context(), device.ID, time.Now()))
		}
		return tellCreated(cmd.OutOrStdout(), device, flags)
	})
}

// tellCreated says where the profile is. On standard output it was printed already.
func tellCreated(w io.Writer, d store.Device, flags deviceFlags) error {
	switch {
	case flags.out == "":
		return nil
	case flags.json:
		return printDocument(w, struct {
			RuntimeID  string `json:"runtime_id"`
			DeviceName string `json:"device_name"`
			Profile    string `json:"profile"`
		}{d.ID, d.Name, flags.out})
	}
	_, err := fmt.Fprintf(w, "Device %s is created, id %s; its profile is in %s.\n", d.Name, d.ID, flags.out)
	return err
}
