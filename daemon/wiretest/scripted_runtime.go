package wiretest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// scriptedRuntime dials a Core as a Runtime does.
type scriptedRuntime struct {
	profile Profile
	client  *http.Client
	wsURL   string // from bootstrap
}

func newScriptedRuntime(profile Profile) *scriptedRuntime {
	return &scriptedRuntime{profile: profile, client: &http.Client{Timeout: proto.BootstrapTimeout,
		Transport:     &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (r *scriptedRuntime) header() http.Header {
	return http.Header{"Authorization": {"Bearer " + r.profile.RunnerCredential}}
}

// bootstrap asks Core where to dial (behaviour 2.1).
func (r *scriptedRuntime) bootstrap(ctx context.Context) error {
	if r.wsURL != "" {
		return nil
	}
	body, err := json.Marshal(map[string]string{"device_id": r.profile.RuntimeID})
	if err != nil {
		return fmt.Errorf("encode bootstrap: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint(r.profile.ServerURL, "bootstrap", nil), strings.NewReader(string(body)))
	if err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	request.Header = r.header()
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return fmt.Errorf("no Core answers at %s: %w", r.profile.ServerURL, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, proto.MaxBootstrapReply))
	if err != nil {
		return fmt.Errorf("bootstrap: read the answer: %w", err)
	}
	var connection struct {
		DeviceID string `json:"device_id"`
		WSURL    string `json:"ws_url"`
		Version  string `json:"protocol_version"`
	}
	if response.StatusCode != http.StatusOK || json.Unmarshal(data, &connection) != nil {
		return r.refusedBootstrap(response.StatusCode, data)
	}
	if connection.DeviceID != r.profile.RuntimeID || connection.WSURL == "" {
		return fmt.Errorf("bootstrap: expected device_id %q and a ws_url, found %s", r.profile.RuntimeID, brief(string(data)))
	}
	if connection.Version != proto.Version {
		return fmt.Errorf("bootstrap: Core speaks version %q, this suite %q", connection.Version, proto.Version)
	}
	r.wsURL = connection.WSURL
	return nil
}

// dial opens a connection with a version; a refusal is a *socket.Refusal.
func (r *scriptedRuntime) dial(ctx context.Context, version string) (*link, error) {
	if err := r.bootstrap(ctx); err != nil {
		return nil, err
	}
	address, err := url.Parse(r.wsURL)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	query := address.Query()
	query.Set("device_id", r.profile.RuntimeID)
	query.Set("version", version)
	address.RawQuery = query.Encode()
	var raw net.Conn
	sockets := socket.Establisher{Dialer: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		raw = conn
		return conn, err
	}}
	conn, err := sockets.Dial(ctx, address.String(), r.header())
	if err != nil {
		return nil, err
	}
	return openLink(conn, raw), nil
}
