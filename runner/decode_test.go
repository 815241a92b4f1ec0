package runner_test

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/runner"
	"parley/runner/cases"
)

// runner 2.3, 3, 3.1: each fault of a complete request, named at its place.
func TestReadRequestNamesEachFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"wrong type", `"trial":3`, `"trial":"3"`, `/selection/trial at byte 208: expected an integer from 1 to 2147483647, found the string "3"; write the number without quotes`},
		{"null ordinal", `"trial":3`, `"trial":null`, `/selection/trial at byte 208: expected an integer from 1 to 2147483647, found null`},
		{"boolean ordinal", `"trial":3`, `"trial":true`, `found the boolean true`},
		{"array ordinal", `"trial":3`, `"trial":[2]`, `found an array`},
		{"zero", `"trial":3`, `"trial":0`, `found the number 0`},
		{"fraction", `"trial":3`, `"trial":3.5`, `found the number 3.5, which is not an integer`},
		{"exponent far out", `"attempt":1`, `"attempt":1e400`, `/selection/attempt`},
		{"key in other case", `"trial":3`, `"Trial":3`, `/selection/Trial at byte 208: expected a key of the complete request, found an unknown key; did you mean "trial"`},
		{"key one level too high", `"run_key":`, `"task":1,"run_key":`, `expected a key of the complete request, found an unknown key; it belongs below selection or input`},
		{"top key in other case", `"run_key":`, `"Run_Key":`, `did you mean "run_key"`},
		{"missing", `,"attempt":1`, ``, `/selection/attempt at byte 162: expected an integer from 1 to 2147483647, found nothing: the key is missing`},
		{"empty text", `"input":{"shard":"quay-east","eval":"`, `"input":{"shard":"quay-east","eval":"","x":"`, `/input/eval`},
		{"consent null", `"allow_paid_execution":false`, `"allow_paid_execution":null`, `/allow_paid_execution at byte 743: expected true or false, found null`},
		{"consent number", `"allow_paid_execution":false`, `"allow_paid_execution":0`, `expected true or false, found the number 0`},
		{"selection is no object", `"selection":{"shard":"quay-east","task":"berth-7","trial":3,"attempt":1}`, `"selection":[]`, `/selection at byte 162: expected an object with shard, task, trial and attempt, found an empty array`},
		{"key with newline", `"run_key":"tide-2031"`, `"run_key":"tide\n"`, `/run_key at byte 138: expected a key`},
		{"key that is too long", `"run_key":"tide-2031"`, `"run_key":"` + strings.Repeat("k", 129) + `"`, `/run_key at byte 138: expected a key`},
		{"key that starts with a dot", `"run_key":"tide-2031"`, `"run_key":".tide"`, `found the string ".tide"`},
		{"list with null", `"optional_capabilities":[]`, `"optional_capabilities":[null]`, `/optional_capabilities/0`},
		{"list that is a string", `"optional_capabilities":[]`, `"optional_capabilities":""`, `expected an array of strings, found an empty string`},
		{"same name after unescaping", `"optional_capabilities":[]`, `"optional_capabilities":["a","\u0061"]`, `/optional_capabilities/1`},
		{"required and optional", `"optional_capabilities":[]`, `"optional_capabilities":["a","exact-unit"]`, `/optional_capabilities/1 at byte 130: expected a name that is not also required, found "exact-unit", which required_capabilities has too`},
		{"over a day", `"timeout_ms":45000`, `"timeout_ms":86400001`, `expected an integer from 1 to 86400000, found the number 86400001`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body := strings.Replace(cases.M0, c.old, c.new, 1)
			if body == cases.M0 {
				t.Fatal("the edit changes nothing")
			}
			_, faults := runner.ReadRequest([]byte(body))
			var said []string
			for _, d := range faults.Diagnostics(runner.MaxFindings) {
				said = append(said, string(d.Code)+" "+d.Message)
			}
			if got := strings.Join(said, "\n"); !strings.Contains(got, "invalid_request ") || !strings.Contains(got, c.want) {
				t.Errorf("got\n%s\nwant %s", got, c.want)
			}
		})
	}
}

