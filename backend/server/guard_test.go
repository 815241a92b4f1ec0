package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/backend/server"
)

// expectation is what a route answers when everything is in order and when one thing is not. There is one row a route;
// a route without a row fails the test.
type expectation struct {
	path string // an address of the pattern
	body string // a body that is in order; "" where none is read
	fine int    // status in order
}

const unitTestBody = `{"not":"a request"}`

func expectations() map[string]expectation {
	document := func(path string) expectation { return expectation{path, unitTestBody, 200} }
	return map[string]expectation{
		"GET /api/v1/runner/capabilities": {"/api/v1/runner/capabilities", "", 200},
		"POST /api/v1/runner/negotiate":   document("/api/v1/runner/negotiate"),
		"POST /api/v1/runner/validate":    document("/api/v1/runner/validate"),
		"POST /api/v1/runner/run":         document("/api/v1/runner/run"),
		// The API key of the test is no device's credential (behaviour 1).
		"POST /api/v1/agent-daemon/bootstrap":    {"/api/v1/agent-daemon/bootstrap", `{"device_id":"nobody"}`, 401},
		"GET /api/v1/agent-daemon/device-status": {"/api/v1/agent-daemon/device-status?device_id=nobody", "", 401},
		"GET /api/v1/agent-daemon/ws":            {"/api/v1/agent-daemon/ws", "", 400},
		"POST /api/v1/agent-daemon/enroll":       {"/api/v1/agent-daemon/enroll", `{"environment_id":"none"}`, 401},
		"GET /api/v1/agent-daemon/connection":    {"/api/v1/agent-daemon/connection?environment_id=none", "", 401},
		"POST /v1/agents":                        {"/v1/agents", `{"name":"quay","model":"m","x_agents_core":{"harness":"scripted"}}`, 200},
		"GET /v1/agents":                         {"/v1/agents", "", 200},
		"GET /v1/agents/:id":                     {"/v1/agents/none", "", 404},
		"POST /v1/agents/:id":                    {"/v1/agents/none", `{"name":"quay","model":"m","x_agents_core":{"harness":"scripted"}}`, 404},
		"DELETE /v1/agents/:id":                  {"/v1/agents/none", "", 404},
		"POST /v1/agents/sessions":               {"/v1/agents/sessions", `{"agent":"none","input":"hello"}`, 404},
		"GET /v1/agents/sessions":                {"/v1/agents/sessions", "", 200},
		"GET /v1/agents/sessions/:id":            {"/v1/agents/sessions/none", "", 404},
		"POST /v1/agents/sessions/:id":           {"/v1/agents/sessions/none", `{"metadata":{}}`, 404},
		"DELETE /v1/agents/sessions/:id":         {"/v1/agents/sessions/none", "", 404},
		"POST /v1/agents/sessions/:id/events":    {"/v1/agents/sessions/none/events", `{"events":[{"type":"agent.session.input.cancel"}]}`, 404},
		"GET /v1/agents/sessions/:id/events":     {"/v1/agents/sessions/none/events", "", 404},
		"GET /v1/agents/sessions/:id/turns":      {"/v1/agents/sessions/none/turns", "", 404},
		"GET /v1/agents/sessions/:id/items":      {"/v1/agents/sessions/none/items", "", 404},
		"GET /v1/agents/environments/:id":        {"/v1/agents/environments/none", "", 404},
		"GET /v1/openapi.json":                   {"/v1/openapi.json", "", 200},

		"GET /v1/agents/sessions/:id/turns/:turn":       {"/v1/agents/sessions/none/turns/none", "", 404},
		"GET /v1/agents/sessions/:id/turns/:turn/items": {"/v1/agents/sessions/none/turns/none/items", "", 404},

		"GET /healthz":                           {"/healthz", "", 200},
		"GET /schemas/":                          {"/schemas/", "", 200},
		"GET /schemas/:file":                     {"/schemas/runner-request-1.0.schema.json", "", 200},
		"GET /static/*":                          {"/static/none.css", "", 404},
		"GET /open":                              {"/open?token=none", "", 303}, // the credential of the test is there already
		"POST /api/v1/lab/runner/negotiate":      document("/api/v1/lab/runner/negotiate"),
		"POST /api/v1/lab/runner/validate":       document("/api/v1/lab/runner/validate"),
		"POST /api/v1/lab/runner/run":            document("/api/v1/lab/runner/run"),
		"POST /api/v1/lab/runner/inspect":        document("/api/v1/lab/runner/inspect"),
		"DELETE /api/v1/lab/runner/acts/:act":    {"/api/v1/lab/runner/acts/none", "", 404},
		"GET /api/v1/lab/records":                {"/api/v1/lab/records", "", 200},
		"GET /api/v1/lab/records/:id/request":    {"/api/v1/lab/records/none/request", "", 404},
		"GET /api/v1/lab/records/:id/answer":     {"/api/v1/lab/records/none/answer", "", 404},
		"GET /api/v1/lab/records/:id/receipt":    {"/api/v1/lab/records/none/receipt", "", 404},
		"GET /api/v1/lab/records/:id/export":     {"/api/v1/lab/records/none/export", "", 404},
		"GET /api/v1/lab/drafts/:name":           {"/api/v1/lab/drafts/none", "", 404},
		"PUT /api/v1/lab/drafts/:name":           {"/api/v1/lab/drafts/kept", "text", 204},
		"DELETE /api/v1/lab/drafts/:name":        {"/api/v1/lab/drafts/none", "", 404},
		"GET /api/v1/lab/runtimes":               {"/api/v1/lab/runtimes", "", 200},
		"GET /api/v1/lab/runtimes/rail":          {"/api/v1/lab/runtimes/rail", "", 200},
		"GET /api/v1/lab/runtimes/screen":        {"/api/v1/lab/runtimes/screen?device=none", "", 200},
		"POST /api/v1/lab/runtimes/own/wake":     {"/api/v1/lab/runtimes/own/wake", "", 404}, // the lab of the test has none
		"POST /api/v1/lab/core/drive":            document("/api/v1/lab/core/drive"),
		"POST /api/v1/lab/sessions":              {"/api/v1/lab/sessions", unitTestBody, 400},
		"GET /api/v1/lab/sessions/:id/live":      {"/api/v1/lab/sessions/none/live", "", 404},
		"GET /api/v1/lab/sessions/:id/screen":    {"/api/v1/lab/sessions/none/screen", "", 404},
		"POST /api/v1/lab/sessions/:id/messages": {"/api/v1/lab/sessions/none/messages", unitTestBody, 400},
		"POST /api/v1/lab/sessions/:id/cancel":   {"/api/v1/lab/sessions/none/cancel", unitTestBody, 400},
		"POST /api/v1/lab/sessions/:id/answers":  {"/api/v1/lab/sessions/none/answers", unitTestBody, 400},
		"GET /sessions":                          {"/sessions", "", 200},
		"GET /sessions/:id":                      {"/sessions/none", "", 404},
		"POST /api/v1/lab/ready":                 {"/api/v1/lab/ready", `{"screen":"runner","theme":"dark"}`, 204},
		"GET /api/v1/lab/state":                  {"/api/v1/lab/state", "", 200},
		"GET /":                                  {"/", "", 303},
		"GET /runner":                            {"/runner", "", 200},
		"GET /runner/:name":                      {"/runner/unit", "", 200},
		"GET /runs":                              {"/runs", "", 200},
		"GET /runs/:id":                          {"/runs/none", "", 404},
		"GET /runtimes":                          {"/runtimes", "", 200},
		"GET /runtimes/:device":                  {"/runtimes/d1", "", 200},
	}
}

