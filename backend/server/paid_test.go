package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// runner 7.3 on the wire: denied before negotiation, with no calls; offline work from the same caller goes on.
func TestPaidRunIsForLocalCallersOnly(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, tt := range []struct {
		name, host, header string
		denied             bool
	}{
		{"local", h.addr, "X-Nothing: 1", false},
		{"own origin", h.addr, "Origin: http://" + h.addr, false},
		{"rebound name", "evil.example", "X-Nothing: 1", true},
		{"foreign origin", h.addr, "Origin: http://evil.example", true},
		{"cross-site", h.addr, "Sec-Fetch-Site: cross-site", true},
		{"two origins", h.addr, "Origin: http://" + h.addr + "\r\nOrigin: http://" + h.addr, true},
	} {
		got := h.raw(request("POST", "/api/v1/runner/run", tt.host, sample(t, "paid"), "Content-Type: application/json", tt.header))
		if tt.denied {
			want := `"outcome":"invalid_input","exit_code":6,"failure_boundary":"input","validation":"not_checked","engine_calls":0,"diagnostics":[{"code":"native_http_denied"`
			if got.status != http.StatusForbidden || !strings.Contains(got.body, want) {
				t.Errorf("%s: got %d %s, want 403 with %s", tt.name, got.status, got.body, want)
			}
		} else if got.status != http.StatusOK || strings.Contains(got.body, "native_http_denied") {
			t.Errorf("%s: got %d %s, want it admitted to negotiation", tt.name, got.status, got.body)
		}
		mock := h.raw(request("POST", "/api/v1/runner/run", tt.host, sample(t, "unit"), "Content-Type: application/json", tt.header))
		if mock.status != http.StatusOK || !strings.Contains(mock.body, `"outcome":"success"`) {
			t.Errorf("%s, mock: got %d %s, want 200 success", tt.name, mock.status, mock.body)
		}
	}
}

// runner 7.3, rows 10 and 12: forwarding headers neither help nor hurt.
func TestForwardedHeadersDecideNothing(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	forwarded := []string{"X-Forwarded-For: 203.0.113.5", "X-Forwarded-Host: evil.example", "Forwarded: for=203.0.113.5;host=evil.example",
		"X-Real-IP: 203.0.113.5", "X-Forwarded-Proto: https"}
	headers := append(forwarded, "Content-Type: application/json")
	if got := h.raw(request("POST", "/api/v1/runner/run", h.addr, sample(t, "paid"), headers...)); got.status != http.StatusOK {
		t.Errorf("local caller with forwarding headers: got %d, want 200", got.status)
	}
	local := []string{"X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: " + h.addr, "Content-Type: application/json"}
	if got := h.raw(request("POST", "/api/v1/runner/run", "evil.example", sample(t, "paid"), local...)); got.status != http.StatusForbidden {
		t.Errorf("foreign host with local forwarding headers: got %d, want 403", got.status)
	}
}

// Two Host headers never reach a handler.
func TestTwoHostHeadersAreRefused(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	got := h.raw(request("POST", "/api/v1/runner/run", h.addr, "{}", "Host: "+h.addr, "Content-Type: application/json"))
	if got.status != http.StatusBadRequest {
		t.Errorf("got %d, want 400", got.status)
	}
}