// runner 3.2: any complete-only key selects the complete schema, and its missing keys are all named.
func TestAnyCompleteKeySelectsTheCompleteSchema(t *testing.T) {
	t.Parallel()
	for _, key := range []string{`"run_key":"t"`, `"selection":{}`, `"input":7`, `"timeout_ms":1`, `"allow_paid_execution":null`} {
		request, faults := runner.ReadRequest([]byte(strings.Replace(cases.C0, "}", ","+key+"}", 1)))
		if !request.Complete || len(faults.Findings) < 4 {
			t.Errorf("%s: got complete %v with %d findings, want complete with all that is missing", key, request.Complete, len(faults.Findings))
		}
		for _, f := range faults.Findings {
			if f.Found == "an unknown key" {
				t.Errorf("%s: got %q reported as unknown", key, f.Path)
			}
		}
	}
	request, faults := runner.ReadRequest([]byte(cases.C0))
	if request.Complete || faults.Any() {
		t.Errorf("compact: got complete %v and %v, want a compact request", request.Complete, faults)
	}
}

// runner 3.2: who gives the wrong document to validate or run is told which one it is.
func TestWrongDocumentsAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"compact", cases.C0, "this is a compact request; negotiate takes it"},
		{"exported record", `{"kind":"parley.runner-record","version":1,"request":{"json":` + cases.M0 + `}}`, "its request is the value at /request/json"},
	} {
		_, faults := runner.ReadUnitRequest([]byte(c.body))
		if !faults.Any() || !strings.Contains(faults.Findings[0].Message(), c.want) {
			t.Errorf("%s: got %v, want %q first", c.name, faults.Findings, c.want)
		}
	}
}

// runner 3.3: compact bounds do not apply to complete requests.
func TestCompleteListsHaveNoCount(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 1000 {
		list = append(list, fmt.Sprintf(`"cap.%d"`, i))
	}
	long := `"versions":["` + strings.Repeat("1", 40) + `.0","1.0"]`
	body := strings.Replace(cases.M0, `"optional_capabilities":[]`, `"optional_capabilities":[`+strings.Join(list, ",")+`]`, 1)
	body = strings.Replace(body, `"versions":["1.0"]`, long, 1)
	request, faults := runner.ReadRequest([]byte(body))
	if faults.Any() || len(request.Optional) != 1000 || len(request.Versions) != 2 {
		t.Errorf("complete: got %d optional and %v, want 1000 and no fault", len(request.Optional), faults)
	}
	_, faults = runner.ReadRequest([]byte(strings.Replace(cases.C0, `"versions":["1.0"]`, long, 1)))
	if !faults.Any() {
		t.Error("compact: got no fault for a version of 42 characters, want one")
	}
}

// runner 3, rule 1: exactly 4 MiB is read, one byte more is not.
func TestDocumentSizeEdge(t *testing.T) {
	t.Parallel()
	body := cases.C0 + strings.Repeat(" ", runner.MaxDocumentBytes-len(cases.C0))
	if _, faults := runner.ReadRequest([]byte(body)); faults.Any() {
		t.Errorf("4 MiB: got %v, want no fault", faults.Findings)
	}
	_, faults := runner.ReadRequest([]byte(body + " "))
	if !faults.Any() || faults.Findings[0].Code != runner.CodeRequestTooLarge {
		t.Errorf("4 MiB + 1: got %v, want request_too_large", faults.Findings)
	}
}

