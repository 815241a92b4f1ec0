package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"parley/app"
)

// errUnwell ends doctor with exit 1; the report has said why.
var errUnwell = errors.New("something here keeps the lab from starting; the report says what to do")

func newDoctorCommand() *cobra.Command {
	var folder, addr string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what works on this machine and what to do about the rest",
		Long: `Look at everything that the lab needs, changing nothing: the data folder, the lab that runs on it, its
records (the database is checked as a whole), the devices and which of them are online, the port, the harnesses, the
browser, the window program.

Each line begins with ok, note (the lab does without), unknown (it could not be looked at) or broken (the lab does not
start). Exit 1 if something is broken.`,
		Example: "  parley doctor\n  parley doctor --data ./lab-of-today --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := app.Examine(cmd.Context(), folder, addr, os.Getenv)
			if err := tellFindings(cmd.OutOrStdout(), findings, asJSON); err != nil {
				return err
			}
			if findings.Broken() {
				return errUnwell
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder`; as for parley serve")
	cmd.Flags().StringVar(&addr, "addr", app.DefaultAddr, "`address` and port to look at")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func tellFindings(w io.Writer, findings app.Health, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(findings)
	}
	for _, f := range findings.Checks {
		if _, err := fmt.Fprintf(w, "%-8s %-9s %s\n", f.State, f.Name, f.Says); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(w, "%18s to do: %s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}
