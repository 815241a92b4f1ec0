package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/daemon/proto"
)

// wsPath is where a Runtime dials (behaviour 2.1).
const wsPath = "/api/v1/agent-daemon/ws"

// touchTime bounds the best-effort note that a device was seen.
const touchTime = 3 * time.Second

// bootstrapped is the answer of bootstrap (behaviour 2.1).
type bootstrapped struct {
	DeviceID         string `json:"device_id"`
	WorkspaceID      string `json:"workspace_id"`
	WSURL            string `json:"ws_url"`
	HeartbeatSeconds int    `json:"heartbeat_seconds"`
	ProtocolVersion  string `json:"protocol_version"`
}

// Bootstrap tells a Runtime where and how to connect. Checks in order: method, bearer, body, device id, authentication.
func (m *Machine) Bootstrap(w http.ResponseWriter, r *http.Request) {
	m.serve(w, r, http.MethodPost, func() (any, error) {
		token, err := presentBearer(r, "the device's credential")
		if err != nil {
			return nil, err
		}
		id, err := takeDeviceID(w, r)
		if err != nil {
			return nil, err
		}
		device, err := m.authenticate(r.Context(), id, token)
		if err != nil {
			return nil, by(err, who{device: id})
		}
		origin := m.publicURL()
		if origin == "" {
			return nil, refuse(codeNoAddress, "the lab has no public address; start it with one that this machine can reach")
		}
		return bootstrapped{device.ID, device.WorkspaceID, origin + wsPath, int(m.heartbeat / time.Second), proto.Version}, nil
	})
}

// takeDeviceID reads the body of bootstrap as leniently as the reference does (wire 0.3).
func takeDeviceID(w http.ResponseWriter, r *http.Request) (string, error) {
	data, err := take(w, r)
	if err != nil {
		return "", err
	}
	var body struct {
		DeviceID string `json:"device_id"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return "", refuse(codeBadJSON, `expected a JSON object such as {"device_id":"…"}`)
	}
	if strings.TrimSpace(body.DeviceID) == "" {
		return "", refuse(codeMissingDevice, "device_id: expected the runtime_id of the profile, found none")
	}
	return body.DeviceID, nil
}

// Status tells a Runtime whether it is connected.
func (m *Machine) Status(w http.ResponseWriter, r *http.Request) {
	m.serve(w, r, http.MethodGet, func() (any, error) {
		token, err := presentBearer(r, "the device's credential")
		if err != nil {
			return nil, err
		}
		id := r.URL.Query().Get("device_id")
		if strings.TrimSpace(id) == "" {
			return nil, refuse(codeMissingDevice, "device_id: expected the device's id in the query, found none")
		}
		device, err := m.authenticate(r.Context(), id, token)
		if err != nil {
			return nil, by(err, who{device: id})
		}
		return struct {
			DeviceID string `json:"device_id"`
			Online   bool   `json:"online"`
		}{device.ID, m.online(device.ID)}, nil
	})
}

// Connect hands the request of an authenticated device over to be upgraded. Checks in order: everything there, wire
// version, authentication (behaviour 2.1). A browser's Origin is not asked for: a browser cannot send the credential.
func (m *Machine) Connect(w http.ResponseWriter, r *http.Request) {
	m.serve(w, r, http.MethodGet, func() (any, error) {
		query, token := r.URL.Query(), bearer(r.Header)
		id, version := query.Get("device_id"), query.Get("version")
		asked := who{device: id, version: version}
		switch {
		case strings.TrimSpace(id) == "" || version == "" || token == "":
			return nil, refuse(codeMissingParams, "expected device_id and version in the query and the credential as bearer")
		case version != proto.Version:
			return nil, by(refuse(codeVersion, "expected version "+proto.Version+", found "+strconv.QuoteToASCII(shorten(version))), asked)
		}
		device, err := m.authenticate(r.Context(), id, token)
		if err != nil {
			return nil, by(err, asked)
		}
		m.touch(r.Context(), device.ID)
		m.accept(w, r, device)
		return nil, nil
	})
}

// touch notes that the device was seen; failing it does not refuse the connection (behaviour 2.1).
func (m *Machine) touch(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, touchTime)
	defer cancel()
	if err := m.devices.TouchDevice(ctx, id, m.now()); err != nil {
		m.log.Warn("device was not noted as seen", "device", id, "error", err)
	}
}
