package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"parley/backend/store"
)

// enrolled is the answer of enroll (behaviour 2.3).
type enrolled struct {
	DeviceID           string `json:"device_id"`
	SessionID          string `json:"session_id"`
	EnvironmentID      string `json:"environment_id"`
	WorkspaceDirectory string `json:"workspace_directory"`
}

// Enroll binds an executor credential to a device of its Environment. The same credential gets the same answer again,
// and is the device's credential from then on (behaviour 2.3).
func (m *Machine) Enroll(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	m.serve(w, r, http.MethodPost, func() (any, error) {
		if r.URL.RawQuery != "" || r.URL.ForceQuery {
			return nil, refuse(codeQuery, "expected no query: the credential travels in the header, the environment in the body")
		}
		token, err := presentBearer(r, "the executor token")
		if err != nil {
			return nil, err
		}
		environment, err := takeEnvironmentID(w, r)
		if err != nil {
			return nil, err
		}
		device, err := m.devices.Enroll(r.Context(), Digest(token), environment, m.now())
		if err != nil {
			return nil, by(refuseEnrollment(err), who{environment: environment})
		}
		return enrolled{device.ID, device.SessionID, device.EnvironmentID, device.WorkspaceDirectory}, nil
	})
}

// takeEnvironmentID reads a body that has exactly one member, spelled exactly.
func takeEnvironmentID(w http.ResponseWriter, r *http.Request) (string, error) {
	data, err := take(w, r)
	if err != nil {
		return "", err
	}
	var body struct {
		EnvironmentID string `json:"environment_id"`
	}
	if err := json.Unmarshal(data, &body, json.RejectUnknownMembers(true)); err != nil {
		return "", refuse(codeBadJSON, `expected exactly {"environment_id":"…"}`)
	}
	return presentEnvironment(body.EnvironmentID)
}

func presentEnvironment(id string) (string, error) {
	if strings.TrimSpace(id) == "" {
		return "", refuse(codeMissingEnvironment, "environment_id: expected the Environment of the executor token, found none")
	}
	return id, nil
}

// Connection tells whether the Runtime of an Environment is connected (behaviour 2.3).
func (m *Machine) Connection(w http.ResponseWriter, r *http.Request) {
	m.serve(w, r, http.MethodGet, func() (any, error) {
		token, err := presentBearer(r, "the executor token")
		if err != nil {
			return nil, err
		}
		environment, err := presentEnvironment(r.URL.Query().Get("environment_id"))
		if err != nil {
			return nil, err
		}
		device, err := m.devices.Enrolled(r.Context(), Digest(token), environment)
		status := "disconnected"
		switch {
		case errors.Is(err, store.ErrNotFound): // not enrolled yet
		case err != nil:
			return nil, by(refuseEnrollment(err), who{environment: environment})
		case m.online(device.ID):
			status = "connected"
		}
		return struct {
			EnvironmentID string `json:"environment_id"`
			Status        string `json:"status"`
		}{environment, status}, nil
	})
}

func refuseEnrollment(err error) error {
	switch {
	case errors.Is(err, store.ErrNoAuthority):
		return refuse(codeBadCredential, "the executor token is not known, was revoked, or is for another Environment")
	case errors.Is(err, store.ErrBound):
		return refuse(codeEnvironmentBound, "another key or device has the Environment; revoke that first")
	}
	return &refused{code: codeNoStorage, detail: "the store could not be asked; try again", cause: err}
}