func guarded(r server.Route) bool {
	return r.Group == server.GroupLab || r.Group == server.GroupPages || r.Group == server.GroupOpen || r.Group == server.GroupCore
}

// eachRoute gives every route with its row.
func eachRoute(t *testing.T, check func(t *testing.T, r server.Route, e expectation)) {
	rows := expectations()
	for _, r := range server.Routes() {
		row, ok := rows[r.Method+" "+r.Path]
		if !ok {
			t.Errorf("%s %s has no row of expectations; a new route needs one", r.Method, r.Path)
			continue
		}
		t.Run(strings.ReplaceAll(r.Method+" "+r.Path, "/", "·"), func(t *testing.T) { check(t, r, row) })
	}
	if len(rows) != len(server.Routes()) {
		t.Errorf("got %d rows for %d routes, want one a route", len(rows), len(server.Routes()))
	}
}

// request writes a whole request as it goes over the wire.
func request(method, path, host, body string, headers ...string) string {
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, path, host)
	if body != "" {
		text += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return text + strings.Join(append(headers, "", body), "\r\n")
}

func withKey(r server.Route, headers ...string) []string {
	headers = append(headers, "Authorization: Bearer "+apiKey)
	if r.Group == server.GroupCore {
		headers = append(headers, "OpenAI-Beta: agents=v1")
	}
	if r.Body > 0 {
		headers = append(headers, "Content-Type: "+r.Media)
	}
	return headers
}

