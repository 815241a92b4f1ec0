package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/backend/server"
	"parley/runner"
	"parley/runner/admission"
	"parley/runner/attempt"
)

// runner 1.2: over HTTP the documents have the same bytes as on the command line, newline included.
func TestContractAnswersTheCommandLinesBytes(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	unit, compact := sample(t, "unit"), sample(t, "negotiation")
	for _, tt := range []struct {
		method, path, body string
		want               []byte
	}{
		{"GET", "capabilities", "", runner.Encode(runner.Advertise())},
		{"POST", "negotiate", compact, runner.Encode(admission.Negotiate([]byte(compact)))},
		{"POST", "negotiate", unit, runner.Encode(admission.Negotiate([]byte(unit)))},
		{"POST", "validate", unit, runner.Encode(admission.Validate([]byte(unit)))},
		{"POST", "negotiate", "{", runner.Encode(admission.Negotiate([]byte("{")))},
		{"POST", "validate", "[]", runner.Encode(admission.Validate([]byte("[]")))},
	} {
		got := h.call(tt.method, "/api/v1/runner/"+tt.path, tt.body, "Authorization", "")
		if got.status != http.StatusOK || got.body != string(tt.want) || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %s %q, want 200 application/json %q", tt.path, got.status, got.header.Get("Content-Type"), got.body, tt.want)
		}
	}
}

// runner 7.1: any verdict of a request that was fully read is 200, a readable one or not.
func TestRunAnswers200WithAnyVerdict(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for body, want := range map[string]string{
		sample(t, "unit"):        `"outcome":"success","exit_code":0`,
		"{":                      `"outcome":"invalid_input","exit_code":6,"failure_boundary":"input"`,
		" ":                      `"outcome":"invalid_input","exit_code":6,"failure_boundary":"input"`,
		sample(t, "negotiation"): `"outcome":"invalid_input","exit_code":6,"failure_boundary":"input"`,
		strings.Replace(sample(t, "unit"), `"inline.mock-text"`, `"inline.mock-text","nobody-has-this"`, 1): `"outcome":"unsupported_capability","exit_code":5`,
	} {
		got := h.call("POST", "/api/v1/runner/run", body)
		if got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("body %.30q: got %d %s, want 200 with %s", body, got.status, got.body, want)
		}
	}
}

// runner 7.1: exactly 4 MiB is read, one byte more is not, declared or not.
func TestBodyLimitIsExact(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	unit := sample(t, "unit")
	full := unit + strings.Repeat(" ", runner.MaxDocumentBytes-len(unit))
	for _, route := range []struct {
		path string
		over int
		says string
	}{{"negotiate", 400, "invalid_request"}, {"validate", 400, "rejected"}, {"run", 413, "invalid_input"}} {
		for _, declared := range []bool{true, false} {
			for extra, want := range []int{200, route.over} {
				got := h.upload("/api/v1/runner/"+route.path, full+strings.Repeat(" ", extra), declared)
				if got.status != want || extra > 0 && (!strings.Contains(got.body, route.says) || !strings.Contains(got.body, "request_too_large")) {
					t.Errorf("%s, declared %t, %d over: got %d %.200s, want %d", route.path, declared, extra, got.status, got.body, want)
				}
			}
		}
	}
}

// upload sends a body while it waits for the answer, which may come before the body is through.
func (h *house) upload(path, body string, declared bool) answer {
	h.t.Helper()
	c := h.dial()
	defer c.Close()
	size := fmt.Sprintf("Content-Length: %d", len(body))
	if !declared {
		size, body = "Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	go fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json; charset=utf-8\r\n%s\r\n\r\n%s", path, h.addr, size, body)
	return h.answerOn(c)
}

// runner 7.1: which media types pass.
func TestMediaTypes(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for media, want := range map[string]int{
		"application/json": 200, "Application/JSON": 200, "application/json; charset=utf-8": 200, "application/json;profile=x": 200,
		"": 415, "text/json": 415, "application/ld+json": 415, "text/plain": 415, "application/jsonp": 415,
		"application/json, text/plain": 415, "application/x-www-form-urlencoded": 415,
	} {
		for path, code := range map[string]string{"negotiate": "invalid_request", "validate": "rejected", "run": "invalid_input"} {
			got := h.call("POST", "/api/v1/runner/"+path, sample(t, "unit"), "Content-Type", media)
			if got.status != want {
				t.Errorf("%s as %q: got %d, want %d", path, media, got.status, want)
			}
			if want == 415 && (!strings.Contains(got.body, code) || !strings.Contains(got.body, "invalid_media_type")) {
				t.Errorf("%s as %q: got %s, want a document with %s", path, media, got.body, code)
			}
		}
	}
}

