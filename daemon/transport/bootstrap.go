package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	server, err := parseServer(serverURL)
	if err != nil {
		return Details{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, proto.BootstrapTimeout)
	defer cancel()
	body, err := post(ctx, client, server, deviceID, credential)
	if err != nil {
		return Details{}, fmt.Errorf("bootstrap at %s: %w", server.Host, err)
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

// parseServer makes the bootstrap URL. Errors leave the URL out, which may hold a secret.
func parseServer(serverURL string) (*url.URL, error) {
	server, err := url.Parse(serverURL)
	if err != nil || (server.Scheme != "http" && server.Scheme != "https") || server.Host == "" {
		return nil, errors.New("server URL: expected http:// or https://, a host and /api/v1")
	}
	if server.User != nil {
		return nil, errors.New("server URL: expected no user name or password; the credential has a place of its own")
	}
	bootstrap := server.JoinPath("agent-daemon", "bootstrap")
	withoutToken(bootstrap)
	bootstrap.Fragment = ""
	return bootstrap, nil
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

// post sends the request and gives the body of a 200.
func post(ctx context.Context, client *http.Client, server *url.URL, deviceID, credential string) ([]byte, error) {
	question, err := json.Marshal(map[string]string{"device_id": deviceID})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.String(), bytes.NewReader(question))
	if err != nil {
		return nil, errors.New("make request: server URL is not usable")
	}
	request.Header.Set("Authorization", "Bearer "+credential)
	request.Header.Set("Content-Type", "application/json")
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := direct.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, proto.MaxBootstrapReply+1))
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, &StatusError{Action: "bootstrap", Status: response.StatusCode, Code: refusalCode(body, credential)}
	}
	if len(body) > proto.MaxBootstrapReply {
		return nil, fmt.Errorf("read answer: over the limit of %d bytes", proto.MaxBootstrapReply)
	}
	return body, nil
}

// withoutURL takes the URL out of a client's error: its query may hold a secret.
func withoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
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
		return Details{}, errors.New("expected a JSON object with device_id, workspace_id, ws_url, heartbeat_seconds and protocol_version")
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
