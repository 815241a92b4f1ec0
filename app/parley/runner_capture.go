package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/runner"
	"parley/runner/admission"
)

// captureFlags are the values that the two files cannot say.
type captureFlags struct {
	shard, runKey  string
	trial, attempt int
	timeoutMS      int64
	check          bool
}

func newCaptureCommand() *cobra.Command {
	var flags captureFlags
	cmd := &cobra.Command{
		Use:   "capture EVAL TASK",
		Short: "Write a complete request from one eval file and one task file",
		Long: `Reads both files and writes a complete request that carries their exact bytes; the task's id becomes the selected task.
No other file is opened. What cannot become a request is refused with the diagnostics of validate, on standard error,
and nothing is written. With --check the request must also pass validate.

Exits: 0 written, 2 the request could not be written, 5 unsupported, 6 refused or misuse.`,
		Example: `  parley runner capture eval.yaml berth-7.yaml --shard quay-east --trial 3 --attempt 1 --run-key tide-2031 > unit.json
  parley runner capture eval.yaml berth-7.yaml --shard quay-east --trial 3 --attempt 1 --run-key tide-2031 --check | parley runner run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misuse("%s: expected an eval file and a task file, found %d arguments", nameOf(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return capture(cmd, args[0], args[1], flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.shard, "shard", "", "shard label, for the selection and the input (required)")
	f.StringVar(&flags.runKey, "run-key", "", "key of the run (required)")
	f.IntVar(&flags.trial, "trial", 1, "trial to select, from 1")
	f.IntVar(&flags.attempt, "attempt", 1, "attempt to select, from 1")
	f.Int64Var(&flags.timeoutMS, "timeout-ms", 60000, "time limit of the run, in milliseconds")
	f.BoolVar(&flags.check, "check", false, "validate the request too, and write it only if it is ready")
	return cmd
}

func capture(cmd *cobra.Command, evalFile, taskFile string, flags captureFlags) error {
	eval, err := readCaptured(evalFile)
	if err != nil {
		return err
	}
	task, err := readCaptured(taskFile)
	if err != nil {
		return err
	}
	document, refused := admission.Capture{
		Eval: eval, Task: task, Shard: flags.shard, RunKey: flags.runKey, Trial: flags.trial, Attempt: flags.attempt,
		TimeoutMS: flags.timeoutMS, Profile: runner.CapMockText,
	}.Request()
	code := runner.ExitInvalid
	if len(refused) == 0 && flags.check {
		receipt := admission.Validate(document)
		refused, code = receipt.Diagnostics, receipt.ExitCode()
	}
	if len(refused) > 0 {
		tellDiagnostics(cmd.ErrOrStderr(), nameFlags(refused))
		return &runnerExit{code: code, message: "runner capture: no request was written"}
	}
	return respond(cmd.OutOrStdout(), document, runner.ExitOK)
}

// readCaptured reads one file, up to what a request could carry at all.
func readCaptured(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, misuse("runner capture: %v", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, runner.MaxDocumentBytes+1))
	if err != nil {
		return nil, misuse("runner capture: %v", err)
	}
	if len(text) > runner.MaxDocumentBytes {
		return nil, misuse("runner capture: %s: expected at most %d bytes, found more", name, runner.MaxDocumentBytes)
	}
	return text, nil
}

// nameFlags puts the flag in the place of the path where a fault is one of the command line: nobody has seen the request
// that it would have made.
func nameFlags(diagnostics []runner.Diagnostic) []runner.Diagnostic {
	flags := map[string]string{
		"/input/shard": "--shard", "/selection/shard": "--shard", "/run_key": "--run-key",
		"/selection/trial": "--trial", "/selection/attempt": "--attempt", "/timeout_ms": "--timeout-ms",
		"/selection/task": "id of the task file",
	}
	var named []runner.Diagnostic
	for _, d := range diagnostics {
		place, rest, found := strings.Cut(d.Message, ": ")
		path, _, _ := strings.Cut(place, " at byte ")
		if flag, ok := flags[path]; found && ok {
			d.Message = flag + ": " + rest
		}
		if !slices.Contains(named, d) {
			named = append(named, d)
		}
	}
	return named
}

func tellDiagnostics(w io.Writer, diagnostics []runner.Diagnostic) {
	for _, d := range diagnostics {
		fmt.Fprintf(w, "%s: %s\n", d.Code, d.Message)
	}
}
