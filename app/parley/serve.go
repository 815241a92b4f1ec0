package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"parley/app"
)

func newServeCommand() *cobra.Command {
	c := app.Config{Getenv: os.Getenv}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the lab and open it in the browser",
		Long: `Start the lab: its pages, the runner contract over HTTP, Core's machine connection and a Runtime of the lab's own that
connects to it, on this machine only.

One data folder has one lab. A second "parley serve" on the same folder is refused with exit 1, but
opens the lab that runs (not with --no-open or --json) and prints a fresh link to it. The folder is --data, else PARLEY_DATA, else parley in the XDG data home.

The browser is opened with the command in BROWSER, which may be a list separated by colons: each is tried, without a
shell, with the link as its last argument or in place of %s. Without BROWSER it is xdg-open, on macOS open.

With --json, one line says that the lab is ready, before anything else on standard output:
  {"url":…,"open_url":…,"data":…,"pid":…,"api_key_file":…}
open_url opens the lab in a browser once, within two minutes. Programs send the key in api_key_file as bearer.

SIGINT, SIGTERM and SIGHUP stop it in order: running units are cancelled and cleaned up, the database is closed.
A request that does not end within six seconds is cut off; that is said, and the exit is 1. The database is in
order then too. A second signal ends it at once.`,
		Example: `  parley serve
  parley serve --addr 127.0.0.1:0 --no-open --json      any free port, for a program
  parley serve --data ./lab-of-today                    a lab of its own`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), stopSignals()...)
			defer stop()
			// From the first signal on the default action is back, so that a second one ends the process.
			context.AfterFunc(ctx, stop)
			c.Stdin, c.Stdout, c.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			err := app.Serve(ctx, c)
			var address *app.AddressError
			if errors.As(err, &address) && address.Usage {
				return &usageError{err}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.Addr, "addr", app.DefaultAddr, "literal `address` and port to listen on; port 0 picks a free one")
	flags.StringVar(&c.Data, "data", "", "data `folder`")
	flags.BoolVar(&c.NoOpen, "no-open", false, "do not open the browser")
	flags.BoolVar(&c.NoDaemon, "no-daemon", false, "start without the lab's own runtime")
	flags.BoolVar(&c.JSON, "json", false, "print one readiness line for programs")
	flags.BoolVar(&c.Verbose, "verbose", false, "log every request, without its query")
	flags.BoolVar(&c.DangerouslyListen, "dangerously-listen", false,
		"allow an address that other machines reach; then only the offline runner routes and the machine connection answer")
	flags.BoolVar(&c.StopWithStdin, "stop-with-stdin", false, "end when standard input closes")
	_ = flags.MarkHidden("stop-with-stdin") // the flag exists
	return cmd
}

// stopSignals are the signals that stop the lab in order. A hangup that was ignored from the start stays ignored: that is
// what nohup asks for.
func stopSignals() []os.Signal {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
