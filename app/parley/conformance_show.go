package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/daemon/wiretest"
)

func newConformanceShowCommand() *cobra.Command {
	var format bool
	cmd := &cobra.Command{
		Use:   "show SCENARIO",
		Short: "Print a scenario and what its values mean",
		Long: `Prints the file of a scenario and the opening that it begins with, with the line numbers that reports name, and what
stands for values there: $any, $optional, $others and so on. --format explains the whole format instead.`,
		Example: `  parley conformance show run_completes
  parley conformance show --format`,
		Args: func(cmd *cobra.Command, args []string) error {
			if format {
				return refuseArguments(cmd, args)
			}
			return oneArgument("a scenario")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if format {
				return printText(cmd.OutOrStdout(), wiretest.Format())
			}
			return showScenario(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().BoolVar(&format, "format", false, "explain the format of scenarios")
	return cmd
}

func showScenario(w io.Writer, name string) error {
	name = strings.TrimSuffix(name, ".yaml")
	texts, known := wiretest.Texts(name)
	if !known {
		return fmt.Errorf("no scenario is called %q; parley conformance list names them all", name)
	}
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, "%s\n", text.File)
		number := 0
		for line := range strings.Lines(text.Text) {
			number++
			fmt.Fprintf(&b, "%4d  %s", number, line)
		}
		b.WriteString("\n")
	}
	_, values, _ := strings.Cut(wiretest.Format(), "## Values\n\n")
	b.WriteString(values)
	return printText(w, b.String())
}

func printText(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func newConformanceBehavioursCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "behaviours",
		Short: "Say what the native side of a Runtime has to do for the scenarios",
		Long: `Says what each behaviour has to do and which scenarios ask for it. A Runtime under test gets each by the kind and
configuration that --behaviours of "parley conformance runtime" maps it to.`,
		Example: "  parley conformance behaviours",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := wiretest.Scenarios()
			if err != nil {
				return err
			}
			var b strings.Builder
			meanings := wiretest.BehaviourNames()
			for _, name := range slices.Sorted(maps.Keys(meanings)) {
				fmt.Fprintf(&b, "%-13s %s\n", name, meanings[name])
				for _, s := range all {
					if s.Behaviour == name && s.TestsSide(wiretest.Runtime) {
						fmt.Fprintf(&b, "%14s%s\n", "", s.Name)
					}
				}
			}
			return printText(cmd.OutOrStdout(), b.String())
		},
	}
}
