package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"
)

// Profile is the file that `parley core device create` writes (behaviour 2.2). The last three bind the Runtime to one
// Environment; all are there or none.
type Profile struct {
	ServerURL        string `json:"server_url"` // origin and /api/v1
	RuntimeID        string `json:"runtime_id"`
	RunnerCredential string `json:"runner_credential"` // secret
	DeviceName       string `json:"device_name"`

	EnvironmentID      string `json:"environment_id,omitempty"`
	SessionID          string `json:"session_id,omitempty"`
	WorkspaceDirectory string `json:"workspace_directory,omitempty"`
}

// largestProfile bounds a profile file, in bytes.
const largestProfile = 16 << 10

// ReadProfile reads a profile file. Its errors name keys and never values.
func ReadProfile(path string) (Profile, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Profile{}, fmt.Errorf("read profile: %w; on the lab's machine, parley core device create NAME --out FILE makes one", err)
	}
	if err != nil {
		return Profile{}, fmt.Errorf("read profile: %w", err)
	}
	defer file.Close() // opened for reading
	data, err := io.ReadAll(io.LimitReader(file, largestProfile+1))
	if err != nil {
		return Profile{}, fmt.Errorf("read profile: %w", err)
	}
	profile, err := parseProfile(data)
	if err != nil {
		return Profile{}, fmt.Errorf("read profile %q: %w", path, err)
	}
	return profile, nil
}

var errNoProfile = errors.New("expected the JSON that `parley core device create` prints")

func parseProfile(data []byte) (Profile, error) {
	var profile Profile
	if len(data) > largestProfile {
		return profile, fmt.Errorf("%w: found more than %d bytes", errNoProfile, largestProfile)
	}
	// The decoder's own error may quote a value, and a value may be the credential.
	if json.Unmarshal(data, &profile, json.RejectUnknownMembers(true)) != nil {
		return Profile{}, errNoProfile
	}
	return profile, profile.check()
}

func (p Profile) check() error {
	for _, required := range []struct{ key, value string }{
		{"server_url", p.ServerURL}, {"runtime_id", p.RuntimeID}, {"runner_credential", p.RunnerCredential},
	} {
		if required.value == "" {
			return fmt.Errorf("%w: key %q is missing", errNoProfile, required.key)
		}
	}
	return nil
}
