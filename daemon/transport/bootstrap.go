package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley/daemon/proto"
)

// maxHeartbeat refuses an interval at which nobody could call the line alive; it also keeps seconds from overflowing.
const maxHeartbeat = time.Hour

// Details is what Core tells a Runtime about its connection (behaviour 2.1).
type Details struct {
	DeviceID        string
	WorkspaceID     string
	WSURL           string // ws or wss
	Heartbeat       time.Duration
	ProtocolVersion string // Core's; the upgrade judges it, not we
}

// Bootstrap asks Core for the details of the connection, within 10 s and without following redirects. serverURL is an
// http or https URL ending in /api/v1. An answer other than 200 gives a *StatusError.
func Bootstrap(ctx context.Context, client *http.Client, serverURL, deviceID, credential string) (Details, error) {
	server, err := parseServer(serverURL, "bootstrap")
	if err != nil {
		return Details{}, err
	}
	question := map[string]string{"device_id": deviceID}
	body, err := ask(ctx, client, "bootstrap", server, question, credential, proto.MaxBootstrapReply)
	if err != nil {
		return Details{}, err
	}
	details, err := readDetails(body, deviceID)
	if err != nil {
		return Details{}, fmt.Errorf("read bootstrap answer of %s: %w", server.Host, err)
	}
	if _, err := parseSocket(details.WSURL, server.Scheme == "https"); err != nil {
		return Details{}, fmt.Errorf("read bootstrap answer of %s: %w", server.Host, err)
	}
	return details, nil
}

// wsPath is where a Core that enrolls Runtimes takes their sockets (behaviour 2.3).
const wsPath = "/api/v1/agent-daemon/ws"

// apiRoot is what every server_url ends in (behaviour 2.2).
const apiRoot = "/api/v1"

// parseServer makes the URL of a machine route. Errors leave the URL out, which may hold a secret.
func parseServer(serverURL, route string) (*url.URL, error) {
	server, err := url.Parse(serverURL)
	if err != nil || (server.Scheme != "http" && server.Scheme != "https") || server.Host == "" {
		return nil, errors.New("server_url: expected http:// or https://, a host and " + apiRoot)
	}
	if server.User != nil {
		return nil, errors.New("server_url: expected no user name or password; the credential has a place of its own")
	}
	if !strings.HasSuffix(strings.TrimRight(server.Path, "/"), apiRoot) {
		return nil, fmt.Errorf("%s is %w", server.Host, ErrNotCore)
	}
	address := server.JoinPath("agent-daemon", route)
	withoutToken(address)
	address.Fragment = ""
	return address, nil
}

// parseSocket reads ws_url. A server that was reached over TLS may not send the credential over an open line.
func parseSocket(wsURL string, secure bool) (*url.URL, error) {
	address, err := url.Parse(wsURL)
	if err != nil || (address.Scheme != "ws" && address.Scheme != "wss") || address.Host == "" {
		return nil, errors.New("ws_url: expected ws:// or wss:// and a host")
	}
	if address.User != nil {
		return nil, errors.New("ws_url: expected no user name or password")
	}
	if secure && address.Scheme != "wss" {
		return nil, errors.New("ws_url: expected wss:// from a server with https://, found ws://")
	}
	address.Fragment = ""
	return address, nil
}

// withoutToken removes the query parameter in which a credential never belongs (wire 6.2).
func withoutToken(address *url.URL) {
	query := address.Query()
	if query.Has("token") {
		query.Del("token")
		address.RawQuery = query.Encode()
	}
}

func readDetails(body []byte, deviceID string) (Details, error) {
	var answer struct {
		DeviceID         string `json:"device_id"`
		WorkspaceID      string `json:"workspace_id"`
		WSURL            string `json:"ws_url"`
		HeartbeatSeconds int64  `json:"heartbeat_seconds"`
		ProtocolVersion  string `json:"protocol_version"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Details{}, fmt.Errorf("the server is %w "+
			"(expected a JSON object with device_id, workspace_id, ws_url, heartbeat_seconds and protocol_version)", ErrNotCore)
	}
	if answer.DeviceID != deviceID {
		return Details{}, fmt.Errorf("device_id: expected %q as asked for, found another", deviceID)
	}
	if answer.HeartbeatSeconds > int64(maxHeartbeat/time.Second) {
		return Details{}, fmt.Errorf("heartbeat_seconds: expected at most %d, found %d", int64(maxHeartbeat/time.Second), answer.HeartbeatSeconds)
	}
	heartbeat := time.Duration(answer.HeartbeatSeconds) * time.Second
	if answer.HeartbeatSeconds <= 0 {
		heartbeat = proto.DefaultHeartbeat
	}
	return Details{
		DeviceID: answer.DeviceID, WorkspaceID: answer.WorkspaceID, WSURL: answer.WSURL,
		Heartbeat: heartbeat, ProtocolVersion: answer.ProtocolVersion,
	}, nil
}
