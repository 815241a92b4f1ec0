package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"parley/daemon/proto"
)

// Enrollment is the device that Core binds an executor credential to (behaviour 2.3).
type Enrollment struct {
	DeviceID           string `json:"device_id"`
	SessionID          string `json:"session_id"`
	EnvironmentID      string `json:"environment_id"`
	WorkspaceDirectory string `json:"workspace_directory"`
}

// largestEnrollment bounds the answer, in bytes (behaviour 2.3).
const largestEnrollment = 16 << 10

// Enroll makes the holder of an executor token the device of an Environment and makes sure that it may connect: each of
// the two requests takes at most 10 s and follows no redirect (behaviour 2.3). Doing it again gives the same. An answer
// other than 200 gives a *StatusError; of these 401 and 409 do not change by asking again.
func Enroll(ctx context.Context, client *http.Client, serverURL, environmentID, token string) (Enrollment, error) {
	server, err := parseServer(serverURL, "enroll")
	if err != nil {
		return Enrollment{}, err
	}
	server.RawQuery = "" // the route refuses any
	question := map[string]string{"environment_id": environmentID}
	body, err := ask(ctx, client, "enrollment", server, question, token, largestEnrollment)
	if err != nil {
		return Enrollment{}, err
	}
	enrolled, err := readEnrollment(body, environmentID)
	if err != nil {
		return Enrollment{}, fmt.Errorf("read enrollment answer of %s: %w", server.Host, err)
	}
	details, err := Bootstrap(ctx, client, serverURL, enrolled.DeviceID, token)
	if err != nil {
		return Enrollment{}, err
	}
	if address, err := url.Parse(details.WSURL); err != nil || address.Path != wsPath || address.RawQuery != "" {
		return Enrollment{}, fmt.Errorf("read bootstrap answer of %s: ws_url: expected exactly the path %s", server.Host, wsPath)
	}
	return enrolled, nil
}

// readEnrollment takes exactly the four members, once each.
func readEnrollment(body []byte, environmentID string) (Enrollment, error) {
	var e Enrollment
	if json.Unmarshal(body, &e, json.RejectUnknownMembers(true)) != nil {
		return e, fmt.Errorf("the server is %w (expected exactly device_id, session_id, environment_id and workspace_directory)", ErrNotCore)
	}
	switch {
	case e.EnvironmentID != environmentID:
		return e, fmt.Errorf("environment_id: expected %q as asked for, found another", environmentID)
	case proto.Blank(e.DeviceID):
		return e, errors.New("device_id: expected an id, found none")
	case !proto.CanonicalUUID(e.SessionID):
		return e, errors.New("session_id: expected a UUID in lower case")
	case proto.Blank(e.WorkspaceDirectory):
		return e, errors.New("workspace_directory: expected a folder, found none")
	}
	return e, nil
}
