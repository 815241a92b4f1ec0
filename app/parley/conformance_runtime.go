package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/daemon/wiretest"
)

// runtimeSuite is what a person chose for the test of a Runtime.
type runtimeSuite struct {
	listen, profileOut, behaviours, start, wake string

	profile wiretest.Profile
	told    reporting
}

func newConformanceRuntimeCommand() *cobra.Command {
	var suite runtimeSuite
	cmd := &cobra.Command{
		Use:   "runtime",
		Short: "Test a Runtime, as a scripted Core",
		Long: `Waits for a Runtime to connect and replays every scenario that its declaration admits.

The Runtime is started with the profile that is printed or written. It connects anew for every scenario, as it has to
after a closed connection. With --start it is started anew instead: the command finds the profile's file in the
environment variable PARLEY_PROFILE, and runs as long as its Runtime. Without --start only one of the scenarios after
which a Runtime stops can be run.

What a scenario needs of the native side is a behaviour; "parley conformance behaviours" says what each has to do. By
default the kind "scripted" is asked for one by harness_config {"script":NAME}; --behaviours gives a YAML or JSON file
with a mapping of your own:
  hello: {kind: my-kind, harness_config: {…}, input: Say hello.}
A behaviour that is not mapped leaves its scenarios unrun, and the exit is 1 unless --allow-skips is given.`,
		Example: `  parley conformance runtime --listen 127.0.0.1:7100 --profile-out runtime.json
  parley conformance runtime --workspace ./w --start 'my-daemon --profile "$PARLEY_PROFILE"' --json`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return suite.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&suite.listen, "listen", "127.0.0.1:0", "`address` and port to wait at")
	flags.StringVar(&suite.profile.ServerURL, "url", "", "`address` by which the Runtime reaches it, with /api/v1 (default: where it waits)")
	flags.StringVar(&suite.profileOut, "profile-out", "", "write the Runtime's profile to this `file`")
	flags.StringVar(&suite.behaviours, "behaviours", "", "`file` that says how behaviours are brought about")
	flags.StringVar(&suite.start, "start", "", "`command` that starts the Runtime, once a scenario")
	flags.StringVar(&suite.wake, "wake", "", "`command` that wakes a suspended Runtime")
	flags.StringVar(&suite.profile.EnvironmentID, "environment", "", "`id` of the bound Environment (default: made up)")
	flags.StringVar(&suite.profile.SessionID, "session", "", "`id` of the bound Session (default: made up)")
	flags.StringVar(&suite.profile.WorkspaceDirectory, "workspace", "", "`folder` that the Runtime is bound to; files are written there (default: one for the time of the suite)")
	suite.told.flags(cmd)
	return cmd
}

func (s *runtimeSuite) run(cmd *cobra.Command) error {
	behaviours, err := s.chosenBehaviours()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "parley-conformance-")
	if err != nil {
		return fmt.Errorf("make a folder for the suite: %w", err)
	}
	defer os.RemoveAll(scratch) // what is left of it serves nobody
	if s.profile.WorkspaceDirectory, err = workspaceOf(s.profile.WorkspaceDirectory, scratch); err != nil {
		return err
	}
	core, err := wiretest.Listen(s.listen, s.profile)
	if err != nil {
		return err
	}
	defer core.Close()
	if s.profileOut == "" && s.start != "" {
		s.profileOut = filepath.Join(scratch, "profile.json")
	}
	if err := handOver(cmd, core.Profile(), s.profileOut, s.start != ""); err != nil {
		return err
	}
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	options := s.means(cmd.ErrOrStderr())
	options.Core, options.Behaviours = core, behaviours
	options.Only, options.Seen = s.told.only, s.told.seen(cmd.OutOrStdout())
	report, err := wiretest.RunRuntime(ctx, options)
	return s.told.conclude(cmd.OutOrStdout(), report, err)
}

func (s *runtimeSuite) chosenBehaviours() (wiretest.Behaviours, error) {
	if s.behaviours == "" {
		return wiretest.DefaultBehaviours(), nil
	}
	return wiretest.ReadBehaviours(s.behaviours)
}

// means are the commands by which a Runtime is started and woken.
func (s *runtimeSuite) means(log io.Writer) wiretest.RuntimeOptions {
	var o wiretest.RuntimeOptions
	if s.wake != "" {
		o.Wake = func(ctx context.Context) error { return runShell(ctx, s.wake, log) }
	}
	if s.start != "" {
		o.Start = func(ctx context.Context, _ wiretest.Profile) (wiretest.Started, error) {
			process, err := startShell(ctx, s.start, log, false, "PARLEY_PROFILE="+s.profileOut)
			if err != nil {
				return wiretest.Started{}, err
			}
			return wiretest.Started{Stop: process.stop, Ended: process.ended, How: process.how}, nil
		}
	}
	return o
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