// runner 7.1 and H11: the refusal names what was sent, printable and bounded, on the contract's routes and the lab's.
func TestMediaTypeRefusalsNameWhatWasSent(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	long := "text/" + strings.Repeat("x", 8<<10)
	for name, tt := range map[string]struct{ headers, want string }{
		"none":      {"", "found none"},
		"empty":     {"Content-Type: \r\n", "found none"},
		"two":       {"Content-Type: application/json\r\nContent-Type: application/json\r\n", "found 2 headers"},
		"other":     {"Content-Type: text/plain; charset=utf-8\r\n", `found \"text/plain; charset=utf-8\"`},
		"long":      {"Content-Type: " + long + "\r\n", `found \"` + long[:100] + `\" and more`},
		"not ASCII": {"Content-Type: text/\u202e\xff\r\n", `found \"text/\\u202e\\xff\"`},
	} {
		for _, path := range []string{"runner/negotiate", "runner/validate", "runner/run", "lab/runner/validate", "lab/runner/inspect"} {
			got := h.raw("POST /api/v1/" + path + " HTTP/1.1\r\nHost: " + h.addr + "\r\nAuthorization: Bearer " + apiKey +
				"\r\nContent-Length: 2\r\n" + tt.headers + "\r\n{}")
			if want := "expected application/json, " + tt.want; got.status != 415 || !strings.Contains(got.body, want) {
				t.Errorf("%s, %s: got %d %s, want 415 with %s", path, name, got.status, got.body, want)
			}
		}
	}
}

// runner 7.2: what keeps its connection and what ends it.
func TestConnectionRules(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	unit := sample(t, "unit")
	for _, tt := range []struct {
		name, path, media, body string
		declared                int // Content-Length; the body is sent as it is
		status                  int
		closes                  bool
	}{
		{"negotiate, read", "negotiate", "application/json", unit, len(unit), 200, false},
		{"validate, read", "validate", "application/json", "{", 1, 200, false},
		{"run, read, any terminal", "run", "application/json", "{", 1, 200, false},
		{"run, read, success", "run", "application/json", unit, len(unit), 200, false},
		{"run, wrong type, all sent", "run", "text/plain", unit, len(unit), 415, true},
		{"run, wrong type, part sent", "run", "text/plain", unit[:10], len(unit), 415, true},
		{"run, too large, nothing sent", "run", "application/json", "", runner.MaxDocumentBytes + 1, 413, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := h.dial()
			defer c.Close()
			fmt.Fprintf(c, "POST /api/v1/runner/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
				tt.path, h.addr, tt.media, tt.declared, tt.body)
			started := time.Now()
			got := h.answerOn(c)
			if got.status != tt.status || got.closes != tt.closes {
				t.Errorf("got %d, closes %t, want %d, closes %t", got.status, got.closes, tt.status, tt.closes)
			}
			if tt.closes {
				if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
					t.Errorf("after the answer: got %d bytes, %v, want the end", n, err)
				}
				if took := time.Since(started); took > 3*time.Second {
					t.Errorf("took %s: the body was waited for", took)
				}
				return
			}
			io.WriteString(c, request("GET", "/healthz", h.addr, ""))
			if again := h.answerOn(c); again.status != 200 {
				t.Errorf("second request on the connection: got %d, want 200", again.status)
			}
		})
	}
}

// runner 7.1 and 7.2: a body that is not complete in five seconds, with a right or a wrong type, on the lab's routes too.
func TestIncompleteUploadEndsAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	rows := []struct {
		path, media string
		status      int
		says        string
	}{
		{"/api/v1/runner/negotiate", "application/json", 400, "body_timeout"},
		{"/api/v1/runner/validate", "application/json", 400, "body_timeout"},
		{"/api/v1/runner/run", "application/json", 408, `"outcome":"timeout","exit_code":4,"failure_boundary":"input"`},
		{"/api/v1/runner/negotiate", "text/plain", 415, "invalid_media_type"},
		{"/api/v1/lab/runner/run", "application/json", 408, "body_timeout"},
	}
	started := time.Now()
	var senders []net.Conn
	for _, tt := range rows {
		c := h.dial()
		defer c.Close()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 100\r\n\r\n{",
			tt.path, h.addr, apiKey, tt.media)
		senders = append(senders, c)
	}
	for i, tt := range rows {
		got := h.answerOn(senders[i])
		if took := time.Since(started); took < 4*time.Second || took > 9*time.Second {
			t.Errorf("%s: answered after %s, want about 5s", tt.path, took)
		}
		if got.status != tt.status || !strings.Contains(got.body, tt.says) || !got.closes {
			t.Errorf("%s: got %d, closes %t, %s, want %d with %s and the end", tt.path, got.status, got.closes, got.body, tt.status, tt.says)
		}
	}
}

// runner 7.1: a body that ends early, and one that is broken.
func TestInterruptedAndBrokenBodies(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	for _, tt := range []struct {
		name, path, header, body string
		status                   int
		says                     string
	}{
		{"cut", "run", "Content-Length: 100", "{", 408, `"outcome":"cancelled","exit_code":3,"failure_boundary":"input"`},
		{"cut", "negotiate", "Content-Length: 100", "{", 400, "input_cancelled"},
		{"broken chunk", "run", "Transfer-Encoding: chunked", "zz\r\n", 400, "body_read_failed"},
		{"broken chunk", "validate", "Transfer-Encoding: chunked", "zz\r\n", 400, "body_read_failed"},
	} {
		t.Run(tt.name+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			c := h.dial()
			defer c.Close()
			fmt.Fprintf(c, "POST /api/v1/runner/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n%s", tt.path, h.addr, tt.header, tt.body)
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			got := h.answerOn(c)
			if got.status != tt.status || !strings.Contains(got.body, tt.says) {
				t.Errorf("got %d %s, want %d with %s", got.status, got.body, tt.status, tt.says)
			}
		})
	}
}

