package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/backend/gateway"
	"parley/daemon/proto"
)

func environment(id string) string { return `{"environment_id":"` + id + `"}` }

// behaviour 2.3: an executor credential enrolls a device, again gives the same, and is the device's credential then.
func TestEnrolledDeviceConnectsWithTheSameCredential(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	_, token := h.executor("environment-1")
	if got := h.asks("GET", connectionPath+"?environment_id=environment-1", "", token); got.status != http.StatusOK ||
		got.body != `{"environment_id":"environment-1","status":"disconnected"}`+"\n" {
		t.Errorf("before: got %d %s, want disconnected", got.status, got.body)
	}
	first, again := h.asks("POST", enrollPath, environment("environment-1"), token), h.asks("POST", enrollPath, environment("environment-1"), token)
	list, err := h.store.Devices(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("got devices %+v (%v), want one", list, err)
	}
	id := list[0].ID
	want := `{"device_id":"` + id + `","session_id":"session-1","environment_id":"environment-1","workspace_directory":"/workspace"}` + "\n"
	if first.status != http.StatusOK || first.body != want || again.body != want || first.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %s and %s with Cache-Control %q, want %s twice, kept nowhere", first.status, first.body, again.body, first.header.Get("Cache-Control"), want)
	}
	if got := h.asks("POST", bootstrapPath, naming(id), token); got.status != http.StatusOK {
		t.Errorf("bootstrap: got %d %s, want 200", got.status, got.body)
	}
	socket, _, err := h.dialWS(id, proto.Version, token)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	<-h.socket.accepted
	if got := h.asks("GET", connectionPath+"?environment_id=environment-1", "", token); !strings.Contains(got.body, `"status":"connected"`) {
		t.Errorf("after: got %d %s, want connected", got.status, got.body)
	}
}

// behaviour 2.3: refusals of enroll and connection.
func TestEnrollmentRefusals(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	_, token := h.executor("environment-1")
	_, rival := h.executor("environment-1")
	old, oldToken := h.executor("environment-1")
	revoked, revokedToken := h.executor("environment-2")
	if err := h.store.RevokeExecutorCredential(t.Context(), revoked, time.Now()); err != nil {
		t.Fatal(err)
	}
	_, fresh := gateway.NewCredential()
	if _, err := h.store.RotateExecutorCredential(t.Context(), old, fresh); err != nil {
		t.Fatal(err)
	}
	if got := h.asks("POST", enrollPath, environment("environment-1"), token); got.status != http.StatusOK {
		t.Fatalf("enroll: got %d %s, want 200", got.status, got.body)
	}
	_, device := h.device()
	for _, tt := range []struct {
		name, method, path, body, credential string
		status                               int
		code                                 string
	}{
		{"method", "GET", enrollPath, "", token, 405, "method_not_allowed"},
		{"query", "POST", enrollPath + "?a=b", environment("environment-1"), token, 400, "unexpected_query"},
		{"empty query", "POST", enrollPath + "?", environment("environment-1"), token, 400, "unexpected_query"},
		{"no bearer", "POST", enrollPath, "{", "", 401, "missing_bearer"},
		{"no body", "POST", enrollPath, "", token, 400, "bad_json"},
		{"no member", "POST", enrollPath, "{}", token, 400, "missing_environment_id"},
		{"blank", "POST", enrollPath, environment(" "), token, 400, "missing_environment_id"},
		{"another member", "POST", enrollPath, `{"environment_id":"environment-1","a":1}`, token, 400, "bad_json"},
		{"member twice", "POST", enrollPath, `{"environment_id":"environment-1","environment_id":"environment-1"}`, token, 400, "bad_json"},
		{"member in capitals", "POST", enrollPath, `{"Environment_ID":"environment-1"}`, token, 400, "bad_json"},
		{"more after it", "POST", enrollPath, environment("environment-1") + "{}", token, 400, "bad_json"},
		{"a large body", "POST", enrollPath, environment(strings.Repeat("x", gateway.MaxMachineBody)), token, 400, "bad_json"},
		{"unknown token", "POST", enrollPath, environment("environment-1"), "x", 401, "bad_credential"},
		{"a device's", "POST", enrollPath, environment("environment-1"), device, 401, "bad_credential"},
		{"the API key", "POST", enrollPath, environment("environment-1"), apiKey, 401, "bad_credential"},
		{"revoked", "POST", enrollPath, environment("environment-2"), revokedToken, 401, "bad_credential"},
		{"rotated", "POST", enrollPath, environment("environment-1"), oldToken, 401, "bad_credential"},
		{"foreign", "POST", enrollPath, environment("environment-2"), token, 401, "bad_credential"},
		{"bound", "POST", enrollPath, environment("environment-1"), rival, 409, "environment_bound"},
		{"storage", "POST", enrollPath, environment(storageFails), token, 503, "storage_unavailable"},

		{"look: method", "POST", connectionPath, "", token, 405, "method_not_allowed"},
		{"look: no bearer", "GET", connectionPath, "", "", 401, "missing_bearer"},
		{"look: blank", "GET", connectionPath, "", token, 400, "missing_environment_id"},
		{"look: unknown token", "GET", connectionPath + "?environment_id=environment-1", "", "x", 401, "bad_credential"},
		{"look: foreign", "GET", connectionPath + "?environment_id=environment-2", "", token, 401, "bad_credential"},
		{"look: bound", "GET", connectionPath + "?environment_id=environment-1", "", rival, 409, "environment_bound"},
		{"look: storage", "GET", connectionPath + "?environment_id=" + storageFails, "", token, 503, "storage_unavailable"},
	} {
		checkCode(t, tt.name, h.asks(tt.method, tt.path, tt.body, tt.credential), tt.status, tt.code)
	}
	if log := h.log.String(); strings.Contains(log, token) || strings.Contains(log, rival) {
		t.Error("the log holds an executor token")
	}
}
