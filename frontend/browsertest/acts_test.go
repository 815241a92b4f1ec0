package browsertest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/frontend"
)

// runner 8: the three acts on the sample unit, each with its verdict first.
func TestActsOnTheSampleUnit(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	if got, want := p.text("#run-word"), "Run berth-7 · trial 3 · mock · free"; got != want {
		t.Errorf("run button: got %q, want %q", got, want)
	}
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible: 2 of 2 required capabilities are met.")
	p.click("#act-validate")
	p.waitResult("validate", "Ready: this is exactly one unit, no adjacent work.")
	for _, part := range []string{"0 engine calls", "not evidence of execution", "sha256-waza-c14n-v1", "attempt-"} {
		if got := p.result("validate"); !strings.Contains(got, part) {
			t.Errorf("validation: got %q, want it to contain %q", got, part)
		}
	}
	p.click("#act-run")
	p.waitResult("run", "Success, exit 0: both checks passed.")
	for _, part := range []string{"Covers this attempt only", "says-mooring", "Mock response for: Report the mooring at berth seven"} {
		if got := p.result("run"); !strings.Contains(got, part) {
			t.Errorf("run: got %q, want it to contain %q", got, part)
		}
	}
	p.waitText("#record-rows tr:first-child", "Success, exit 0")
	p.waitFor(`document.title.startsWith("Success, exit 0 – ")`)
}

// runner 8: any edit clears every result shown, and the history keeps them.
func TestEditClearsResults(t *testing.T) {
	t.Parallel()
	p := openPage(t, startLab(t), "/runner/unit")
	p.inspected()
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible")
	p.click("#act-validate")
	p.waitResult("validate", "Ready")
	p.replace("request", `"trial": 3`, `"trial": 2`)
	p.waitFor(`document.getElementById("results").childElementCount === 0`)
	p.waitText("[data-not-run=negotiate]", "not checked since the edit at")
	p.waitText("[data-not-run=validate]", "not run since the edit at")
	p.waitText("#run-word", "trial 2")
	if got, want := ask[int](p, `document.querySelectorAll("#record-rows tr").length`), 2; got != want {
		t.Errorf("records after the edit: got %d, want %d", got, want)
	}
	if !ask[bool](p, `document.getElementById("export").disabled`) {
		t.Error("export after the edit: got enabled, want disabled")
	}
}

// runner 8: starting an act clears its own former result first, and no other.
func TestActClearsItsOwnResultFirst(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible")
	p.click("#act-validate")
	p.waitResult("validate", "Ready")
	arrived, release := l.hold(t, "/api/v1/lab/runner/negotiate")
	p.click("#act-negotiate")
	<-arrived
	p.waitFor(`!document.querySelector("[data-slot=negotiate]")`)
	if got := p.result("validate"); !strings.Contains(got, "Ready") {
		t.Errorf("the other act's result: got %q, want it kept", got)
	}
	release()
	p.waitResult("negotiate", "Compatible")
}

// runner 8: an answer that comes after a newer edit is dropped from the results and kept in the history.
func TestLateAnswerIsDropped(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	arrived, release := l.hold(t, "/api/v1/lab/runner/validate")
	p.click("#act-validate")
	<-arrived
	p.replace("request", `"trial": 3`, `"trial": 2`)
	release()
	p.waitText("[data-not-run=validate]", "that result is in the history")
	p.waitText("#record-rows tr:first-child", "Ready")
	if got := p.result("validate"); got != "(absent)" {
		t.Errorf("result of the earlier text: got %q, want none", got)
	}
}

// runner 8: an answer that comes after a newer act is dropped too.
func TestAnswerAfterNewerActIsDropped(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	arrived, release := l.hold(t, "/api/v1/lab/runner/validate")
	p.click("#act-validate")
	<-arrived
	p.click("#act-negotiate")
	p.waitResult("negotiate", "Compatible")
	release()
	p.waitText("#record-rows", "Ready")
	if got := p.result("validate"); got != "(absent)" {
		t.Errorf("result of the earlier act: got %q, want none", got)
	}
}

