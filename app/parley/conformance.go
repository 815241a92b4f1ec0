package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley/daemon/wiretest"
)

// errNotConformant ends a suite with exit 1; the report has said why.
var errNotConformant = errors.New("conformance: not everything passed; the report says what and why")

func newConformanceCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "conformance",
		Short: "Test somebody else's Core or Runtime by the shared wire scenarios",
		Long: `Replays the wire scenarios against the other side: as a scripted Runtime against a Core, or as a scripted Core
against a Runtime. Every failure names the step, what was expected, what was seen and the rule of the contract.`,
		Example: `  parley conformance list
  parley conformance show run_completes
  parley conformance core --profile tester.json
  parley conformance runtime --start 'my-daemon --profile "$PARLEY_PROFILE"'`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(newConformanceListCommand(), newConformanceShowCommand(), newConformanceBehavioursCommand())
	group.AddCommand(newConformanceCoreCommand(), newConformanceRuntimeCommand())
	return group
}

func newConformanceListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the scenarios and which side each tests",
		Example: "  parley conformance list",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := wiretest.Scenarios()
			if err != nil {
				return err
			}
			for _, s := range all {
				sides := make([]string, len(s.Tests))
				for i, side := range s.Tests {
					sides[i] = string(side)
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-52s %-13s %s\n", s.Name, strings.Join(sides, ", "), s.Title); err != nil {
					return fmt.Errorf("write list: %w", err)
				}
			}
			return nil
		},
	}
}

// reporting is how a suite is told about; both commands have it.
type reporting struct {
	only       []string
	allowSkips bool
	asJSON     bool
}

func (r *reporting) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&r.only, "only", nil, "replay this `scenario` alone; may be given again")
	cmd.Flags().BoolVar(&r.allowSkips, "allow-skips", false, "exit 0 also when scenarios could not be run")
	cmd.Flags().BoolVar(&r.asJSON, "json", false, "print one JSON document at the end")
}

// seen tells a person each result as it comes.
func (r *reporting) seen(w io.Writer) func(wiretest.Result) {
	if r.asJSON {
		return nil
	}
	return func(result wiretest.Result) {
		_ = result.Print(w) // a reader that went away is told at the end, by the summary
		if result.Failure != nil {
			_, _ = fmt.Fprintf(w, "  scenario: parley conformance show %s\n", result.Scenario)
		}
	}
}

// conclude tells what there is, also when the suite ended early.
func (r *reporting) conclude(w io.Writer, report wiretest.Report, ended error) error {
	if ended != nil && len(report.Results) == 0 {
		return ended
	}
	tell := report.PrintSummary
	if r.asJSON {
		tell = report.PrintJSON
	}
	if err := errors.Join(ended, tell(w)); err != nil {
		return err
	}
	if !report.OK(r.allowSkips) {
		return errNotConformant
	}
	return nil
}
