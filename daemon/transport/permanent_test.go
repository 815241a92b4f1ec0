package transport_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/transport"
)

// behaviour 3.3: 401, 403, 426 and 4001 end the Runtime after exactly one attempt; on real sockets.
func TestPermanentRefusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   string
		is     error
		says   string
	}{
		"unknown device": {status: http.StatusUnauthorized, body: `{"error":"unknown_device","detail":"d"}`, says: "unknown_device"},
		"wrong type":     {status: http.StatusForbidden, body: `{"error":"wrong_runtime_type","detail":"d"}`, says: "wrong_runtime_type"},
		"no body":        {status: http.StatusForbidden, says: "403"},
		"version":        {status: http.StatusUpgradeRequired, body: `{"error":"incompatible_version","detail":"d"}`, is: transport.ErrIncompatibleVersion, says: proto.Version},
		"revoked":        {status: http.StatusUnauthorized, body: `{"error":"bad_credential","detail":"create a new device"}`, says: "bad_credential: create a new device"},
		"retired":        {is: transport.ErrRetired, says: "code 4001: this Runtime is retired or its credential revoked; it needs a new profile: parley core device create"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &core{
				refuse: func(int) (int, string) { return tc.status, tc.body },
				use:    func(_ int, conn *socket.Conn) { conn.Close(proto.CloseRetired, "runtime retired") },
			}
			r := newRuntime(t, onSocket(t, c), nil, nil, plain)
			_, result := run(t, r)
			err := result()
			permanent, ok := errors.AsType[*transport.PermanentError](err)
			if !ok || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("got %v, want a permanent error that says %q", err, tc.says)
			}
			if tc.is != nil && !errors.Is(permanent, tc.is) {
				t.Errorf("got %v, want %v", err, tc.is)
			}
			if got := len(c.attempts()); got != 1 {
				t.Errorf("got %d attempts, want exactly one", got)
			}
			if s := r.State(); s.Phase != transport.Stopped || !errors.Is(s.Err, err) {
				t.Errorf("got state %+v, want stopped with the reason", s)
			}
			for i, router := range r.routers() {
				if !router.ended {
					t.Errorf("router %d was not shut down", i+1)
				}
			}
		})
	}
}

// wire 6.2: device and version in the query, the credential in the header alone.
func TestUpgradeRequest(t *testing.T) {
	t.Parallel()
	c := &core{refuse: func(int) (int, string) { return http.StatusForbidden, "" }}
	server := onSocket(t, c)
	c.wsURL += "?token=" + credential + "&keep=1&version=9#part"
	_, result := run(t, newRuntime(t, server, nil, nil, plain))
	_ = result()
	asked := c.asked[0]
	query := asked.URL.Query()
	if query.Get("device_id") != device || query.Get("version") != proto.Version || len(query["version"]) != 1 || query.Get("keep") != "1" || query.Has("token") {
		t.Errorf("got query %q, want device_id, version and keep", asked.URL.RawQuery)
	}
	if got := asked.Header.Get("Authorization"); got != "Bearer "+credential {
		t.Errorf("got Authorization %q, want the bearer", got)
	}
	if got := asked.Header.Get("Sec-WebSocket-Extensions"); got != "" {
		t.Errorf("got extensions %q, want none offered", got)
	}
}

// behaviour 3.2: bootstrap is asked once; its failure ends the process and is not retried.
func TestBootstrapFailureEndsTheRuntime(t *testing.T) {
	t.Parallel()
	c := &core{}
	server := onSocket(t, c)
	r := newRuntime(t, strings.TrimSuffix(server, "/api/v1")+"/other/api/v1", nil, nil, plain)
	_, result := run(t, r)
	refusal, ok := errors.AsType[*transport.StatusError](result())
	if !ok || refusal.Status != http.StatusNotFound || len(c.attempts()) != 0 {
		t.Errorf("got %v and %d upgrades, want status 404 and none", refusal, len(c.attempts()))
	}
}

// behaviour 3.2
func TestBootstrapOnceForManyConnections(t *testing.T) {
	t.Parallel()
	up := make(chan struct{})
	c := &core{
		refuse: func(attempt int) (int, string) { return map[int]int{1: 500}[attempt], "" },
		use:    func(_ int, conn *socket.Conn) { close(up); _ = drain(conn) },
	}
	stop, result := run(t, newRuntime(t, onSocket(t, c), nil, nil, plain))
	<-up
	stop()
	if err := result(); err != nil || c.boots != 1 {
		t.Errorf("got %v and %d bootstraps, want nil and 1", err, c.boots)
	}
}

// What cannot work is refused before anything is connected.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := transport.Config{ServerURL: "http://localhost/api/v1", DeviceID: device, Credential: credential,
		Kinds: kinds, NewRouter: func(transport.Send, transport.Post) transport.Router { return plain(1) }}
	if _, err := transport.New(good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*transport.Config){
		"no device":     func(c *transport.Config) { c.DeviceID = "" },
		"no credential": func(c *transport.Config) { c.Credential = "" },
		"no kinds":      func(c *transport.Config) { c.Kinds = nil },
		"no router":     func(c *transport.Config) { c.NewRouter = nil },
		"no scheme":     func(c *transport.Config) { c.ServerURL = "localhost/api/v1" },
		"ws":            func(c *transport.Config) { c.ServerURL = "ws://localhost/api/v1" },
		"user":          func(c *transport.Config) { c.ServerURL = "http://u:" + credential + "@localhost/api/v1" },
		"no root":       func(c *transport.Config) { c.ServerURL = "http://localhost" },
		"another root":  func(c *transport.Config) { c.ServerURL = "http://localhost/api/v1/agent-daemon" },
		"no URL":        func(c *transport.Config) { c.ServerURL = "http://" + credential + "\x7f/" },
	} {
		config := good
		spoil(&config)
		if _, err := transport.New(config); err == nil || strings.Contains(err.Error(), credential) {
			t.Errorf("%s: got %v, want a refusal without the credential", name, err)
		}
	}
}

// behaviour 2.2: 4001 is seen although this side is in the middle of writing and its writes fail first.
func TestRetiredWhileWriting(t *testing.T) {
	t.Parallel()
	for range 20 {
		c := &core{use: func(_ int, conn *socket.Conn) {
			put(t, conn, cancelOf("go"))
			for range 50 {
				_, _ = conn.Read()
			}
			conn.Close(proto.CloseRetired, "runtime retired")
		}}
		flooded := make(chan struct{}, 1)
		r := newRuntime(t, onSocket(t, c), nil, nil, func(int) *router {
			return &router{handle: func(r *router, _ proto.Frame) {
				go func() {
					for r.sender()(context.Background(), proto.New("run", &proto.Delta{Delta: strings.Repeat("x", 1000)})) == nil {
					}
					flooded <- struct{}{}
				}()
			}}
		})
		_, result := run(t, r)
		if err := result(); !errors.Is(err, transport.ErrRetired) {
			t.Errorf("got %v, want the retirement", err)
		}
		<-flooded
		if got := len(c.attempts()); got != 1 {
			t.Errorf("got %d attempts, want one", got)
		}
	}
}
