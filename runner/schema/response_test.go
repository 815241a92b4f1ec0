package schema_test

import (
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

// runner 2.1
func TestAdvertisement(t *testing.T) {
	t.Parallel()
	base := string(runner.Encode(runner.Advertise()))
	for _, c := range []docCase{
		{"runner 2.1", nil, "ok"},
		{"runner 2.1", []string{"/schema_version"}, ""},
		{"runner 2.1", []string{`/schema_version "2.0"`}, "/schema_version"},
		{"runner 2.1", []string{"/versions []"}, "/versions"},
		{"runner 2.1", []string{`/versions ["1.0","1.0"]`}, "/versions"},
		{"runner 2.1", []string{`/versions ["v1"]`}, "/versions/0"},
		{"runner 2.1", []string{"/capabilities []"}, "ok"},
		{"runner 2.1", []string{"/capabilities null"}, "/capabilities"},
		{"runner 2.1", []string{`/capabilities ["a","a"]`}, "/capabilities"},
		{"runner 2.1", []string{`/capabilities ["a b"]`}, "/capabilities/0"},
		{"runner 2.1", []string{`/kind "waza.runner-capabilities"`}, ""},
		{"runner 1.1", []string{`/capabilities ["negotiation","exact-unit","inline.mock-text","terminal-result","inline.copilot-text"]`}, "ok"},
	} {
		c.check(t, schema.Capabilities, base)
	}
}

// runner 2.4: every answer that this program gives fits.
func TestNegotiationAnswersFit(t *testing.T) {
	t.Parallel()
	for _, edits := range [][]string{
		nil,
		{`/versions ["9.9","1.0"]`, `/optional_capabilities ["exact-unit","telepathy.v1"]`},
		{"/required_capabilities []"},
		{`/versions ["2.0","01.0"]`},
		{`/required_capabilities ["inline.native-text"]`},
		{`/required_capabilities ` + list(64, "missing%d")},
		{`/optional_capabilities ["negotiation"]`},
		{`/schema_version "1.1"`},
		{"/versions []", "/note 1"},
	} {
		request, faults := runner.ReadRequest(edited(t, compactRequest, edits...))
		answer := runner.RejectRequest(request, faults)
		if !faults.Any() {
			answer = runner.Negotiate(request)
		}
		schematest.Check(t, schema.NegotiationResponse, runner.Encode(answer))
	}
	request, _ := runner.ReadRequest(edited(t, completeRequest, `/required_capabilities `+list(90, "missing%d")))
	schematest.Check(t, schema.NegotiationResponse, runner.Encode(runner.Negotiate(request)))
	for _, code := range []runner.Code{runner.CodeRequestTooLarge, runner.CodeInvalidMediaType, runner.CodeBodyReadFailed,
		runner.CodeBodyTimeout, runner.CodeDeadlineUnavailable, runner.CodeInputCancelled} {
		schematest.Check(t, schema.NegotiationResponse, runner.Encode(runner.RejectUnread(code, "")))
	}
}

// answer gives the negotiation response to the compact request after edits.
func answer(t *testing.T, edits ...string) runner.Negotiation {
	t.Helper()
	request, faults := runner.ReadRequest(edited(t, compactRequest, edits...))
	if faults.Any() {
		return runner.RejectRequest(request, faults)
	}
	return runner.Negotiate(request)
}

func compatible(t *testing.T) runner.Negotiation { return answer(t) }

// runner 2.4
func TestNegotiationResponse(t *testing.T) {
	t.Parallel()
	base := string(runner.Encode(compatible(t)))
	for _, c := range []docCase{
		{"runner 2.4", nil, "ok"},
		{"runner 2.4", []string{"/kind"}, ""},
		{"runner 2.4", []string{`/kind "waza.runner-unit"`}, "/kind"},
		{"runner 2.4", []string{`/status "ready"`}, "/status"},
		{"runner 2.4", []string{"/negotiation/version"}, "/negotiation"},
		{"runner 2.4", []string{`/negotiation/version "1.1"`}, "/negotiation/version"},
		{"runner 2.4", []string{"/negotiation/requested_versions null"}, "/negotiation/requested_versions"},
		{"runner 2.4", []string{"/negotiation/selected_capabilities null"}, "/negotiation/selected_capabilities"},
		{"runner 2.4", []string{"/negotiation/available_capabilities"}, "/negotiation"},
		{"runner 2.4", []string{"/negotiation/score 1"}, "/negotiation"},
		{"runner 2.4", []string{`/outcome "success"`}, ""},
		{"runner 2.4", []string{"/identity {}"}, ""},
		{"runner 2.4", []string{`/diagnostics [{"code":"c","message":"m"}]`}, "/diagnostics"},
		{"runner 2.4", []string{"/diagnostics null"}, "/diagnostics"},
	} {
		c.check(t, schema.NegotiationResponse, base)
	}
}

// runner 2.4: what each refusal holds.
func TestNegotiationRefusals(t *testing.T) {
	t.Parallel()
	message := func(n int) string { return `/diagnostics/0/message "` + strings.Repeat("é", n) + `"` }
	for _, group := range []struct {
		name  string
		base  runner.Negotiation
		cases []docCase
	}{
		{"unsupported version", answer(t, `/versions ["2.0"]`), []docCase{
			{"runner 2.4", []string{`/negotiation/version "1.0"`}, "/negotiation/version"},
			{"runner 2.4", []string{`/negotiation/selected_capabilities ["negotiation"]`}, "/negotiation/selected_capabilities"},
			{"runner 2.4", []string{"/diagnostics []"}, "/diagnostics"},
			{"runner 2.4", []string{`/diagnostics/0/code "invalid_request"`}, "/diagnostics/0/code"},
		}},
		{"unsupported capability", answer(t, `/required_capabilities ["telepathy.v1"]`), []docCase{
			{"runner 2.4", []string{"/negotiation/version"}, "/negotiation"},
			{"runner 2.4", []string{`/negotiation/selected_capabilities ["negotiation"]`}, "/negotiation/selected_capabilities"},
			{"runner 2.4", []string{"/diagnostics []"}, "/diagnostics"},
			{"runner 2.4", []string{`/diagnostics/0/code "unsupported_version"`}, "/diagnostics/0/code"},
			{"runner 3.3", []string{"/diagnostics " + diagnostics(65, "unsupported_capability")}, "ok"},
			{"runner 3.3", []string{"/diagnostics " + diagnostics(66, "unsupported_capability")}, "/diagnostics"},
		}},
		{"invalid request", answer(t, "/versions []"), []docCase{
			{"runner 2.4", []string{`/negotiation/version "1.0"`}, "/negotiation/version"},
			{"runner 2.4", []string{`/negotiation/selected_capabilities ["negotiation"]`}, "/negotiation/selected_capabilities"},
			{"runner 2.4", []string{"/diagnostics []"}, "/diagnostics"},
			{"runner 2.4", []string{`/diagnostics/0/code "body_timeout"`}, "ok"},
			{"runner 2.9", []string{`/diagnostics/0/code "native_http_denied"`}, "/diagnostics/0/code"},
			{"runner 2.4", []string{`/diagnostics/0/message ""`}, "/diagnostics/0/message"},
			{"runner 2.4", []string{"/diagnostics/0/line 1"}, "/diagnostics/0"},
			{"runner 3.3", []string{message(4096)}, "ok"},
			{"runner 3.3", []string{message(4097)}, "/diagnostics/0/message"},
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			base := string(runner.Encode(group.base))
			for _, c := range append(group.cases, docCase{"runner 2.4", nil, "ok"}) {
				c.check(t, schema.NegotiationResponse, base)
			}
		})
	}
}

// diagnostics writes n diagnostics of one code as a JSON list.
func diagnostics(n int, code string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = `{"code":"` + code + `","message":"m"}`
	}
	return "[" + strings.Join(items, ",") + "]"
}
