package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"parley/app/data"
)

func newDriveCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "drive",
		Short: "Make a running lab's Core act on single wire operations, line by line",
		Long: `Make the Core of a running lab do single wire operations: prepare, start, steer, cancel, read, write and so on.

Each line on standard input is one request, each line on standard output its answer, both JSON. It is the driver that
"parley conformance core --drive" asks for, and a way to explore the protocol by hand. The lab's data folder says where
the lab is and gives the key. An answer comes within a minute.

  {"do":"connected"}                                      wait until the device is connected
  {"do":"prepare","id":"p1","payload":{…}}                the id and payload of the frame that Core is to send
  {"do":"observe","of":"preparation","id":"p1","wait_ms":1000}   what Core saw next because of it

"device":ID names a device; without it the lab's own Runtime is meant, and the answer names it. Inside a request
${handle}, ${executor} and ${call} are what was observed last; ${session} is an id of a Session, and ${nonce} a short
text, that are new each time the command runs.

What was begun stays in the lab when the command ends: release ends an admission that was not started, and cancel a Run.
Until then its Session takes no other, and the id of a preparation means the same one for minutes longer.
docs/drive.md shows whole sessions.`,
		Example: `  parley core drive < examples/core/prepare.jsonl
  parley conformance core --profile tester.json --drive "parley core drive"`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lab, err := runningLab(folder)
			if err != nil {
				return err
			}
			return lab.drive(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&folder, "data", "", "data `folder` of the lab")
	return cmd
}

// labClient reaches a lab that runs.
type labClient struct {
	url string
	key string
}

var errNoLab = errors.New("no lab runs on this data folder; start one with parley serve, or name its folder with --data")

// runningLab finds the lab that holds a data folder, and its key.
func runningLab(path string) (labClient, error) {
	place, err := data.Place(path, os.Getenv)
	if err != nil {
		return labClient{}, err
	}
	folder, err := data.Existing(place)
	if err != nil {
		return labClient{}, errNoLab
	}
	held, err := folder.Held()
	if err != nil || !held {
		return labClient{}, errors.Join(errNoLab, err)
	}
	holder, err := folder.Holder()
	if err != nil || holder.URL == "" {
		return labClient{}, errors.Join(errNoLab, err)
	}
	credentials, err := folder.Credentials()
	if err != nil {
		return labClient{}, err
	}
	return labClient{url: holder.URL, key: credentials.APIKey}, nil
}

// drive passes lines on, one at a time, until the input ends.
func (l labClient) drive(ctx context.Context, in io.Reader, out io.Writer) error {
	const longest = 12 << 20 // as the lab's route takes
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	values := newDriveValues()
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		answer, err := l.driveLine(ctx, lines.Bytes(), values)
		if err != nil {
			return err
		}
		if _, err := out.Write(answer); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read requests: %w", err)
	}
	return nil
}

// driveLine does one request and gives the line that answers it.
func (l labClient) driveLine(ctx context.Context, line []byte, values driveValues) ([]byte, error) {
	line, err := values.fill(line)
	if err != nil {
		answer, err := json.Marshal(map[string]string{"error": err.Error()})
		return append(answer, '\n'), err
	}
	answer, err := l.post(ctx, "/api/v1/lab/core/drive", line)
	values.note(answer)
	return answer, err
}

// post sends a JSON body and gives the answer; what is not 200 is an error with the lab's own words.
func (l labClient) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+l.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask the lab: status %d: %s", response.StatusCode, strings.TrimSpace(string(answer)))
	}
	return answer, nil
}
