package transport_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/daemon/transport"
)

const (
	enrolledEnvironment = "3f6c1a52-8d0b-4e17-9a44-5b7e2c9d1f30"
	enrolledSession     = "b8e4d7a1-26c3-4f59-8e02-71d9a6c5f4e8"
)

// registrar answers enrollments and the bootstrap that follows.
type registrar struct {
	status    int
	enroll    string
	bootstrap map[string]any // changes of the good answer
	asked     []string
}

func (g *registrar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.asked = append(g.asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+string(body))
	if strings.HasSuffix(r.URL.Path, "/bootstrap") {
		_, _ = io.WriteString(w, details(g.bootstrap))
		return
	}
	w.WriteHeader(g.status)
	_, _ = io.WriteString(w, g.enroll)
}

func enrollment(change map[string]any) string {
	answer := map[string]any{"device_id": device, "session_id": enrolledSession, "environment_id": enrolledEnvironment, "workspace_directory": "/srv/work"}
	for key, value := range change {
		answer[key] = value
	}
	text, _ := json.Marshal(answer)
	return string(text)
}

// behaviour 2.3: an enrollment asks once, in the body alone, and then whether the device may connect.
func TestEnroll(t *testing.T) {
	t.Parallel()
	g := &registrar{status: 200, enroll: enrollment(nil)}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	got, err := transport.Enroll(t.Context(), server.Client(), server.URL+"/api/v1?token=x", enrolledEnvironment, credential)
	want := transport.Enrollment{DeviceID: device, SessionID: enrolledSession, EnvironmentID: enrolledEnvironment, WorkspaceDirectory: "/srv/work"}
	if err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	if first := `POST /api/v1/agent-daemon/enroll Bearer ` + credential + ` {"environment_id":"` + enrolledEnvironment + `"}`; len(g.asked) != 2 || g.asked[0] != first {
		t.Errorf("got requests %q, want %q and bootstrap", g.asked, first)
	}
}

// behaviour 2.3: what is no proper answer enrolls nobody, and the token is in no message.
func TestEnrollmentsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status    int
		body      string
		bootstrap map[string]any
		says      string
	}{
		"revoked":             {status: 401, body: `{"error":"bad_credential","detail":"the executor token is not known"}`, says: "status 401 Unauthorized, code bad_credential: the executor token is not known"},
		"bound":               {status: 409, body: `{"error":"environment_bound","detail":"revoke that first ` + credential + `"}`, says: "409 Conflict, code environment_bound"},
		"redirect":            {status: 307, body: enrollment(nil), says: "not a Core"},
		"no JSON":             {status: 200, body: "hello", says: "not a Core"},
		"another member":      {status: 200, body: enrollment(map[string]any{"x": 1}), says: "expected exactly"},
		"member twice":        {status: 200, body: `{"device_id":"a",` + enrollment(nil)[1:], says: "expected exactly"},
		"other Environment":   {status: 200, body: enrollment(map[string]any{"environment_id": enrolledSession}), says: "environment_id"},
		"no device":           {status: 200, body: enrollment(map[string]any{"device_id": " "}), says: "device_id"},
		"Session that is not": {status: 200, body: enrollment(map[string]any{"session_id": "s"}), says: "session_id"},
		"no workspace":        {status: 200, body: enrollment(map[string]any{"workspace_directory": ""}), says: "workspace_directory"},
		"over the limit":      {status: 200, body: enrollment(nil) + strings.Repeat(" ", 16<<10), says: "limit of 16384 bytes"},
		"another device":      {status: 200, body: enrollment(nil), bootstrap: map[string]any{"device_id": "other"}, says: "device_id"},
		"another path":        {status: 200, body: enrollment(nil), bootstrap: map[string]any{"ws_url": "ws://core.example/ws"}, says: "exactly the path"},
		"path with a query":   {status: 200, body: enrollment(nil), bootstrap: map[string]any{"ws_url": "ws://core.example/api/v1/agent-daemon/ws?a=b"}, says: "exactly the path"},
	} {
		server := httptest.NewServer(&registrar{status: tt.status, enroll: tt.body, bootstrap: tt.bootstrap})
		_, err := transport.Enroll(t.Context(), server.Client(), server.URL+"/api/v1", enrolledEnvironment, credential)
		server.Close()
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), credential) {
			t.Errorf("%s: got %v, want %q and no token", name, err, tt.says)
		}
		if _, refused := errors.AsType[*transport.StatusError](err); refused != (tt.status != 200) {
			t.Errorf("%s: got %v, want a status %v", name, err, tt.status != 200)
		}
	}
}
