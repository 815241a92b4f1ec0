package admission_test

import (
	"bytes"
	"strings"
	"testing"

	"parley/runner"
	"parley/runner/admission"
	"parley/runner/cases"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

// runner 10: every case that negotiates or validates.
func TestAppendix(t *testing.T) {
	t.Parallel()
	for _, c := range cases.Appendix() {
		var answer []byte
		switch c.Act {
		case cases.Negotiate:
			answer = runner.Encode(admission.Negotiate([]byte(c.Body)))
			schematest.Check(t, schema.NegotiationResponse, answer)
		case cases.Validate:
			receipt := admission.Validate([]byte(c.Body))
			answer = runner.Encode(receipt)
			schematest.Check(t, schema.Unit, answer)
			if got := receipt.ExitCode(); got != c.Exit {
				t.Errorf("case %d %s: got exit %d, want %d", c.Number, c.Name, got, c.Exit)
			}
		default:
			continue
		}
		if err := c.Verify(answer); err != nil {
			t.Errorf("case %d %s: %v", c.Number, c.Name, err)
		}
	}
}

// runner 2.5: what a receipt holds depends on how far the request came.
func TestReceiptsByHowFarTheyCame(t *testing.T) {
	t.Parallel()
	swap := func(old, new string) string { return strings.Replace(cases.M0, old, new, 1) }
	for _, c := range []struct {
		name, body            string
		compatibility         runner.Status
		validation            runner.Validation
		requested, identified bool
		exit                  int
	}{
		{"ready", cases.M0, runner.Compatible, runner.Valid, true, true, 0},
		{"no JSON", "{", runner.RequestInvalid, runner.NotChecked, false, false, 6},
		{"compact", cases.C0, runner.RequestInvalid, runner.NotChecked, false, false, 6},
		{"version", swap(`"versions":["1.0"]`, `"versions":["2.0"]`), runner.VersionUnsupported, runner.NotChecked, true, false, 5},
		{"capability", swap(`"exact-unit"`, `"exact-unit","other"`), runner.CapUnsupported, runner.NotChecked, true, false, 5},
		{"two faults, first step decides", swap(`"versions":["1.0"]`, `"versions":["2.0"],"x":1`), runner.RequestInvalid, runner.NotChecked, false, false, 6},
		{"semantics", swap(`"trial":3`, `"trial":9`), runner.Compatible, runner.Invalid, true, false, 6},
		{"without exact-unit", swap(`"exact-unit",`, ``), runner.Compatible, runner.Invalid, true, false, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := admission.Validate([]byte(c.body))
			schematest.Check(t, schema.Unit, runner.Encode(r))
			if r.Compatibility.Status != c.compatibility || r.Validation != c.validation || r.ExitCode() != c.exit {
				t.Errorf("got %s, %s, exit %d, want %s, %s, %d", r.Compatibility.Status, r.Validation, r.ExitCode(), c.compatibility, c.validation, c.exit)
			}
			if (r.Requested != nil) != c.requested || (r.Identity != nil) != c.identified || (r.Resolved != nil) != c.identified {
				t.Errorf("got requested %v, resolved %v, identity %v", r.Requested, r.Resolved, r.Identity)
			}
		})
	}
}

// runner 1.1: exactly one required profile beside exact-unit.
func TestPickingTheProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		required, optional string
		code               runner.Code
	}{
		{`"exact-unit"`, ``, runner.CodeProfileRequired},
		{`"inline.mock-text"`, `"exact-unit"`, runner.CodeProfileRequired},
		{`"exact-unit"`, `"inline.mock-text","inline.copilot-text"`, runner.CodeProfileRequired},
		{``, ``, runner.CodeProfileRequired},
		{`"exact-unit","inline.mock-text"`, `"inline.copilot-text"`, ""},
		{`"inline.mock-text","exact-unit","negotiation","terminal-result"`, ``, ""},
	} {
		body := strings.Replace(cases.M0, `["exact-unit","inline.mock-text"],"optional_capabilities":[]`, `[`+c.required+`],"optional_capabilities":[`+c.optional+`]`, 1)
		var got runner.Code
		if d := admission.Validate([]byte(body)).Diagnostics; len(d) > 0 {
			got = d[0].Code
		}
		if got != c.code {
			t.Errorf("required [%s] optional [%s]: got %q, want %q", c.required, c.optional, got, c.code)
		}
	}
}

// runner 2.9: a finding about the request's meaning stands at its value, byte for byte.
func TestSemanticFindingsArePlaced(t *testing.T) {
	t.Parallel()
	body := strings.Replace(cases.M0, `"trial":3`, `"trial":  9`, 1)
	in := admission.Inspect([]byte(body))
	if len(in.Findings) != 1 || int(in.Findings[0].Offset) != strings.Index(body, "9,\"attempt\"") {
		t.Errorf("got %+v, want one finding at byte %d", in.Findings, strings.Index(body, "9,\"attempt\""))
	}
	receipt := admission.Validate([]byte(body))
	if got := receipt.Diagnostics[0].Message; !strings.HasPrefix(got, "/selection/trial at byte 210: ") {
		t.Errorf("got %q, want the place", got)
	}
}

