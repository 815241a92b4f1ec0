package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newSessionSendCommand() *cobra.Command {
	var flags sessionFlags
	cmd := &cobra.Command{
		Use:   "send ID TEXT",
		Short: "Send a message to a Session",
		Long: `Send a message to a Session. It begins a Turn where the Session is idle or failed; where a Turn goes on it is active input
of that Turn.`,
		Example: `  parley session send 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 "And tomorrow?"`,
		Args:    arguments("the id of a Session and a text", 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sendEvent(cmd, flags, args[0], "The message is taken.",
				map[string]any{"type": "agent.session.input.message", "content": args[1]})
		},
	}
	flags.add(cmd, "print one JSON document")
	return cmd
}

func newSessionCancelCommand() *cobra.Command {
	var flags sessionFlags
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Ask that the Turn of a Session ends",
		Long: `Ask that the Turn of a Session ends. One that is queued ends at once; of one that runs the Runtime's answer decides, so
that it may still complete. Where no Turn goes on nothing happens.`,
		Example: "  parley session cancel 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514",
		Args:    oneArgument(sessionArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sendEvent(cmd, flags, args[0], "The cancel is taken; parley session show says what became of it.",
				map[string]any{"type": "agent.session.input.cancel"})
		},
	}
	flags.add(cmd, "print one JSON document")
	return cmd
}

func newSessionAnswerCommand() *cobra.Command {
	var flags sessionFlags
	var failed bool
	cmd := &cobra.Command{
		Use:   "answer ID CALL TEXT",
		Short: "Answer a function call that a Session waits for",
		Long: `Answer a function call that a Session waits for: TEXT is the function's result or, with --failed, why it has none.
parley session show lists the calls that are open.`,
		Example: `  parley session answer 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 call-1 "berth 7"
  parley session answer 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 call-1 "no such berth" --failed`,
		Args: arguments("the id of a Session, the id of a call and a text", 3),
		RunE: func(cmd *cobra.Command, args []string) error { return answerCall(cmd, flags, args, failed) },
	}
	cmd.Flags().BoolVar(&failed, "failed", false, "the function failed; TEXT says why")
	flags.add(cmd, "print one JSON document")
	return cmd
}

func answerCall(cmd *cobra.Command, flags sessionFlags, args []string, failed bool) error {
	lab, err := runningLab(flags.data)
	if err != nil {
		return err
	}
	session, _, err := lab.session(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	var open []string
	for _, call := range session.Required {
		if call.CallID != args[1] {
			open = append(open, call.CallID)
			continue
		}
		event := map[string]any{"type": "agent.session.input.tool_result", "turn_id": call.TurnID, "call_id": call.CallID,
			"success": !failed, "output": args[2]}
		if failed {
			delete(event, "output")
			event["error"] = args[2]
		}
		return sendEvent(cmd, flags, args[0], "The answer is taken.", event)
	}
	if len(open) == 0 {
		return fmt.Errorf("answer call %q: the Session waits for no call; it is %s", args[1], session.Status)
	}
	return fmt.Errorf("answer call %q: the Session does not wait for it; it waits for %s", args[1], strings.Join(open, ", "))
}

// sendEvent gives a Session one input event and says that it was taken.
func sendEvent(cmd *cobra.Command, flags sessionFlags, id, taken string, event map[string]any) error {
	lab, err := runningLab(flags.data)
	if err != nil {
		return err
	}
	if err := lab.addEvent(cmd.Context(), id, event); err != nil {
		return err
	}
	if flags.json {
		return printDocument(cmd.OutOrStdout(), map[string]any{"session_id": id, "type": event["type"], "taken": true})
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), taken)
	return err
}

// arguments is for commands that take several.
func arguments(what string, n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return misused(cmd, fmt.Sprintf("expected %s, found %d arguments", what, len(args)))
		}
		return nil
	}
}
