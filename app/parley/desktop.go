package main

import (
	"errors"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"parley/app"
)

func newDesktopCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "desktop",
		Short: "Open the lab in a window of its own",
		Long: `Start parley-desktop, which lies beside parley or in PATH. It shows the lab that already runs on the data folder,
or starts one that ends with the window.`,
		Example: "  parley desktop",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			program, err := app.DesktopProgram()
			if err != nil {
				return err
			}
			window := exec.CommandContext(cmd.Context(), program)
			window.Stdin, window.Stdout, window.Stderr = os.Stdin, os.Stdout, os.Stderr
			window.Env = os.Environ()
			if folder != "" {
				window.Env = append(window.Env, "PARLEY_DATA="+folder)
			}
			err = window.Run()
			var ended *exec.ExitError
			if errors.As(err, &ended) {
				return &windowExit{ended.ExitCode()}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	return cmd
}

// windowExit hands on the exit of the window program, which has said why by itself.
type windowExit struct{ code int }

func (e *windowExit) Error() string { return "" }

// ExitCode is what the process exits with.
func (e *windowExit) ExitCode() int { return max(e.code, exitFailed) }
