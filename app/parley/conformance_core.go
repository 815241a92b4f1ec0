package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley/daemon/wiretest"
)

func newConformanceCoreCommand() *cobra.Command {
	var profileFile, server, drive, revoke string
	var slow bool
	var told reporting
	cmd := &cobra.Command{
		Use:   "core",
		Short: "Test a Core, as a scripted Runtime",
		Long: `Connects to a Core as one of its devices and replays every scenario that tests a Core.

From outside can be tested: bootstrap, the upgrade and its refusals, heartbeats and declarations, replacement, frame
limits. For the rest the Core has to act, and --drive names a program that makes it: it reads one JSON object a line
on standard input and answers each with one line on standard output.

  {"do":"connected","device":D}                          wait for the device's first heartbeat     {}
  {"do":ACT,"device":D,"id":I,"payload":P,"body":B}      begin an act, do not wait for the peer    {}
  {"do":"observe","of":W,"id":I,"wait_ms":N}             the next thing that Core saw              {"observation":O}

ACT is prepare, start, release, cancel, steer, function_result, read, write, export, runtime_prepare, quiesce or resume;
id and payload are those of the frame that Core has to send first, body (base64) is what a transfer carries. W is
preparation, run or an act; I of a cancel or function_result is its delivery_id, of a steer its input_id. O is one of
  {"frame":TYPE,"payload":P} {"result":P} {"refused":CODE} {"end":"closed"|"lost"|"overflow"|"invalid"}
  {"failed":"lost"|"timeout"|"unconfirmed"} {"pending":true}
An act that cannot begin is answered {"error":TEXT}.

The device must be one that nothing else connects with: a second Runtime on it would take the connection over.`,
		Example: `  parley conformance core --profile tester.json --allow-skips
  parley conformance core --profile tester.json --drive ./drive-my-core --revoke './my-core revoke tester' --slow`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			profile, err := readProfile(cmd, profileFile, server)
			if err != nil {
				return err
			}
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			var driver *shellProcess
			o := wiretest.CoreOptions{Profile: profile, Slow: slow, Only: told.only, Seen: told.seen(cmd.OutOrStdout())}
			if revoke != "" {
				o.Revoke = func(ctx context.Context) error { return runShell(ctx, revoke, cmd.ErrOrStderr()) }
			}
			if drive != "" {
				if driver, err = startShell(ctx, drive, cmd.ErrOrStderr(), true); err != nil {
					return err
				}
				defer driver.stop()
				o.Driver = wiretest.DriveOver(driver.stdin, driver.stdout)
			}
			report, err := wiretest.RunCore(ctx, o)
			if errors.Is(err, wiretest.ErrDriverEnded) {
				err = driverEnded(driver)
			}
			return told.conclude(cmd.OutOrStdout(), report, err)
		},
	}
	cmd.Flags().StringVar(&profileFile, "profile", "", "`file` with the profile of a device that the Core knows (required)")
	cmd.Flags().StringVar(&server, "url", "", "`address` of the Core's API, origin and /api/v1; instead of the profile's")
	cmd.Flags().StringVar(&drive, "drive", "", "`command` that makes the Core act")
	cmd.Flags().StringVar(&revoke, "revoke", "", "`command` that revokes the device; its scenario comes last")
	cmd.Flags().BoolVar(&slow, "slow", false, "also replay what takes a minute or more")
	told.flags(cmd)
	return cmd
}

// driverEnded says how a driver ended that no longer answers.
func driverEnded(driver *shellProcess) error {
	select {
	case <-driver.ended:
		how, said := driver.how()
		if said != "" {
			said = ": " + said
		}
		return fmt.Errorf("the driver %s%s", how, said)
	case <-time.After(time.Second):
		return errors.New("the driver runs and has closed its standard output; it answers each line with one line")
	}
}

func readProfile(cmd *cobra.Command, file, server string) (wiretest.Profile, error) {
	var profile wiretest.Profile
	if file == "" {
		return profile, misused(cmd, "expected --profile, found none")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return profile, fmt.Errorf("read profile: %w", err)
	}
	if err := json.Unmarshal(data, &profile); err != nil {
		return profile, fmt.Errorf("read profile %s: expected a JSON object with server_url, runtime_id and runner_credential: %w", file, err)
	}
	if server != "" {
		profile.ServerURL = server
	}
	if profile.ServerURL == "" || profile.RuntimeID == "" || profile.RunnerCredential == "" {
		return profile, fmt.Errorf("read profile %s: expected server_url, runtime_id and runner_credential", file)
	}
	return profile, nil
}