// hostile-inputs 2 and H-1: the local guard refuses by Host, Origin and Sec-Fetch-Site, on every route that has it, with
// a constant body, no cookie and no effect; routes without it answer as ever.
func TestGuardRefusesWhatIsNotLocal(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	port := h.addr[strings.LastIndex(h.addr, ":"):]
	hostile := []struct{ name, host, header string }{
		{"rebound name", "evil.example" + port, "Origin: http://evil.example" + port},
		{"rebound name, same origin", "evil.example" + port, "Sec-Fetch-Site: same-origin"},
		{"empty host", "", ""},
		{"unspecified address", "0.0.0.0" + port, ""},
		{"trailing dot", "localhost." + port, ""},
		{"port out of range", "localhost:99999", ""},
		{"foreign origin", h.addr, "Origin: http://evil.example"},
		{"origin null", h.addr, "Origin: null"},
		{"origin of another scheme", h.addr, "Origin: https://" + h.addr},
		{"origin of another port", h.addr, "Origin: http://127.0.0.1:1"},
		{"two origins", h.addr, "Origin: http://" + h.addr + "\r\nOrigin: http://" + h.addr},
		{"cross-site fetch", h.addr, "Sec-Fetch-Site: cross-site"},
		{"same-site fetch", h.addr, "Sec-Fetch-Site: same-site"},
		{"unknown fetch site", h.addr, "Sec-Fetch-Site: same-planet"},
	}
	bodies := map[string]bool{} // of refusals; one for the lab's JSON, one for the API's and one for pages
	eachRoute(t, func(t *testing.T, r server.Route, e expectation) {
		for _, tt := range hostile {
			headers := withKey(r)
			if tt.header != "" {
				headers = append(headers, tt.header)
			}
			got := h.raw(request(r.Method, e.path, tt.host, e.body, headers...))
			want := e.fine
			if guarded(r) {
				want = http.StatusForbidden
			} else if tt.host == "" && got.status == http.StatusBadRequest {
				want = http.StatusBadRequest // refused by net/http itself
			}
			if got.status != want {
				t.Errorf("%s: got %d, want %d", tt.name, got.status, want)
			}
			if guarded(r) {
				checkRefusal(t, tt.name, r, got, "not_local")
				bodies[got.body] = true
			}
			checkHeaders(t, tt.name, got)
		}
	})
	for body := range bodies {
		if len(bodies) != 3 || len(body) > 1000 || strings.Contains(body, "1.2.3") {
			t.Errorf("%d bodies of refusals, one is %.300q; want three that are small, constant and tell nothing", len(bodies), body)
		}
	}
	if list := h.call("GET", "/api/v1/lab/records", ""); !strings.Contains(list.body, `"records":[]`) {
		t.Errorf("a refused request left a record: %s", list.body)
	}
}

