package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

func newSessionTailCommand() *cobra.Command {
	var flags sessionFlags
	var after int64
	var live, untilIdle bool
	cmd := &cobra.Command{
		Use:   "tail ID",
		Short: "Print a Session's events as they happen",
		Long: `Print a Session's events, those that are there and then each as it happens, one a line, until it is interrupted or the
Session is deleted. With --until-idle it ends when the Session has nothing to do any more or asks for something.

--json prints {"id":…,"event":…,"data":…} a line; data is the event as Core's API sends it.`,
		Example: `  parley session tail 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514
  parley session tail 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 --after 12 --json
  parley session tail 5d0c8a37-94e2-4b6f-8f1d-c3a2709be514 --until-idle`,
		Args: oneArgument(sessionArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			if live && cmd.Flags().Changed("after") {
				return misused(cmd, "expected --after or --live, found both")
			}
			lab, err := runningLab(flags.data)
			if err != nil {
				return err
			}
			path := sessionPath(args[0]) + "/events"
			if !live {
				path += "?after=" + strconv.FormatInt(after, 10)
			}
			show := showEvent
			if flags.json {
				show = printEvent
			}
			ends := func(streamed) (bool, error) { return false, nil }
			if untilIdle {
				ends = func(e streamed) (bool, error) { return lab.settled(cmd.Context(), args[0], e) }
			}
			return lab.tail(cmd.Context(), path, ends, func(e streamed) error { return show(cmd.OutOrStdout(), e) })
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "begin after the event with this `number`")
	cmd.Flags().BoolVar(&live, "live", false, "only what happens from now on")
	cmd.Flags().BoolVar(&untilIdle, "until-idle", false, "end when the Session is idle, failed or asks for something")
	flags.add(cmd, "print one JSON document a line")
	return cmd
}

// streamed is one event of a stream.
type streamed struct {
	ID    int64           `json:"id,omitzero"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// tail reads a stream to its end. An error in the stream is an error.
func (l labClient) tail(ctx context.Context, path string, ends func(streamed) (bool, error), show func(streamed) error) error {
	response, err := l.api(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for {
		event, err := readEvent(lines)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the stream: %w", err)
		case event.Event == "error":
			return errorIn(event)
		}
		if err := show(event); err != nil {
			return err
		}
		if end, err := ends(event); err != nil || end {
			return err
		}
	}
}

// settled tells whether the Session does nothing by itself after an event, and the event is its last: one of an earlier
// Turn may be followed by others.
func (l labClient) settled(ctx context.Context, id string, e streamed) (bool, error) {
	switch e.Event {
	case "agent.session.idle", "agent.session.failed", "agent.session.requires_action":
		session, _, err := l.session(ctx, id)
		return session.Core.LastEventID == e.ID, err
	}
	return false, nil
}

// readEvent reads one event; comments are passed over.
func readEvent(lines *bufio.Reader) (streamed, error) {
	var e streamed
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.ID, err = strconv.ParseInt(value, 10, 64)
		case "event":
			e.Event = value
		case "data":
			e.Data = json.RawMessage(value)
		}
		if err != nil {
			return e, fmt.Errorf("read the id of an event: %w", err)
		}
		if name == "" && line == "\n" && e.Event != "" {
			return e, nil
		}
	}
}

func errorIn(e streamed) error {
	var told struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(e.Data, &told); err != nil || told.Error == nil {
		return fmt.Errorf("the stream ended with an error: %s", e.Data)
	}
	return told.Error
}

func printEvent(w io.Writer, e streamed) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// showEvent prints the number, what happened and what tells it apart.
func showEvent(w io.Writer, e streamed) error {
	var data struct {
		Delta string
		Text  string
		Turn  struct{ ID, Status string }
		Item  struct {
			Type    string
			Name    string
			CallID  string `json:"call_id"`
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return fmt.Errorf("read event %d: %w", e.ID, err)
	}
	var words []string
	for _, word := range []string{data.Turn.ID, data.Item.Type, data.Item.Name, data.Item.CallID, quoted(data.Delta), quoted(data.Text)} {
		if word != "" {
			words = append(words, word)
		}
	}
	for _, part := range data.Item.Content {
		words = append(words, strconv.Quote(part.Text))
	}
	line := fmt.Sprintf("%4d  %s  %s", e.ID, strings.TrimPrefix(e.Event, "agent."), strings.Join(words, " "))
	_, err := fmt.Fprintln(w, strings.TrimRight(line, " "))
	return err
}

// quoted shows text on one line, whatever it holds; nothing stays nothing.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(text)
}
