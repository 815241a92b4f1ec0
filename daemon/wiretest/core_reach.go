package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Ends of a suite that say nothing about the Core under test.
var (
	// ErrDeviceInUse says that another Runtime is connected with the device of the suite.
	ErrDeviceInUse = errors.New("another Runtime is connected with this device; stop it or use a device of its own")
	// ErrDriverEnded says that the driver no longer answers.
	ErrDriverEnded = errors.New("the driver ended")
)

// statusPatience is how long Core may take to notice that a connection began or ended.
const statusPatience = 2 * time.Second

// reach finds out, once, that Core answers, knows the device and has no connection of it.
func (r *scriptedRuntime) reach(ctx context.Context) error {
	if err := r.bootstrap(ctx); err != nil {
		return err
	}
	if !r.awaitOnline(ctx, false) && ctx.Err() == nil {
		return fmt.Errorf("device %q is online before the suite connects: %w", r.profile.RuntimeID, ErrDeviceInUse)
	}
	return nil
}

// awaitOnline waits a little for what Core says of the device and reports whether it came.
func (r *scriptedRuntime) awaitOnline(ctx context.Context, want bool) bool {
	for deadline := time.Now().Add(statusPatience); r.online(ctx) != want; {
		if time.Now().After(deadline) {
			return false
		}
		select {
		case <-time.After(statusPatience / 100):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// online asks Core; what is no proper answer is a matter of the scenarios.
func (r *scriptedRuntime) online(ctx context.Context) bool {
	query := url.Values{"device_id": {r.profile.RuntimeID}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint(r.profile.ServerURL, "device-status", query), nil)
	if err != nil {
		return false
	}
	request.Header = r.header()
	response, err := r.client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var status struct {
		Online bool `json:"online"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, proto.MaxBootstrapReply)).Decode(&status)
	return err == nil && response.StatusCode == http.StatusOK && status.Online
}

// refusedBootstrap words what Core answered instead of a connection.
func (r *scriptedRuntime) refusedBootstrap(status int, body []byte) error {
	var refusal struct {
		Error  string `json:"error"`
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(body, &refusal) // no refusal of a Core is told as it is
	at := r.profile.ServerURL
	switch {
	case status == http.StatusUnauthorized && refusal.Error != "":
		return fmt.Errorf("the Core at %s refuses device %q: %d %s %s; take the profile of a device that it knows",
			at, r.profile.RuntimeID, status, refusal.Error, brief(refusal.Detail))
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return fmt.Errorf("no Core answers at %s: %d for agent-daemon/bootstrap; expected an origin and /api/v1", at, status)
	}
	return fmt.Errorf("bootstrap at %s: expected 200 and a JSON object (behaviour 2.1), found %d %s", at, status, brief(string(body)))
}

// replaced reports whether Core ended a connection because a newer one of the same device came (behaviour 3.4).
func replaced(l *link) bool { return l != nil && socket.Replaced(l.conn.Err()) }