// user information in Host is refused by net/http or by the guard; either way nothing answers.
func TestGuardRefusesUserInformation(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	got := h.raw(request("GET", "/api/v1/lab/state", "user@"+h.addr, "", "Authorization: Bearer "+apiKey))
	if got.status != http.StatusForbidden && got.status != http.StatusBadRequest {
		t.Errorf("got %d, want a refusal", got.status)
	}
}

// The credential is asked for on every route of the lab and its pages, and no wrong one passes.
func TestGuardRefusesWithoutCredential(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	_, port, _ := strings.Cut(h.addr, ":")
	wrong := map[string]string{
		"none":              "X-Nothing: 1",
		"wrong key":         "Authorization: Bearer parley_other",
		"key as basic":      "Authorization: Basic " + apiKey,
		"empty bearer":      "Authorization: Bearer ",
		"key without word":  "Authorization: " + apiKey,
		"made-up cookie":    "Cookie: parley-" + port + "=AAAA",
		"session key":       "Cookie: parley-" + port + "=" + sessionKey,
		"open token cookie": "Cookie: parley-" + port + "=" + tokenOf(t, h),
	}
	eachRoute(t, func(t *testing.T, r server.Route, e expectation) {
		for name, header := range wrong {
			headers := []string{header}
			if r.Group == server.GroupCore {
				headers = append(headers, "OpenAI-Beta: agents=v1")
			}
			if r.Body > 0 {
				headers = append(headers, "Content-Type: "+r.Media)
			}
			got := h.raw(request(r.Method, e.path, h.addr, e.body, headers...))
			switch r.Group {
			case server.GroupLab, server.GroupPages:
				checkRefusal(t, name, r, got, "not_signed_in")
			case server.GroupOpen:
				checkRefusal(t, name, r, got, "link_spent")
			case server.GroupCore:
				checkRefusal(t, name, r, got, "invalid_api_key")
			default:
				if got.status != e.fine {
					t.Errorf("%s: got %d, want %d", name, got.status, e.fine)
				}
			}
		}
	})
}

// With everything in order each route answers, so that the refusals above are not refusals of everything.
func TestGuardLetsTheOwnerIn(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	eachRoute(t, func(t *testing.T, r server.Route, e expectation) {
		got := h.raw(request(r.Method, e.path, h.addr, e.body, withKey(r, "Origin: http://"+h.addr, "Sec-Fetch-Site: same-origin")...))
		if got.status != e.fine {
			t.Errorf("got %d %s, want %d", got.status, got.body, e.fine)
		}
		checkHeaders(t, "in order", got)
	})
}

