package server_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/gateway"
	"parley/backend/server"
	"parley/backend/store"
	"parley/daemon/proto"
)

const (
	bootstrapPath  = "/api/v1/agent-daemon/bootstrap"
	statusPath     = "/api/v1/agent-daemon/device-status"
	wsPath         = "/api/v1/agent-daemon/ws"
	enrollPath     = "/api/v1/agent-daemon/enroll"
	connectionPath = "/api/v1/agent-daemon/connection"
)

type machineRefusal struct{ Error, Detail string }

// refusalOf reads a body that must have exactly the two members of behaviour 2.
func refusalOf(t *testing.T, got answer) machineRefusal {
	t.Helper()
	var refusal machineRefusal
	decoder := json.NewDecoder(strings.NewReader(got.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&refusal); err != nil {
		t.Errorf("got %d %q: %v, want error and detail", got.status, got.body, err)
	}
	return refusal
}

func naming(id string) string { return `{"device_id":"` + id + `"}` }

// behaviour 2.1: what bootstrap answers, whatever the address that it was asked at.
func TestBootstrapSaysHowToConnect(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	want := `{"device_id":"` + id + `","workspace_id":"` + store.LocalWorkspace + `","ws_url":"` + publicURL + wsPath +
		`","heartbeat_seconds":15,"protocol_version":"` + proto.Version + `"}` + "\n"
	for _, host := range []string{h.addr, "lab.example", "evil.example"} {
		got := h.raw(request("POST", bootstrapPath, host, naming(id), "Authorization: Bearer  "+secret+" ", "Origin: http://evil.example"))
		if got.status != http.StatusOK || got.body != want || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("host %s: got %d %s, want %s", host, got.status, got.body, want)
		}
		checkHeaders(t, host, got)
	}
}

// behaviour 2.1: the order is method, bearer, body, device id, authentication; each row has everything before it in order
// and everything after it wrong where that can be.
func TestBootstrapRefusals(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	revoked, revokedSecret := h.device()
	if err := h.store.RevokeDevice(t.Context(), revoked, time.Now()); err != nil {
		t.Fatal(err)
	}
	foreign, foreignSecret := h.device(func(d *store.Device) { d.RuntimeType = "sandbox_node" })
	for _, tt := range []struct {
		name, method, body, credential string
		status                         int
		code                           string
	}{
		{"method", "GET", "", "", 405, "method_not_allowed"},
		{"a method nobody knows", "BREW", "", "", 405, "method_not_allowed"},
		{"no bearer", "POST", "{", "", 401, "missing_bearer"},
		{"blank bearer", "POST", "{", " ", 401, "missing_bearer"},
		{"no body", "POST", "", "x", 400, "bad_json"},
		{"half a body", "POST", `{"device_id":"` + id, secret, 400, "bad_json"},
		{"two documents", "POST", naming(id) + naming(id), secret, 400, "bad_json"},
		{"a number", "POST", `{"device_id":1}`, secret, 400, "bad_json"},
		{"a large body", "POST", naming(strings.Repeat("x", gateway.MaxMachineBody)), secret, 400, "bad_json"},
		{"no device", "POST", `{}`, "x", 400, "missing_device_id"},
		{"blank device", "POST", naming(" "), "x", 400, "missing_device_id"},
		{"null device", "POST", `{"device_id":null}`, "x", 400, "missing_device_id"},
		{"unknown device", "POST", naming("nobody"), secret, 401, "unknown_device"},
		{"id with a space", "POST", naming(id + " "), secret, 401, "unknown_device"},
		{"wrong type", "POST", naming(foreign), foreignSecret, 403, "wrong_runtime_type"},
		{"wrong type and credential", "POST", naming(foreign), "x", 403, "wrong_runtime_type"},
		{"wrong credential", "POST", naming(id), "x", 401, "bad_credential"},
		{"another device's", "POST", naming(id), revokedSecret, 401, "bad_credential"},
		{"the digest", "POST", naming(id), gateway.Digest(secret), 401, "bad_credential"},
		{"the API key", "POST", naming(id), apiKey, 401, "bad_credential"},
		{"revoked", "POST", naming(revoked), revokedSecret, 401, "bad_credential"},
		{"storage", "POST", naming(storageFails), secret, 500, "internal"},
	} {
		got := h.asks(tt.method, bootstrapPath, tt.body, tt.credential)
		checkCode(t, tt.name, got, tt.status, tt.code)
		if allow := got.header.Get("Allow"); (allow == "POST") != (tt.status == 405) {
			t.Errorf("%s: got Allow %q", tt.name, allow)
		}
	}
	if log := h.log.String(); strings.Contains(log, secret) || strings.Contains(log, revokedSecret) || !strings.Contains(log, errStorage.Error()) {
		t.Error("the log holds a credential, or not the cause of the failure")
	}
}