// runner 7.1: where the reading cannot be bounded nothing is read.
func TestNoDeadlineMeansNoReading(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for path, want := range map[string]string{"run": `"outcome":"infrastructure_failure","exit_code":2,"failure_boundary":"input"`,
		"negotiate": "deadline_unavailable", "validate": "deadline_unavailable"} {
		body := strings.NewReader(sample(t, "unit"))
		size := body.Len()
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://localhost/api/v1/runner/"+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		w := &deaf{header: http.Header{}}
		h.handler.ServeHTTP(w, r)
		if w.status != http.StatusInternalServerError || !strings.Contains(w.body.String(), want) {
			t.Errorf("%s: got %d %s, want 500 with %s", path, w.status, &w.body, want)
		}
		if body.Len() != size {
			t.Errorf("%s: %d bytes of the body were read", path, size-body.Len())
		}
	}
}

// deaf is a writer without deadlines, as a middleware may leave behind.
type deaf struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (d *deaf) Header() http.Header         { return d.header }
func (d *deaf) WriteHeader(status int)      { d.status = status }
func (d *deaf) Write(p []byte) (int, error) { return d.body.Write(p) }

// patient is a runner whose runs last until their context ends.
type patient struct {
	server.Runner
	began chan struct{}
	cause chan error
}

func (p *patient) Run(ctx context.Context, _ []byte, _ attempt.Policy) attempt.Ended {
	p.began <- struct{}{}
	<-ctx.Done()
	p.cause <- context.Cause(ctx)
	return attempt.Ended{
		Terminal: runner.Refuse(runner.Cancelled, runner.BoundaryInput, runner.NotChecked, runner.Diagnose(runner.CodeInputCancelled, "")),
		Receipt:  runner.RejectUnit(runner.RejectUnread(runner.CodeInputCancelled, "")),
	}
}

func withPatience(p *patient) change {
	return func(o *server.Options) {
		p.Runner, o.Runner = o.Runner, p
	}
}

func newPatient() *patient {
	return &patient{began: make(chan struct{}, 8), cause: make(chan error, 8)}
}

func (p *patient) wait(t *testing.T, what string) {
	t.Helper()
	signal := p.began
	if what == "end" {
		signal = make(chan struct{}, 1)
		go func() { <-p.cause; signal <- struct{}{} }()
	}
	select {
	case <-signal:
	case <-time.After(10 * time.Second):
		t.Fatalf("the run did not %s", what)
	}
}

// runner 7.2: a client that goes away cancels its run, also after the body's deadline was lifted.
func TestDisconnectCancelsTheRun(t *testing.T) {
	t.Parallel()
	p := newPatient()
	h := openHouse(t, withPatience(p))
	c := h.dial()
	io.WriteString(c, request("POST", "/api/v1/runner/run", h.addr, "{}", "Content-Type: application/json"))
	p.wait(t, "begin")
	c.Close()
	p.wait(t, "end")
}

// runner 7.2: the five seconds bound the body, not the run. An empty body counts: the server listens for the client's end
// from the first moment then, under the deadline that was set.
func TestLongRunIsNotCut(t *testing.T) {
	t.Parallel()
	p := newPatient()
	h := openHouse(t, withPatience(p))
	for _, body := range []string{"{}", ""} {
		c := h.dial()
		defer c.Close()
		fmt.Fprintf(c, "POST /api/v1/runner/run HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			h.addr, len(body), body)
		p.wait(t, "begin")
	}
	select {
	case err := <-p.cause:
		t.Errorf("a run was cut: %v", err)
	case <-time.After(runner.BodyDeadline + time.Second):
	}
}

// runner 7.2: a stop cancels runs, waits for them, and their answers are still written; spare and slow connections do
// not hold it up.
func TestStopCancelsRunsAndWaits(t *testing.T) {
	t.Parallel()
	p := newPatient()
	h := openHouse(t, withPatience(p))
	running, spare, slow := h.dial(), h.dial(), h.dial()
	defer running.Close()
	defer spare.Close()
	defer slow.Close()
	io.WriteString(slow, "POST /api/v1/runner/run HT")
	io.WriteString(running, request("POST", "/api/v1/runner/run", h.addr, "{}", "Content-Type: application/json"))
	p.wait(t, "begin")
	started := time.Now()
	h.stop()
	if took := time.Since(started); took > 3*time.Second {
		t.Errorf("stop took %s, want it within seconds", took)
	}
	if got := h.answerOn(running); !strings.Contains(got.body, `"outcome":"cancelled"`) {
		t.Errorf("got %d %s, want the terminal of a cancelled run", got.status, got.body)
	}
}
