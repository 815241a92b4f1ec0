package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

func newSessionListCommand() *cobra.Command {
	var flags sessionFlags
	var limit int
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List Sessions, the newest first",
		Example: "  parley session list\n  parley session list --limit 100 --json",
		Args:    refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab, err := runningLab(flags.data)
			if err != nil {
				return err
			}
			text, err := lab.document(cmd.Context(), http.MethodGet, fmt.Sprintf("%s?limit=%d", sessionsPath, limit), nil)
			if err != nil {
				return err
			}
			if flags.json {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			return tellSessions(cmd.OutOrStdout(), text)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "`number` of Sessions, up to 100")
	flags.add(cmd, "print the list as one JSON document")
	return cmd
}

func tellSessions(w io.Writer, text []byte) error {
	var list struct {
		Data    []shownSession `json:"data"`
		HasMore bool           `json:"has_more"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("read the lab's answer: %w", err)
	}
	if len(list.Data) == 0 {
		_, err := fmt.Fprintln(w, "No Session yet; parley session new --script hello begins one.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tAGENT\tSTATUS\tLAST ACTIVE")
	for _, s := range list.Data {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.ID, s.Agent.Name, s.Status, when(time.Unix(s.LastActiveAt, 0)))
	}
	if list.HasMore {
		fmt.Fprintln(table, "There are more; --limit shows up to 100.")
	}
	return table.Flush() // tells what went wrong before
}

func newSessionShowCommand() *cobra.Command {
	var flags sessionFlags
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show how a Session stands and what it asks for",
		Example: "  parley session show 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514",
		Args:    oneArgument(sessionArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			lab, err := runningLab(flags.data)
			if err != nil {
				return err
			}
			session, text, err := lab.session(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if flags.json {
				_, err := cmd.OutOrStdout().Write(text)
				return err
			}
			return tellSession(cmd.OutOrStdout(), session)
		},
	}
	flags.add(cmd, "print the Session as one JSON document")
	return cmd
}

func tellSession(w io.Writer, s shownSession) error {
	_, err := fmt.Fprintf(w, "Session %s with %s: %s.\n", s.ID, s.Agent.Name, s.Status)
	for _, call := range s.Required {
		if err == nil {
			_, err = fmt.Fprintf(w, "It waits for the result of %s with %s; answer with: parley session answer %s %s TEXT\n",
				call.Name, call.Arguments, s.ID, call.CallID)
		}
	}
	return err
}