// hostile-inputs J-3: a document that is cheap to send is cheap to hold, and every fault in it is counted.
func TestHostileListsStayCheap(t *testing.T) {
	const entries = 1_000_000
	for _, c := range []struct{ name, entry string }{
		{"empty arrays", `[]`},
		{"equal names", `"a.b"`},
		{"numbers", `1`},
	} {
		body := []byte(`{"schema_version":"1.0","required_capabilities":[],"optional_capabilities":[],"versions":[` +
			strings.Repeat(c.entry+",", entries-1) + c.entry + `]}`)
		body = body[:min(len(body), runner.MaxDocumentBytes)]
		if !bytes.HasSuffix(body, []byte("}")) {
			cut := bytes.LastIndexByte(body[:len(body)-2], ',')
			body = append(body[:cut:cut], "]}"...)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		request, faults := runner.ReadRequest(body)
		runtime.ReadMemStats(&after)
		if len(faults.Findings) != runner.MaxFindings || faults.More < 500_000 || len(request.Versions) != 0 {
			t.Errorf("%s: got %d findings and %d more, want %d and the rest counted", c.name, len(faults.Findings), faults.More, runner.MaxFindings)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 12*uint64(len(body)) {
			t.Errorf("%s: got %d bytes allocated for %d, want at most 12 times", c.name, got, len(body))
		}
	}
}

// runner 2.1 and 2.3: the quick matchers are the published patterns.
func TestMatchersAreThePatterns(t *testing.T) {
	t.Parallel()
	name, version := regexp.MustCompile(runner.KeyPattern), regexp.MustCompile(runner.VersionPattern)
	for _, s := range []string{"", "a", "A.b_c-9", ".a", "-a", "a b", "a\n", "ä", "aä", strings.Repeat("x", 128), strings.Repeat("x", 129),
		"1.0", "01.0", "1.", ".1", "1", "1.0.0", "1.0\n", "１.0", "1 .0"} {
		quoted := fmt.Sprintf("%q", s)
		if s == "ä" || s == "aä" || s == "１.0" {
			quoted = `"` + s + `"`
		}
		_, faults := runner.ReadRequest([]byte(strings.Replace(cases.C0, `["negotiation"]`, `[`+quoted+`]`, 1)))
		if got, want := !faults.Any(), name.MatchString(s); got != want {
			t.Errorf("name %q: got %v, want %v", s, got, want)
		}
		_, faults = runner.ReadRequest([]byte(strings.Replace(cases.C0, `["1.0"]`, `[`+quoted+`]`, 1)))
		if got, want := !faults.Any(), version.MatchString(s) && utf8.RuneCountInString(s) <= runner.MaxCompactVersion; got != want {
			t.Errorf("version %q: got %v, want %v", s, got, want)
		}
	}
}

// runner 3.3: a message holds at most 4096 code points, cut on one.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	d := runner.Diagnose(runner.CodeInvalidRequest, strings.Repeat("é", 5000))
	if got := utf8.RuneCountInString(d.Message); got != runner.MaxMessage || !utf8.ValidString(d.Message) {
		t.Errorf("got %d code points, valid %v, want %d", got, utf8.ValidString(d.Message), runner.MaxMessage)
	}
	if d := runner.Diagnose(runner.CodeTaskDisabled, " "); d.Message == "" || strings.TrimSpace(d.Message) == "" {
		t.Error("got an empty message, want the code's meaning")
	}
}

// FuzzReadRequest: no text makes the reader panic, and a text without faults says the same when it is written anew.
func FuzzReadRequest(f *testing.F) {
	for _, c := range cases.Appendix() {
		f.Add([]byte(c.Body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		request, faults := runner.ReadUnitRequest(body)
		for _, finding := range faults.Findings {
			if finding.Expected == "" || finding.Found == "" || finding.Code == "" {
				t.Fatalf("got a finding without expected, found or code: %+v", finding)
			}
		}
		if faults.Any() {
			return
		}
		again, faults := runner.ReadUnitRequest(runner.EncodeRequest(*request))
		if faults.Any() || fmt.Sprint(*again) != fmt.Sprint(*request) {
			t.Fatalf("got %+v (%v) after writing anew, want %+v", again, faults.Findings, request)
		}
	})
}
