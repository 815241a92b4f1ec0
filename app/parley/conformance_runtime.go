package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/daemon/wiretest"
)

func newConformanceRuntimeCommand() *cobra.Command {
	var listen, profileOut, behavioursFile, start, wake string
	var profile wiretest.Profile
	var told reporting
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "Test a Runtime, as a scripted Core",
		Long: `Waits for a Runtime to connect and replays every scenario that its declaration admits.

The Runtime is started with the profile that is printed or written. It connects anew for every scenario, as it has to
after a closed connection. With --start it is started anew instead: the command finds the profile's file in the
environment variable PARLEY_PROFILE. Without it only one of the scenarios after which a Runtime stops can be run.

What a scenario needs of the native side is a behaviour. By default the kind "scripted" is asked for one by
harness_config {"script":NAME}; --behaviours gives a YAML or JSON file with a mapping of your own:
  hello: {kind: my-kind, harness_config: {…}, input: Say hello.}
Names: hello, long, steer, function, hold-cancel, fail-prepare, slow-prepare, fail-settle, fail-close, engine-error.
A behaviour that is not mapped leaves its scenarios unrun, and the exit is 1 unless --allow-skips is given.`,
		Example: `  parley conformance runtime --listen 127.0.0.1:7100 --profile-out runtime.json
  parley conformance runtime --workspace ./w --start 'my-daemon --profile "$PARLEY_PROFILE"' --json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			behaviours := wiretest.DefaultBehaviours()
			if behavioursFile != "" {
				var err error // of the file
				if behaviours, err = wiretest.ReadBehaviours(behavioursFile); err != nil {
					return err
				}
			}
			scratch, err := os.MkdirTemp("", "parley-conformance-")
			if err != nil {
				return fmt.Errorf("make a folder for the suite: %w", err)
			}
			defer os.RemoveAll(scratch) // what is left of it serves nobody
			if profile.WorkspaceDirectory, err = workspaceOf(profile.WorkspaceDirectory, scratch); err != nil {
				return err
			}
			core, err := wiretest.Listen(listen, profile)
			if err != nil {
				return err
			}
			defer core.Close()
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			o := wiretest.RuntimeOptions{Core: core, Behaviours: behaviours, Only: told.only, Seen: told.seen(cmd.OutOrStdout())}
			if wake != "" {
				o.Wake = func(ctx context.Context) error { return runShell(ctx, wake, cmd.ErrOrStderr()) }
			}
			if profileOut == "" && start != "" {
				profileOut = filepath.Join(scratch, "profile.json")
			}
			if err := handOver(cmd, core.Profile(), profileOut, start != ""); err != nil {
				return err
			}
			if start != "" {
				o.Start = func(ctx context.Context, _ wiretest.Profile) (func(), error) {
					process, err := startShell(ctx, start, cmd.ErrOrStderr(), false, "PARLEY_PROFILE="+profileOut)
					if err != nil {
						return nil, err
					}
					return process.stop, nil
				}
			}
			report, err := wiretest.RunRuntime(ctx, o)
			return told.conclude(cmd.OutOrStdout(), report, err)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`address` and port to wait at")
	cmd.Flags().StringVar(&profile.ServerURL, "url", "", "`address` by which the Runtime reaches it, with /api/v1 (default: where it waits)")
	cmd.Flags().StringVar(&profileOut, "profile-out", "", "write the Runtime's profile to this `file`")
	cmd.Flags().StringVar(&behavioursFile, "behaviours", "", "`file` that says how behaviours are brought about")
	cmd.Flags().StringVar(&start, "start", "", "`command` that starts the Runtime, once a scenario")
	cmd.Flags().StringVar(&wake, "wake", "", "`command` that wakes a suspended Runtime")
	cmd.Flags().StringVar(&profile.EnvironmentID, "environment", "", "`id` of the bound Environment (default: made up)")
	cmd.Flags().StringVar(&profile.SessionID, "session", "", "`id` of the bound Session (default: made up)")
	cmd.Flags().StringVar(&profile.WorkspaceDirectory, "workspace", "", "`folder` that the Runtime is bound to; files are written there (default: one for the time of the suite)")
	told.flags(cmd)
	return cmd
}

// workspaceOf is the folder that a person chose, or one of the suite's own.
func workspaceOf(chosen, scratch string) (string, error) {
	if chosen == "" {
		own := filepath.Join(scratch, "workspace")
		if err := os.Mkdir(own, 0o700); err != nil {
			return "", fmt.Errorf("make workspace: %w", err)
		}
		return own, nil
	}
	absolute, err := filepath.Abs(chosen)
	if err != nil {
		return "", fmt.Errorf("find workspace: %w", err)
	}
	return absolute, nil
}

// handOver gives the profile to whoever starts the Runtime.
func handOver(cmd *cobra.Command, profile wiretest.Profile, file string, started bool) error {
	data, err := json.MarshalIndent(profile, "", "  ")
	if err != nil {
		return fmt.Errorf("encode profile: %w", err)
	}
	data = append(data, '\n')
	if file == "" {
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "Start the Runtime with this profile:\n%s", data)
	} else {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	if !started {
		fmt.Fprintf(cmd.ErrOrStderr(), "Waiting for the Runtime at %s\n", profile.ServerURL)
	}
	return nil
}