// runner 8: a failed call shows the error and no older result: server error, refusal, wrong type, no connection.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, code, certain string
		answer              http.HandlerFunc
	}{
		{"server error", "http_500", "not known whether", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		{"refusal", "too_large", "was not run by it", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(413)
			_, _ = w.Write([]byte(`{"code":"too_large","message":"The body was not taken."}`))
		}},
		{"wrong type", "wrong_type", "not known whether", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("success"))
		}},
		{"not a report", "not_a_report", "not known whether", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<p>success</p>"))
		}},
		{"no connection", "no_connection", "not known whether", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := startLab(t)
			p := openPage(t, l, "/runner/unit")
			p.expected = []string{"Failed to load resource"}
			p.inspected()
			p.click("#act-run")
			p.waitResult("run", "Success")
			l.gateFor("/api/v1/lab/runner/run", c.answer)
			p.click("#act-run")
			p.waitResult("run", "Running failed.")
			got := p.result("run")
			for _, part := range []string{c.code, c.certain, "No result is shown."} {
				if !strings.Contains(got, part) {
					t.Errorf("failed run: got %q, want it to contain %q", got, part)
				}
			}
			if strings.Contains(got, "Success") {
				t.Errorf("failed run: got %q, want no older result", got)
			}
		})
	}
}

// ux-anchors P1, P4, P5: cancel is offered at once, said at once and confirmed by the answer; leaving asks.
func TestCancelRun(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	p := openPage(t, l, "/runner/unit")
	p.inspected()
	asked := make(chan string, 1)
	arrived := make(chan string, 1)
	l.gateFor("/api/v1/lab/runner/run", func(w http.ResponseWriter, r *http.Request) {
		act := r.Header.Get("Parley-Act")
		l.gateFor("/api/v1/lab/runner/acts/"+act, func(w http.ResponseWriter, r *http.Request) {
			asked <- r.Method
			w.WriteHeader(http.StatusNoContent)
		})
		arrived <- act
		<-asked
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(cancelledReport(t))
	})
	p.click("#act-run")
	if act := <-arrived; len(act) != 32 {
		t.Errorf("Parley-Act: got %q, want 32 hex digits", act)
	}
	p.waitFor(`!document.getElementById("cancel").hidden && document.getElementById("act-negotiate").disabled`)
	if !ask[bool](p, `!window.dispatchEvent(new Event("beforeunload", {cancelable: true}))`) {
		t.Error("leaving during a run: got no question, want one")
	}
	p.click("#cancel")
	p.waitResult("run", "Cancelled, exit 3 at execution")
	p.waitFor(`document.getElementById("cancel").hidden && !document.getElementById("act-run").disabled`)
	if !ask[bool](p, `window.dispatchEvent(new Event("beforeunload", {cancelable: true}))`) {
		t.Error("leaving after a run: got a question, want none")
	}
}

func cancelledReport(t *testing.T) []byte {
	t.Helper()
	answer := `{"kind":"waza.runner-terminal","schema_version":"1.0","outcome":"cancelled","exit_code":3,"failure_boundary":"execution",` +
		`"validation":"valid","engine_calls":1,"diagnostics":[{"code":"execution_cancelled","message":"The run was cancelled."}]}`
	var out bytes.Buffer
	report := frontend.Report(frontend.ReportOf(frontend.Lab{}, frontend.Record{ID: "x", Act: frontend.ActRun, Answer: []byte(answer)}))
	if err := report.Render(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// ux-anchors 6.2: a disabled act says why, in text beside it.
func TestDisabledActsSayWhy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, why, enabled, disabled string }{
		{"/runner", "Waiting for a request.", "", "#act-negotiate, #act-validate, #act-run"},
		{"/runner/several-errors", "wait for a request without errors", "#act-negotiate", "#act-validate, #act-run"},
		{"/runner/negotiation", "need a complete request", "#act-negotiate", "#act-validate, #act-run"},
		{"/runner/paid-profile", "does not offer paid execution", "#act-negotiate, #act-validate", "#act-run"},
		{"/runner/captured-errors", "will refuse the unit", "#act-negotiate, #act-validate, #act-run", ""},
	} {
		t.Run(strings.Trim(c.path, "/"), func(t *testing.T) {
			t.Parallel()
			p := openPage(t, startLab(t), c.path)
			p.waitText("#acts-note", c.why)
			for selector, want := range map[string]bool{c.enabled: false, c.disabled: true} {
				if selector == "" {
					continue
				}
				check := fmt.Sprintf(`[...document.querySelectorAll(%s)].every((b) => b.disabled === %t)`, quote(selector), want)
				if !ask[bool](p, check) {
					t.Errorf("%s: got other than disabled %t", selector, want)
				}
			}
		})
	}
}
