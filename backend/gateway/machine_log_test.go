package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon/proto"
)

// register is a store with one device.
type register struct{ device store.Device }

func (r register) Device(_ context.Context, id string) (store.Device, error) {
	if id != r.device.ID {
		return store.Device{}, store.ErrNotFound
	}
	return r.device, nil
}

func (register) TouchDevice(context.Context, string, time.Time) error { return nil }

func (register) Enroll(context.Context, string, string, time.Time) (store.Device, error) {
	return store.Device{}, store.ErrBound
}

func (register) Enrolled(context.Context, string, string) (store.Device, error) {
	return store.Device{}, store.ErrNoAuthority
}

// turnstile is a machine connection of one device, with its log and a clock that the test moves.
type turnstile struct {
	*gateway.Machine
	log *lines
	now time.Time
}

func newTurnstile(t *testing.T) *turnstile {
	t.Helper()
	s := &turnstile{log: &lines{}, now: time.Unix(1e9, 0)}
	var err error
	s.Machine, err = gateway.NewMachine(gateway.MachineConfig{
		Devices:   register{store.Device{ID: "one", RuntimeType: store.AgentDaemon, Digest: gateway.Digest("right")}},
		PublicURL: func() string { return "ws://lab" }, Accept: func(http.ResponseWriter, *http.Request, gateway.Device) {},
		Online: func(string) bool { return false }, Log: slog.New(slog.NewTextHandler(s.log, nil)), Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *turnstile) ask(handle http.HandlerFunc, method, address, body, token string) {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, address, nil)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	handle(deadlined{httptest.NewRecorder()}, r)
}

// deadlined is a recorder whose body can be bounded.
type deadlined struct{ *httptest.ResponseRecorder }

func (deadlined) SetReadDeadline(time.Time) error { return nil }

// behaviour 2.1, 2.3: a Runtime that is turned away leaves a line that says which and why, and never the credential.
func TestRefusedRuntimesAreLogged(t *testing.T) {
	t.Parallel()
	const secret = "synthetic-credential"
	long := strings.Repeat("x", 5000)
	for name, tt := range map[string]struct {
		do   func(*turnstile)
		want string // "": no line
	}{
		"unknown device": {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{"device_id":"two"}`, secret) }, "path=/b status=401 code=unknown_device device=two"},
		"credential":     {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{"device_id":"one"}`, secret) }, "status=401 code=bad_credential device=one"},
		"no bearer":      {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{"device_id":"one"}`, "") }, "status=401 code=missing_bearer\n"},
		"version": {func(s *turnstile) { s.ask(s.Connect, "GET", "/ws?device_id=one&version=0.1", "", "right") },
			"path=/ws status=426 code=incompatible_version device=one version=0.1"},
		"upgrade": {func(s *turnstile) { s.ask(s.Connect, "GET", "/ws?device_id=one&version="+proto.Version, "", secret) },
			"status=401 code=bad_credential device=one version=" + proto.Version},
		"long id":                {func(s *turnstile) { s.ask(s.Connect, "GET", "/ws?device_id="+long+"&version=1", "", secret) }, "device=" + long[:64] + " version=1"},
		"credential as id":       {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{"device_id":"`+secret+`"}`, secret) }, "code=unknown_device\n"},
		"credential in version":  {func(s *turnstile) { s.ask(s.Connect, "GET", "/ws?device_id=one&version="+long[:50]+secret, "", secret) }, "device=one\n"},
		"another line in the id": {func(s *turnstile) { s.ask(s.Connect, "GET", "/ws?device_id=a%0Ab&version=1", "", secret) }, `device="a\nb"`},
		"enrollment":             {func(s *turnstile) { s.ask(s.Enroll, "POST", "/e", `{"environment_id":"e1"}`, secret) }, "status=409 code=environment_bound environment=e1"},
		"connection":             {func(s *turnstile) { s.ask(s.Connection, "GET", "/c?environment_id=e1", "", secret) }, "status=401 code=bad_credential environment=e1"},
		"status":                 {func(s *turnstile) { s.ask(s.Status, "GET", "/s?device_id=one", "", secret) }, "status=401 code=bad_credential device=one"},
		"bad request":            {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{`, secret) }, ""},
		"good":                   {func(s *turnstile) { s.ask(s.Bootstrap, "POST", "/b", `{"device_id":"one"}`, "right") }, ""},
	} {
		s := newTurnstile(t)
		tt.do(s)
		got := s.log.String()
		if strings.Contains(got, secret) || (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q in it, and no credential", name, got, tt.want)
		}
	}
}

// hostile-inputs 3: strangers cause a bounded number of lines, which say how many refusals they stand for.
func TestLinesAboutRefusalsAreRationed(t *testing.T) {
	t.Parallel()
	s := newTurnstile(t)
	flood := func(n int) {
		for i := range n {
			s.ask(s.Connect, "GET", fmt.Sprintf("/ws?device_id=stranger-%d&version=1", i), "", "x")
		}
	}
	count := func() int { return strings.Count(s.log.String(), "runtime refused") }
	flood(1000)
	if got := count(); got != 10 {
		t.Errorf("got %d lines of 1000 at once, want 10", got)
	}
	s.now = s.now.Add(6 * time.Second)
	flood(5)
	if got := count(); got != 11 || !strings.Contains(s.log.String(), "more_since_last=990") {
		t.Errorf("six seconds later: got %d lines in\n%s\nwant one more, which tells of 990", got, s.log)
	}
	s.now = s.now.Add(time.Hour)
	flood(100)
	if got := count(); got != 21 || !strings.Contains(s.log.String(), "more_since_last=4") {
		t.Errorf("an hour later: got %d lines, want ten more, and that there were 4 others", got)
	}
}