// runner 3.2: an editor learns of every fault and of what a run would be.
func TestInspect(t *testing.T) {
	t.Parallel()
	in := admission.Inspect([]byte(cases.M0))
	if in.Shape != "complete" || len(in.Findings) != 0 || in.Unit == nil || in.Unit.Task != "berth-7" || in.Mode != "mock" || in.Paid || !in.Offered {
		t.Errorf("sample: got %+v", in)
	}
	if in := admission.Inspect([]byte(cases.P0())); in.Mode != "copilot" || !in.Paid || in.Offered {
		t.Errorf("paid: got %+v, want a paid profile that is not offered", in)
	}
	if in := admission.Inspect([]byte(cases.C0)); in.Shape != "compact" || in.Unit != nil || len(in.Findings) != 0 {
		t.Errorf("compact: got %+v", in)
	}
	if in := admission.Inspect([]byte("{")); in.Shape != "unknown" || len(in.Findings) != 1 {
		t.Errorf("broken: got %+v", in)
	}
	broken := strings.Replace(cases.M0, `executor: mock`, `executor: &a mock`, 1)
	if in := admission.Inspect([]byte(broken)); len(in.Findings) == 0 || in.Findings[0].Document != runner.InEval || in.Findings[0].Line != 5 {
		t.Errorf("anchor: got %+v, want a finding in the eval, line 5", in.Findings)
	}
}

func capture() admission.Capture {
	return admission.Capture{
		Eval:  []byte("schemaVersion: \"2.0\"\nscenario: s\nconfig: {executor: mock, trials_per_task: 2, timeout_seconds: 5}\n"),
		Task:  []byte("id: berth-7\ninputs: {prompt: \"päy\\t\"}\nexpected: {output_contains: [päy]}\n# end\r\n"),
		Shard: "quay", Trial: 2, Attempt: 1, RunKey: "k", TimeoutMS: 1000, Profile: runner.CapMockText,
	}
}

// runner 2.3: a captured request carries the exact bytes of both texts and names the task by its own id.
func TestCaptureCarriesExactBytes(t *testing.T) {
	t.Parallel()
	c := capture()
	document, refused := c.Request()
	if len(refused) > 0 {
		t.Fatalf("got %v, want a request", refused)
	}
	schematest.Check(t, schema.Request, document)
	request, faults := runner.ReadUnitRequest(document)
	if faults.Any() || request.Input.Eval != string(c.Eval) || request.Input.Task != string(c.Task) || request.Selection.Task != "berth-7" {
		t.Errorf("got %+v %v, want the same texts", request, faults)
	}
	if r := admission.Validate(document); r.Status != runner.UnitReady {
		t.Errorf("got %v, want ready", r.Diagnostics)
	}
}

// runner 4.1: what cannot become a request is refused with its place.
func TestCaptureRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(*admission.Capture)
		says string
	}{
		{"no utf-8", func(c *admission.Capture) { c.Task = []byte("id: x\nname: \"\xff\"\n") }, "task line 2 column 8: expected UTF-8 text, found the byte 0xff"},
		{"broken yaml", func(c *admission.Capture) { c.Eval = []byte("a: [") }, "captured_yaml_invalid"},
		{"alias", func(c *admission.Capture) { c.Task = []byte("id: &x berth-7\nname: *x\n") }, "captured_yaml_invalid"},
		{"empty", func(c *admission.Capture) { c.Task = nil }, "/input/task"},
		{"bad key", func(c *admission.Capture) { c.RunKey = "a b" }, "/run_key"},
		{"no trial", func(c *admission.Capture) { c.Trial = 0 }, "/selection/trial"},
		{"id outside the key pattern", func(c *admission.Capture) {
			c.Task = bytes.Replace(c.Task, []byte("berth-7"), []byte("berth seven"), 1)
		}, "/selection/task"},
		{"too large", func(c *admission.Capture) {
			c.Eval = append(c.Eval, bytes.Repeat([]byte("#"), runner.MaxDocumentBytes)...)
		}, "request_too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			one := capture()
			c.do(&one)
			document, refused := one.Request()
			if document != nil || len(refused) == 0 {
				t.Fatalf("got %d bytes and %v, want a refusal", len(document), refused)
			}
			if got := string(refused[0].Code) + " " + refused[0].Message; !strings.Contains(got, c.says) {
				t.Errorf("got %s, want %s", got, c.says)
			}
		})
	}
}

// FuzzValidate: no text makes admission panic or change its mind, and every receipt fits its schema.
func FuzzValidate(f *testing.F) {
	for _, c := range cases.Appendix() {
		f.Add([]byte(c.Body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answer := runner.Encode(admission.Validate(body))
		if err := schematest.Valid(schema.Unit, answer); err != nil {
			t.Fatalf("%v in %s", err, answer)
		}
		if again := runner.Encode(admission.Validate(bytes.Clone(body))); !bytes.Equal(again, answer) {
			t.Fatalf("got %s, then %s", answer, again)
		}
	})
}