// behaviour 2.1: a lab that knows no public address says so, and only to a device that it knows.
func TestBootstrapWithoutPublicAddress(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) {
		config := machineConfig(o.Store.(*store.Store), newSocketStub(), o.Log)
		config.PublicURL = func() string { return "" }
		m, err := gateway.NewMachine(config)
		if err != nil {
			t.Fatal(err)
		}
		o.Machine = m
	})
	id, secret := h.device()
	checkCode(t, "known", h.asks("POST", bootstrapPath, naming(id), secret), 503, "bootstrap_unavailable")
	checkCode(t, "not known", h.asks("POST", bootstrapPath, naming(id), "x"), 401, "bad_credential")
}

// behaviour 2.1: whether the device is online, for the same credential.
func TestDeviceStatus(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	id, secret := h.device()
	for _, online := range []bool{false, true} {
		h.socket.setOnline(id, online)
		want := `{"device_id":"` + id + `","online":false}` + "\n"
		if online {
			want = strings.ReplaceAll(want, "false", "true")
		}
		if got := h.asks("GET", statusPath+"?device_id="+id, "", secret); got.status != http.StatusOK || got.body != want {
			t.Errorf("got %d %s, want %s", got.status, got.body, want)
		}
	}
	for _, tt := range []struct {
		name, method, query, credential string
		status                          int
		code                            string
	}{
		{"method", "POST", "?device_id=" + id, secret, 405, "method_not_allowed"},
		{"head", "HEAD", "?device_id=" + id, secret, 405, ""},
		{"no bearer", "GET", "", "", 401, "missing_bearer"},
		{"token in the address", "GET", "?device_id=" + id + "&token=" + secret, "", 401, "missing_bearer"},
		{"no device", "GET", "", secret, 400, "missing_device_id"},
		{"unknown", "GET", "?device_id=nobody", secret, 401, "unknown_device"},
		{"wrong", "GET", "?device_id=" + id, "x", 401, "bad_credential"},
		{"storage", "GET", "?device_id=" + storageFails, secret, 500, "internal"},
	} {
		got := h.asks(tt.method, statusPath+tt.query, "", tt.credential)
		if tt.code == "" {
			if got.status != tt.status {
				t.Errorf("%s: got %d, want %d", tt.name, got.status, tt.status)
			}
			continue
		}
		checkCode(t, tt.name, got, tt.status, tt.code)
	}
}

// hostile-inputs H-4: a body has five seconds, also where the request is refused without it.
func TestMachineBodiesAreBounded(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for credential, want := range map[string]string{"": "missing_bearer", "Authorization: Bearer x\r\n": "bad_json"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			c := h.dial()
			defer c.Close()
			if _, err := io.WriteString(c, "POST "+bootstrapPath+" HTTP/1.1\r\nHost: "+h.addr+"\r\nContent-Length: 100\r\n"+credential+"\r\n{"); err != nil {
				t.Fatal(err)
			}
			if err := c.SetDeadline(time.Now().Add(9 * time.Second)); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(c)
			response, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := refusalOf(t, readAnswer(t, response)); got.Error != want {
				t.Errorf("got %+v, want %s", got, want)
			}
			if _, err := r.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after the answer: got %v, want the end of the connection", err)
			}
		})
	}
}

// An address among the machine connection's that does not exist is refused in its words, whatever the Host.
func TestUnknownMachineRoute(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, path := range []string{"/api/v1/agent-daemon/", "/api/v1/agent-daemon/install/1/bootstrap.sh", bootstrapPath + "/"} {
		checkCode(t, path, h.raw(request("GET", path, "evil.example", "")), 404, "not_found")
	}
}

// Without a machine connection its addresses do not exist.
func TestNoMachineConnection(t *testing.T) {
	t.Parallel()
	h := openHouse(t, func(o *server.Options) { o.Machine = nil })
	if got := h.asks("POST", bootstrapPath, naming("x"), "x"); got.status != http.StatusNotFound || !strings.Contains(got.body, `"code"`) {
		t.Errorf("got %d %s, want 404 of the lab", got.status, got.body)
	}
}

// H13: every code has one row with its condition, and a status that refuses.
func TestMachineCodesAreSaidOnce(t *testing.T) {
	t.Parallel()
	var seen []gateway.MachineCode
	for _, row := range gateway.MachineCodes() {
		if slices.Contains(seen, row.Code) || row.Status < 400 || row.When == "" || strings.Contains(row.When, "|") {
			t.Errorf("row %+v: want one row a code, with a status and when", row)
		}
		seen = append(seen, row.Code)
	}
}
