package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"parley/daemon"
	"parley/daemon/transport"
)

// enrollFlags are the flags of `parley daemon enroll`.
type enrollFlags struct {
	url, environment, token, out string
	json                         bool
}

func newDaemonEnrollCommand() *cobra.Command {
	var flags enrollFlags
	cmd := &cobra.Command{
		Use:   "enroll --url URL --token-file FILE",
		Short: "Make this machine the Runtime of an Environment and print its profile",
		Long: `Make this machine the Runtime of one Environment, with an executor token, and print the profile for
"parley daemon connect". The token is the Runtime's credential from then on.

The token file is what "parley core executor create" prints, which names the Environment too, or holds the token alone.
Enrolling again with the same token gives the same profile. A token that is not known or revoked, and an Environment that
another key or device has, are refused: asking again does not help then.`,
		Example: `  parley daemon enroll --url http://127.0.0.1:7007 --token-file executor.json --out profile.json
  parley daemon enroll --url https://lab.example --token-file token.txt --out profile.json \
      --environment 3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30`,
		Args: refuseArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return enroll(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.url, "url", "", "`origin` of the Core, such as http://127.0.0.1:7007")
	f.StringVar(&flags.token, "token-file", "", "`file` with the executor token")
	f.StringVar(&flags.environment, "environment", "", "`id` of the Environment, where the token file does not name it")
	f.StringVar(&flags.out, "out", "", "write the profile to this new `file`, for its owner only")
	f.BoolVar(&flags.json, "json", false, "with --out, print one JSON document without the credential; the profile is JSON anyway")
	return cmd
}

func enroll(cmd *cobra.Command, flags enrollFlags) error {
	if flags.url == "" || flags.token == "" {
		return misused(cmd, "expected --url and --token-file")
	}
	origin, err := originOf(flags.url)
	if err != nil {
		return misused(cmd, "--url: "+err.Error())
	}
	executor, err := readToken(flags.token)
	if err != nil {
		return err
	}
	if flags.environment != "" && executor.EnvironmentID != "" && flags.environment != executor.EnvironmentID {
		return misused(cmd, fmt.Sprintf("--environment: expected %q as in the token file, or none", executor.EnvironmentID))
	}
	environment := cmp.Or(flags.environment, executor.EnvironmentID)
	if err := uuidFlag(cmd, "--environment", environment); err != nil {
		return err
	}
	place, err := openSecretPlace(flags.out, cmd.OutOrStdout())
	if err != nil {
		return err
	}
	defer place.close()
	e, err := transport.Enroll(cmd.Context(), transport.NewClient(), origin+apiRoot, environment, executor.ExecutorToken)
	if err != nil {
		return fmt.Errorf("enroll: %w", err)
	}
	err = place.put(daemon.Profile{ServerURL: origin + apiRoot, RuntimeID: e.DeviceID, RunnerCredential: executor.ExecutorToken,
		DeviceName: executor.deviceName(), EnvironmentID: e.EnvironmentID, SessionID: e.SessionID, WorkspaceDirectory: e.WorkspaceDirectory})
	if err != nil {
		return err
	}
	return tellEnrolled(cmd.OutOrStdout(), e, flags)
}

// deviceName is what the lab calls the device of a key.
func (f executorFile) deviceName() string {
	if f.KeyID == "" {
		return ""
	}
	return "executor " + f.KeyID
}

// tellEnrolled says where the profile is. On standard output it was printed already.
func tellEnrolled(w io.Writer, e transport.Enrollment, flags enrollFlags) error {
	switch {
	case flags.out == "":
		return nil
	case flags.json:
		return printDocument(w, struct {
			RuntimeID     string `json:"runtime_id"`
			EnvironmentID string `json:"environment_id"`
			Profile       string `json:"profile"`
		}{e.DeviceID, e.EnvironmentID, flags.out})
	}
	_, err := fmt.Fprintf(w, "This machine is device %s of Environment %s now; connect it with\n  parley daemon connect --profile %s\n",
		e.DeviceID, e.EnvironmentID, flags.out)
	return err
}

// largestToken bounds a token file, in bytes.
const largestToken = 16 << 10

var errNoToken = errors.New("expected the JSON that `parley core executor create` prints, or the token alone")

// readToken reads a token file. Its errors never repeat what is in it.
func readToken(path string) (executorFile, error) {
	var f executorFile
	file, err := os.Open(path)
	if err != nil {
		return f, fmt.Errorf("read token: %w", err)
	}
	defer file.Close() // opened for reading
	data, err := io.ReadAll(io.LimitReader(file, largestToken+1))
	if err != nil {
		return f, fmt.Errorf("read token: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if f.ExecutorToken = text; strings.HasPrefix(text, "{") {
		f.ExecutorToken = ""
		if json.Unmarshal(data, &f, json.RejectUnknownMembers(true)) != nil {
			return executorFile{}, fmt.Errorf("read token %q: %w", path, errNoToken)
		}
	}
	if len(data) > largestToken || f.ExecutorToken == "" || strings.ContainsFunc(f.ExecutorToken, notOfToken) {
		return executorFile{}, fmt.Errorf("read token %q: %w", path, errNoToken)
	}
	return f, nil
}

// notOfToken tells characters that no header could carry as they are.
func notOfToken(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == 0x7f }
