package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// ScriptedCore is the server of a scripted Core: it answers bootstrap and hands every dial to the scenario that runs.
type ScriptedCore struct {
	profile   Profile
	heartbeat int // seconds
	listener  net.Listener
	server    *http.Server
	sockets   socket.Establisher
	dials     chan *attempt
	refused   chan string // dials that were refused without a player, and why
	current   atomic.Pointer[link]
	ended     chan struct{}
}

// attempt is one dial that waits for a decision.
type attempt struct {
	decision chan decision
	link     chan *link // what an accepted dial became; nil when the upgrade failed
}

// decision is what becomes of a dial: status 0 accepts it.
type decision struct {
	status       int
	code, detail string
}

// connKey finds the raw connection of a request.
type connKey struct{}

// Listen starts a scripted Core on an address for one device. What the profile leaves out is made up; its heartbeat
// interval is one second.
func Listen(address string, profile Profile) (*ScriptedCore, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for the Runtime under test: %w", err)
	}
	if profile.ServerURL == "" {
		profile.ServerURL = "http://" + listener.Addr().String() + "/api/v1"
	}
	c := &ScriptedCore{profile: profile.withDefaults(), heartbeat: 1, listener: listener,
		dials: make(chan *attempt), refused: make(chan string, 64), ended: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/agent-daemon/bootstrap", c.bootstrap)
	mux.HandleFunc("/api/v1/agent-daemon/ws", c.upgrade)
	mux.HandleFunc("/api/v1/agent-daemon/device-status", c.status)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: proto.HandshakeTimeout, ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		}}
	go func() {
		defer close(c.ended)
		_ = c.server.Serve(listener) // ends with Close
	}()
	return c, nil
}

// Profile is what the Runtime under test has to be started with.
func (c *ScriptedCore) Profile() Profile { return c.profile }

// Close stops the server; links that a scenario took stay its own.
func (c *ScriptedCore) Close() {
	_ = c.server.Close()
	<-c.ended
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a peer that is gone gets no answer
}

func refuse(w http.ResponseWriter, status int, code, detail string) {
	answer(w, status, map[string]string{"error": code, "detail": detail})
}

// bearer takes the credential from the header (behaviour 2.1).
func bearer(r *http.Request) string {
	credential, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if credential == r.Header.Get("Authorization") {
		return ""
	}
	return strings.TrimSpace(credential)
}

// authenticate answers a caller that is not the device and reports whether it is.
func (c *ScriptedCore) authenticate(w http.ResponseWriter, device, credential string) bool {
	switch {
	case device != c.profile.RuntimeID:
		refuse(w, http.StatusUnauthorized, "unknown_device", "no such device")
	case credential != c.profile.RunnerCredential:
		refuse(w, http.StatusUnauthorized, "bad_credential", "the credential is not the device's")
	default:
		return true
	}
	return false
}

func (c *ScriptedCore) bootstrap(w http.ResponseWriter, r *http.Request) {
	var body struct {
		DeviceID string `json:"device_id"`
	}
	credential := bearer(r)
	switch {
	case r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", "expected POST")
	case credential == "":
		refuse(w, http.StatusUnauthorized, "missing_bearer", "expected a bearer credential")
	case json.NewDecoder(http.MaxBytesReader(w, r.Body, proto.MaxBootstrapRequest)).Decode(&body) != nil:
		refuse(w, http.StatusBadRequest, "bad_json", "expected a JSON object")
	case strings.TrimSpace(body.DeviceID) == "":
		refuse(w, http.StatusBadRequest, "missing_device_id", "expected a device")
	case c.authenticate(w, body.DeviceID, credential):
		answer(w, http.StatusOK, map[string]any{"device_id": body.DeviceID, "workspace_id": "workspace",
			"ws_url":            "ws" + strings.TrimPrefix(c.profile.ServerURL, "http") + "/agent-daemon/ws",
			"heartbeat_seconds": c.heartbeat, "protocol_version": proto.Version})
	}
}

func (c *ScriptedCore) status(w http.ResponseWriter, r *http.Request) {
	if c.authenticate(w, r.URL.Query().Get("device_id"), bearer(r)) {
		answer(w, http.StatusOK, map[string]any{"device_id": c.profile.RuntimeID, "online": c.online()})
	}
}

// online reports whether the newest connection stands.
func (c *ScriptedCore) online() bool {
	l := c.current.Load()
	return l != nil && l.conn.Err() == nil
}

// upgrade refuses in the order of behaviour 2.1 and hands the rest to the scenario.
func (c *ScriptedCore) upgrade(w http.ResponseWriter, r *http.Request) {
	device, version, credential := r.URL.Query().Get("device_id"), r.URL.Query().Get("version"), bearer(r)
	switch {
	case device == "" || version == "" || credential == "":
		refuse(w, http.StatusBadRequest, "missing_params", "expected device_id, version and a bearer credential")
		return
	case version != proto.Version:
		c.tell(fmt.Sprintf("the Runtime speaks version %q, this suite %q", version, proto.Version))
		refuse(w, http.StatusUpgradeRequired, "incompatible_version", fmt.Sprintf("expected %s, found %s", proto.Version, version))
		return
	case !c.authenticate(w, device, credential):
		return
	}
	a := &attempt{decision: make(chan decision, 1), link: make(chan *link, 1)}
	select {
	case c.dials <- a:
	case <-r.Context().Done():
		return
	case <-time.After(proto.HandshakeTimeout):
		return
	}
	d := <-a.decision
	if d.status != 0 {
		refuse(w, d.status, d.code, d.detail)
		return
	}
	conn, err := c.sockets.Upgrade(w, r)
	if err != nil {
		a.link <- nil
		return
	}
	l := openLink(conn, r.Context().Value(connKey{}).(net.Conn))
	c.current.Store(l)
	a.link <- l
}

// tell notes a refused dial for the scenario that waits for one.
func (c *ScriptedCore) tell(why string) {
	select {
	case c.refused <- why:
	default: // nobody looks; enough are noted
	}
}

// accept waits for a dial and takes it.
func (c *ScriptedCore) accept(ctx context.Context, wait time.Duration, gone <-chan struct{}) (*link, error) {
	a, why, err := c.awaitDial(ctx, wait, gone)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, errors.New(why)
	}
	a.decision <- decision{}
	if l := <-a.link; l != nil {
		return l, nil
	}
	return nil, errors.New("the Runtime's request is no WebSocket upgrade")
}

// awaitDial gives the next dial, or why one was refused already; errNothing when none comes, and errGone when none can
// come any more.
func (c *ScriptedCore) awaitDial(ctx context.Context, wait time.Duration, gone <-chan struct{}) (*attempt, string, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case a := <-c.dials:
		return a, "", nil
	case why := <-c.refused:
		return nil, why, nil
	case <-gone:
		return c.lastDial()
	case <-timer.C:
		return nil, "", errNothing
	case <-ctx.Done():
		return nil, "", context.Cause(ctx)
	}
}

// lastDial looks whether a Runtime that ended was refused before.
func (c *ScriptedCore) lastDial() (*attempt, string, error) {
	select {
	case why := <-c.refused:
		return nil, why, nil
	default:
		return nil, "", errGone
	}
}

// endpoint is a route of the machine API below a server URL.
func endpoint(server, route string, query url.Values) string {
	address := strings.TrimSuffix(server, "/") + "/agent-daemon/" + route
	if len(query) == 0 {
		return address
	}
	return address + "?" + query.Encode()
}
