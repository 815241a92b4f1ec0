package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley/app"
	"parley/app/data"
	"parley/daemon"
	"parley/daemon/transport"
)

// connectFlags are the flags of `parley daemon connect`.
type connectFlags struct {
	profile     string
	environment string
	session     string
	workspace   string
	data        string
	wakeAfter   time.Duration
	verbose     bool
}

func newDaemonConnectCommand() *cobra.Command {
	var flags connectFlags
	cmd := &cobra.Command{
		Use:   "connect --profile FILE",
		Short: "Connect a Runtime to a Core and stay connected",
		Long: `Connect this machine to a Core as a Runtime, and stay connected until it is stopped.

The profile is the file that "parley core device create" prints; keep it as you keep a password. A Runtime bound to an
Environment works in its workspace folder; the binding comes from the profile, or from --environment, --session and
--workspace, which must be given together unless the profile has the rest. Without a binding only executions with
environment none are admitted.

What happens is told on standard error, line by line. A connection that breaks is made again, after everything that it
started has ended; a refused version, a refused or revoked credential end the program with exit 1.

SIGINT and SIGTERM stop it: running work is cancelled, and the program ends when everything has confirmed its end. A
second signal ends it at once. A suspended Runtime comes back on SIGUSR1 or after --wake-after.`,
		Example: `  parley core device create laptop > laptop.json
  parley daemon connect --profile laptop.json
  parley daemon connect --profile laptop.json --workspace ./project \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30 --session b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return connect(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.profile, "profile", "", "the device's profile `file`")
	f.StringVar(&flags.environment, "environment", "", "`id` of the Environment this Runtime is bound to")
	f.StringVar(&flags.session, "session", "", "`id` of the Session it is bound to")
	f.StringVar(&flags.workspace, "workspace", "", "`folder` that is the Environment's workspace")
	f.StringVar(&flags.data, "data", "", "data `folder`, for what belongs to the Environment")
	f.DurationVar(&flags.wakeAfter, "wake-after", 0, "come back from a suspension after this `time`; 0 waits for SIGUSR1")
	f.BoolVar(&flags.verbose, "verbose", false, "tell every change of the connection")
	return cmd
}

func connect(cmd *cobra.Command, flags connectFlags) error {
	if flags.profile == "" {
		return misused(cmd, "expected --profile FILE, which parley core device create or parley daemon enroll makes")
	}
	profile, err := daemon.ReadProfile(flags.profile)
	if err != nil {
		return err
	}
	if profile, err = overridden(profile, flags); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level(flags.verbose)}))
	folder, err := runtimeFolder(profile, flags.data, log)
	if err != nil {
		return err
	}
	registry, err := app.Harnesses()
	if err != nil {
		return err
	}
	wake := newWaker(flags.wakeAfter)
	runtime, err := daemon.New(daemon.Config{Profile: profile, Folder: folder, Registry: registry, Build: app.Version(), Log: log,
		Notice: func(s transport.State) {
			tell(log, s)
			wake.notice(s)
		}})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), stopSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // from the first signal on the default action is back, so that a second one ends it
	defer wake.attach(runtime.Wake)()
	return runtime.Run(ctx)
}

func level(verbose bool) slog.Level {
	if verbose {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// overridden applies the flags of the binding.
func overridden(profile daemon.Profile, flags connectFlags) (daemon.Profile, error) {
	profile.EnvironmentID = cmp.Or(flags.environment, profile.EnvironmentID)
	profile.SessionID = cmp.Or(flags.session, profile.SessionID)
	if flags.workspace == "" {
		return profile, nil
	}
	workspace, err := filepath.Abs(flags.workspace)
	if err != nil {
		return profile, fmt.Errorf("find the workspace: %w", err)
	}
	profile.WorkspaceDirectory = workspace
	return profile, nil
}

// runtimeFolder makes the folder for what belongs to the bound Environment; a Runtime without a binding needs none.
func runtimeFolder(profile daemon.Profile, given string, log *slog.Logger) (string, error) {
	if profile.EnvironmentID == "" {
		return "", nil
	}
	place, err := data.Place(given, os.Getenv)
	if err != nil {
		return "", err
	}
	folder, err := data.Enter(place, log)
	if err != nil {
		return "", err
	}
	return folder.Runtime(profile.RuntimeID)
}

// tell says what the connection is doing, in a line for a person who follows the log. Why a connection ended or was not
// made has a line of the connection's own; an error that ends the program is printed last.
func tell(log *slog.Logger, s transport.State) {
	switch s.Phase {
	case transport.Online:
		log.Info("connected")
	case transport.Waiting:
		log.Info("trying again", "at", s.Next.Format(time.TimeOnly), "failures", s.Failures)
	case transport.Suspended:
		log.Info("suspended; SIGUSR1 brings it back")
	case transport.Resuming:
		log.Info("connected; waiting for Core to resume the suspended Environment")
	case transport.Clearing:
		log.Info("waiting for the end of what the last connection started")
	case transport.Stopped:
		if s.Err == nil {
			log.Info("stopped")
		}
	default:
		log.Debug("connection", "state", s.Phase)
	}
}
