package server_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"parley/backend/store"
	"parley/daemon/proto"
)

// dialWS dials as a Runtime does. Headers are pairs.
func (h *house) dialWS(id, version, credential string, headers ...string) (*websocket.Conn, *http.Response, error) {
	h.t.Helper()
	header := http.Header{}
	if credential != "" {
		header.Set("Authorization", "Bearer "+credential)
	}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	dialer := websocket.Dialer{HandshakeTimeout: 10 * time.Second}
	return dialer.DialContext(h.t.Context(), "ws://"+h.addr+wsPath+"?device_id="+id+"&version="+version, header)
}

func (h *house) connected(id, secret string, headers ...string) *websocket.Conn {
	h.t.Helper()
	socket, _, err := h.dialWS(id, proto.Version, secret, headers...)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { socket.Close() })
	return socket
}

func echoes(t *testing.T, socket *websocket.Conn, text string) {
	t.Helper()
	if err := socket.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := socket.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, got, err := socket.ReadMessage(); err != nil || string(got) != text {
		t.Errorf("got %q (%v), want %q", got, err, text)
	}
}

// behaviour 2.1: everything in order is handed over with its device, which was seen then; an Origin is not asked for.
func TestConnectHandsTheDeviceOver(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	socket := h.connected(id, secret, "Origin", "http://evil.example")
	if device := <-h.socket.accepted; device.ID != id {
		t.Errorf("got device %+v, want %s", device, id)
	}
	echoes(t, socket, "hello")
	if device, err := h.store.Device(t.Context(), id); err != nil || device.LastSeen.IsZero() {
		t.Errorf("got %+v (%v), want it seen", device, err)
	}
}

// behaviour 2.1: the order is everything there, version, authentication. Nothing is handed over otherwise.
func TestConnectRefusals(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	revoked, revokedSecret := h.device()
	if err := h.store.RevokeDevice(t.Context(), revoked, time.Now()); err != nil {
		t.Fatal(err)
	}
	foreign, foreignSecret := h.device(func(d *store.Device) { d.RuntimeType = "sandbox_node" })
	for _, tt := range []struct {
		name, id, version, credential string
		status                        int
		code                          string
	}{
		{"no device", "", "0", "x", 400, "missing_params"},
		{"blank device", "%20", "0", "x", 400, "missing_params"},
		{"no version", id, "", secret, 400, "missing_params"},
		{"no bearer", id, proto.Version, "", 400, "missing_params"},
		{"token in the address", id, proto.Version + "&token=" + secret, "", 400, "missing_params"},
		{"version before credential", "nobody", "0.0.1", "x", 426, "incompatible_version"},
		{"version with a space", id, "%20" + proto.Version, secret, 426, "incompatible_version"},
		{"version of a build", id, proto.Version + "%2Bbuild", secret, 426, "incompatible_version"},
		{"version of a draft", id, proto.Version + "-dev", secret, 426, "incompatible_version"},
		{"version with a dot", id, proto.Version + ".", secret, 426, "incompatible_version"},
		{"unknown", "nobody", proto.Version, secret, 401, "unknown_device"},
		{"wrong", id, proto.Version, "x", 401, "bad_credential"},
		{"revoked", revoked, proto.Version, revokedSecret, 401, "bad_credential"},
		{"wrong type", foreign, proto.Version, foreignSecret, 403, "wrong_runtime_type"},
		{"storage", storageFails, proto.Version, secret, 500, "internal"},
	} {
		socket, response, err := h.dialWS(tt.id, tt.version, tt.credential)
		if err == nil {
			socket.Close()
			t.Errorf("%s: got a socket, want a refusal", tt.name)
			continue
		}
		if !errors.Is(err, websocket.ErrBadHandshake) {
			t.Fatalf("%s: %v", tt.name, err)
		}
		checkCode(t, tt.name, readAnswer(t, response), tt.status, tt.code)
	}
	got := h.asks("POST", wsPath, "", "")
	checkCode(t, "method", got, 405, "method_not_allowed")
	if len(h.socket.accepted) != 0 {
		t.Error("a refused request was handed over")
	}
}

// behaviour 2.1: the detail of 426 names both versions.
func TestConnectNamesBothVersions(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	got := refusalOf(t, h.asks("GET", wsPath+"?device_id=x&version=9.8.7", "", "x"))
	if want := "expected version " + proto.Version + `, found "9.8.7"`; got.Detail != want {
		t.Errorf("got %q, want %q", got.Detail, want)
	}
}

// A socket outlives every deadline of the server: its own rules bound it (behaviour 3.1).
func TestSocketOutlivesTheServersDeadlines(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	socket := h.connected(id, secret)
	const longest = 11 * time.Second // more than a body (5 s) and headers (10 s) may take
	if err := socket.SetReadDeadline(time.Now().Add(longest)); err != nil {
		t.Fatal(err)
	}
	var timeout net.Error
	if _, _, err := socket.ReadMessage(); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("got %v, want nothing until our own deadline", err)
	}
	if err := socket.NetConn().SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := socket.WriteMessage(websocket.TextMessage, []byte("still here")); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 2+len("still here")) // gorilla remembers a failed read, so the frame is read by hand
	if _, err := io.ReadFull(socket.NetConn(), head); err != nil || string(head[2:]) != "still here" {
		t.Errorf("got %q (%v), want the message back", head, err)
	}
}

// A stop does not wait for sockets: whoever accepted them is told by the request's context, and closes them.
func TestStopDoesNotWaitForSockets(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	socket := h.connected(id, secret)
	<-h.socket.accepted
	alive := <-h.socket.contexts
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := h.face.Stop(ctx); err != nil {
		t.Errorf("stop: got %v, want none", err)
	}
	<-alive.Done()
	echoes(t, socket, "not closed by the server")
	socket.Close()
	<-h.socket.ended
}