// runner 7 and H-2: another method is 405 with Allow, also OPTIONS and HEAD; another media type is 415 before anything is
// read; a body over the limit is refused.
func TestRoutesRefuseMethodTypeAndSize(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	methods := map[string][]string{}
	for _, r := range server.Routes() {
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	eachRoute(t, func(t *testing.T, r server.Route, e expectation) {
		for _, method := range []string{"PATCH", "OPTIONS", "TRACE", "GET", "POST", "PUT", "DELETE"} {
			if strings.Contains(strings.Join(methods[r.Path], " "), method) {
				continue
			}
			got := h.raw(request(method, e.path, h.addr, "", "Authorization: Bearer "+apiKey))
			if allow := strings.Join(methods[r.Path], ", "); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") != allow {
				t.Errorf("%s: got %d with Allow %q, want 405 with %q", method, got.status, got.header.Get("Allow"), allow)
			}
		}
		if r.Body == 0 {
			return
		}
		if r.Group == server.GroupMachine {
			return // any media type, and a refusal of its own: TestBootstrapRefusals
		}
		for _, media := range []string{"text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""} {
			got := h.raw(request(r.Method, e.path, h.addr, e.body, "Authorization: Bearer "+apiKey, "OpenAI-Beta: agents=v1", "Content-Type: "+media))
			if got.status != http.StatusUnsupportedMediaType {
				t.Errorf("media type %q: got %d, want 415", media, got.status)
			}
			found := "none"
			if media != "" {
				found = `\"` + media + `\"`
			}
			if want := "expected " + r.Media + ", found " + found; !strings.Contains(got.body, want) {
				t.Errorf("media type %q: got %s, want it to say %s", media, got.body, want)
			}
		}
		large := h.raw(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n%s\r\n\r\n", r.Method, e.path, h.addr, r.Body+1,
			strings.Join(withKey(r), "\r\n")))
		want := http.StatusRequestEntityTooLarge
		if r.Path == "/api/v1/runner/negotiate" || r.Path == "/api/v1/runner/validate" {
			want = http.StatusBadRequest // runner 7.1
		}
		if large.status != want {
			t.Errorf("one byte over the limit: got %d, want %d", large.status, want)
		}
	})
}

// An address that does not exist is 404 and, for another site, no different from one that does.
func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, path := range []string{"/nothing", "/runner/unit/more", "/api/v1/lab/nothing", "/debug/pprof/", "/static", "/api/v1/runner/", "/RUNNER", "/v1", "/v1/", "/v1/nothing", "/v1/agents/sessions/x/nothing"} {
		if got := h.call("GET", path, ""); got.status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", path, got.status)
		}
		json := strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1/")
		if got := h.call("GET", path, ""); json && (!strings.Contains(got.body, "docs/http.md") || strings.Contains(got.body, "page ")) {
			t.Errorf("%s: got %s, want where the routes are listed", path, got.body)
		}
		if got := h.call("GET", path, ""); strings.HasPrefix(path, "/api/v1/runner/") && !strings.Contains(got.body, "POST /api/v1/runner/validate") {
			t.Errorf("%s: got %s, want the contract's routes", path, got.body)
		}
		if got := h.call("GET", path, ""); strings.HasPrefix(got.body, "{") != json {
			t.Errorf("%s: got body %.40q, want JSON %t", path, got.body, json)
		}
		if strings.HasPrefix(path, "/api/v1/runner/") {
			continue
		}
		if got := h.call("GET", path, "", "Origin", "http://evil.example"); got.status != http.StatusForbidden {
			t.Errorf("%s from another site: got %d, want 403", path, got.status)
		}
	}
}

func checkRefusal(t *testing.T, name string, r server.Route, got answer, code string) {
	t.Helper()
	if !strings.Contains(got.body, code) || got.status < 400 {
		t.Errorf("%s: got %d %.200q, want code %s", name, got.status, got.body, code)
	}
	if json := strings.HasPrefix(got.body, "{"); json != (r.Group == server.GroupLab || r.Group == server.GroupCore) {
		t.Errorf("%s: got JSON %t for group %s", name, json, r.Group)
	}
	if got.header.Get("Set-Cookie") != "" {
		t.Errorf("%s: got a cookie with a refusal", name)
	}
}

func checkHeaders(t *testing.T, name string, got answer) {
	t.Helper()
	if got.status == http.StatusBadRequest && got.header.Get("Content-Security-Policy") == "" {
		return // net/http refused it before the server saw it
	}
	for header, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin",
	} {
		if value := got.header.Get(header); value != want {
			t.Errorf("%s: header %s: got %q, want %q", name, header, value, want)
		}
	}
	policy := got.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: got content policy %q", name, policy)
	}
	for header := range got.header {
		if strings.HasPrefix(header, "Access-Control-") {
			t.Errorf("%s: got CORS header %s", name, header)
		}
	}
}
