package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"parley/app"
	"parley/runner"
)

// versionReport is the document of `parley version --json`.
type versionReport struct {
	Version   string        `json:"version"`
	Commit    string        `json:"commit"`
	Go        string        `json:"go"`
	Platform  string        `json:"platform"`
	Contracts []string      `json:"contracts"`
	Runner    runnerVersion `json:"runner"`
}

type runnerVersion struct {
	Versions     []string `json:"versions"`
	Capabilities []string `json:"capabilities"`
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which program this is and what it speaks",
		Example: "  parley version\n  parley version --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := versionReport{
				Version: app.Version(), Commit: app.Commit(), Go: runtime.Version(), Platform: app.Platform(),
				Contracts: []string{"runner"},
				Runner:    runnerVersion{Versions: runner.Versions(), Capabilities: runner.Advertised()},
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "parley %s\ncommit %s\nbuilt with %s for %s\nrunner contract %s: %s\n",
				report.Version, report.Commit, report.Go, report.Platform,
				strings.Join(report.Runner.Versions, ", "), strings.Join(report.Runner.Capabilities, ", "))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
