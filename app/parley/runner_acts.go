package main

import (
	"context"
	"io"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/runner"
	"parley/runner/admission"
	"parley/runner/attempt"
)

func newCapabilitiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "capabilities",
		Short:   "Print what this runner offers",
		Example: "  parley runner capabilities",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return respond(cmd.OutOrStdout(), runner.Encode(runner.Advertise()), runner.ExitOK)
		},
	}
}

func newNegotiateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "negotiate",
		Short: "Say whether a compact or complete request is compatible; nothing is executed",
		Long: `Reads a request from standard input and answers with a waza.runner-negotiation document.
Captured YAML, selection and consent are not looked at. Exits: 0 compatible, 5 unsupported, 6 invalid.`,
		Example: "  parley runner negotiate < examples/runner/negotiation.json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answer := negotiateInput(cmd.Context(), cmd.InOrStdin())
			return respond(cmd.OutOrStdout(), runner.Encode(answer), answer.Status.ExitCode())
		},
	}
}

func newValidateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Admit one exact unit without starting an engine",
		Long: `Reads a complete request from standard input and answers with a waza.runner-unit receipt.
The identity in it is derived from the input; it is no evidence of execution. Exits: 0 ready, 5 unsupported, 6 invalid.`,
		Example: "  parley runner validate < examples/runner/unit.json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			receipt := validateInput(cmd.Context(), cmd.InOrStdin())
			return respond(cmd.OutOrStdout(), runner.Encode(receipt), receipt.ExitCode())
		},
	}
}

func newRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run one exact unit once",
		Long: `Reads a complete request from standard input, runs it once on a fresh engine and answers with a
waza.runner-terminal envelope whose exit_code is the exit of the command. Ctrl-C cancels the run.
The same request again is another run: nothing is cached and nothing is retried.`,
		Example: "  parley runner run < examples/runner/unit.json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			service, err := attempt.New(attempt.Options{Factories: attempt.Factories(), Now: time.Now,
				Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))})
			if err != nil {
				return err
			}
			terminal := runner.Seal(runInput(cmd.Context(), service, cmd.InOrStdin()))
			return respond(cmd.OutOrStdout(), runner.EncodeTerminal(terminal), terminal.ExitCode)
		},
	}
}

func negotiateInput(ctx context.Context, stdin io.Reader) runner.Negotiation {
	ctx, stop := untilSignal(ctx)
	defer stop()
	data, fault := readRequest(ctx, stdin)
	if fault != nil {
		return runner.RejectUnread(fault.code, fault.message)
	}
	return admission.Negotiate(data)
}

func validateInput(ctx context.Context, stdin io.Reader) runner.Receipt {
	ctx, stop := untilSignal(ctx)
	defer stop()
	data, fault := readRequest(ctx, stdin)
	if fault != nil {
		return runner.RejectUnit(runner.RejectUnread(fault.code, fault.message))
	}
	return admission.Validate(data)
}

func runInput(ctx context.Context, service *attempt.Service, stdin io.Reader) runner.Terminal {
	ctx, stop := untilSignal(ctx)
	defer stop()
	data, fault := readRequest(ctx, stdin)
	if fault != nil {
		return fault.terminal()
	}
	return service.Run(ctx, data, nil).Terminal
}

// untilSignal ends the context at the first signal. From then on the default action is back, so that a second one ends
// the process at once.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
