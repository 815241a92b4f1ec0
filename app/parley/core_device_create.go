package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/app"
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
  parley core device create quay-east --out quay-east.json --workspace /srv/work \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30 --session b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8
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
		origin := cmp.Or(origin, labOrigin(folder))
		alike, err := alikeNamed(cmd.Context(), s, name)
		if err != nil {
			return err
		}
		secret, digest := gateway.NewCredential()
		device, err := s.CreateDevice(cmd.Context(), store.Device{Name: name, RuntimeType: store.AgentDaemon, Digest: digest,
			Binding: flags.binding, Created: time.Now()})
		if err != nil {
			return unfitIsUsage(err)
		}
		if err := place.put(profileOf(device, secret, cmp.Or(origin, "http://"+app.DefaultAddr))); err != nil {
			// Nobody has the credential, so nobody may ever use it.
			return errors.Join(err, errUndone, s.RevokeDevice(cmd.Context(), device.ID, time.Now()))
		}
		if origin == "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: no lab runs on %s, so the profile names the default address, http://%s; --server-url names another\n",
				folder.Path(), app.DefaultAddr)
		}
		if len(alike) > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: the name %q is taken by %s already; this device is %s\n", device.Name, alike[0].ID, device.ID)
		}
		return tellCreated(cmd.OutOrStdout(), device, flags)
	})
}

// alikeNamed finds the devices that may connect and have the name; names need not differ, but people go by them.
func alikeNamed(ctx context.Context, s *store.Store, name string) ([]store.Device, error) {
	devices, err := s.Devices(ctx)
	return slices.DeleteFunc(devices, func(d store.Device) bool {
		return !d.Revoked.IsZero() || d.Name != strings.TrimSpace(name)
	}), err
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
