package attempt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/runner"
	"parley/runner/attempt"
	"parley/runner/cases"
	"parley/runner/engine"
	"parley/runner/engine/mock"
	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func service(t *testing.T, factories map[string]attempt.Factory) *attempt.Service {
	t.Helper()
	s, err := attempt.New(attempt.Options{Factories: factories, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run executes and checks that every document fits its schema and the table of runner 2.8.
func run(ctx context.Context, t *testing.T, s *attempt.Service, body string) attempt.Ended {
	t.Helper()
	ended := s.Run(ctx, []byte(body), nil)
	if err := runner.CheckTerminal(ended.Terminal); err != nil {
		t.Errorf("got %v in %+v", err, ended.Terminal)
	}
	schematest.Check(t, schema.Terminal, runner.EncodeTerminal(ended.Terminal))
	schematest.Check(t, schema.Unit, runner.Encode(ended.Receipt))
	return ended
}

// runner 10: every case of the appendix that runs, through the service.
func TestAppendix(t *testing.T) {
	t.Parallel()
	identities := map[int]runner.Identity{}
	s := service(t, attempt.Factories())
	for _, c := range cases.Appendix() {
		if c.Act != cases.Run {
			continue
		}
		ended := run(t.Context(), t, s, c.Body)
		if err := c.Verify(runner.EncodeTerminal(ended.Terminal)); err != nil {
			t.Errorf("case %d %s: %v", c.Number, c.Name, err)
		}
		if ended.Terminal.Identity != nil {
			identities[c.Number] = *ended.Terminal.Identity
		}
		if c.Output != "" && ended.Receipt.Observation.FinalOutput != c.Output {
			t.Errorf("case %d: got output %q, want %q", c.Number, ended.Receipt.Observation.FinalOutput, c.Output)
		}
		if c.SameAs != 0 && identities[c.Number] != identities[c.SameAs] {
			t.Errorf("case %d: got another identity than case %d", c.Number, c.SameAs)
		}
		if c.OtherThan != 0 && identities[c.Number] == identities[c.OtherThan] {
			t.Errorf("case %d: got the identity of case %d", c.Number, c.OtherThan)
		}
	}
}

// fake is an engine whose steps are the test's.
type fake struct {
	initialize func(context.Context) error
	execute    func(context.Context) (engine.Answer, error)
	shutdown   func(context.Context) error
	lived      []string
}

var _ engine.Engine = (*fake)(nil)

func (f *fake) Initialize(ctx context.Context) error {
	f.lived = append(f.lived, "initialize")
	if f.initialize == nil {
		return nil
	}
	return f.initialize(ctx)
}

func (f *fake) Execute(ctx context.Context, task engine.Task) (engine.Answer, error) {
	f.lived = append(f.lived, "execute")
	if f.execute == nil {
		return engine.Answer{Output: mock.Output(task)}, nil
	}
	return f.execute(ctx)
}

func (f *fake) Shutdown(ctx context.Context) error {
	f.lived = append(f.lived, "shutdown")
	if f.shutdown == nil {
		return nil
	}
	return f.shutdown(ctx)
}

func (f *fake) factory() map[string]attempt.Factory {
	return map[string]attempt.Factory{runner.CapMockText: {
		New:     func() engine.Engine { return f },
		Accepts: func(e engine.Engine) bool { return e == engine.Engine(f) },
	}}
}

func until(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }

func boom(context.Context) error { return errors.New("token=secret at /home/someone") }

func answerBoom(ctx context.Context) (engine.Answer, error) { return engine.Answer{}, boom(ctx) }

func answerUntil(ctx context.Context) (engine.Answer, error) { return engine.Answer{}, until(ctx) }

func faulty(code runner.Code) func(context.Context) error {
	return func(context.Context) error { return &engine.Fault{Code: code, Cause: errors.New("why")} }
}

// runner 2.8: every row that an attempt can reach, by what its engine does.
func TestHowAttemptsEnd(t *testing.T) {
	t.Parallel()
	failing := strings.Replace(cases.M0, `- berth\n`, `- gull\n`, 1)
	for _, c := range []struct {
		name     string
		engine   *fake
		body     string
		cancel   time.Duration // when the caller cancels, 0 never
		outcome  runner.Outcome
		boundary runner.Boundary
		calls    int
		status   string // observed, "" none
		codes    string
		lived    string
	}{
		{name: "passed", engine: &fake{}, outcome: runner.Success, boundary: runner.BoundaryNone, calls: 1, status: "passed", lived: "initialize execute shutdown"},
		{name: "failed check", engine: &fake{}, body: failing, outcome: runner.EvaluationFailure, boundary: runner.BoundaryNone, calls: 1, status: "failed", lived: "initialize execute shutdown"},
		{name: "start fails", engine: &fake{initialize: boom}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryStartup, codes: "engine_start_failed", lived: "initialize shutdown"},
		{name: "start and shutdown fail", engine: &fake{initialize: boom, shutdown: boom}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryStartup, codes: "engine_start_failed shutdown_failed", lived: "initialize shutdown"},
		{name: "execution fails", engine: &fake{execute: answerBoom}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_failed", lived: "initialize execute shutdown"},
		{name: "tool attempted", engine: &fake{execute: func(ctx context.Context) (engine.Answer, error) {
			return engine.Answer{}, faulty(runner.CodeToolAttempted)(ctx)
		}}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "tool_attempted", lived: "initialize execute shutdown"},
		{name: "shutdown fails after success", engine: &fake{shutdown: boom}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryShutdown, calls: 1, status: "passed", codes: "shutdown_failed", lived: "initialize execute shutdown"},
		{name: "cleanup fails after a failed check", engine: &fake{shutdown: faulty(runner.CodeCleanupFailed)}, body: failing, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryShutdown, calls: 1, status: "failed", codes: "cleanup_failed", lived: "initialize execute shutdown"},
		{name: "shutdown hangs", engine: &fake{shutdown: until}, outcome: runner.InfrastructureFailure, boundary: runner.BoundaryShutdown, calls: 1, status: "passed", codes: "shutdown_failed", lived: "initialize execute shutdown"},
		{name: "cancelled while starting", engine: &fake{initialize: until}, cancel: time.Second, outcome: runner.Cancelled, boundary: runner.BoundaryStartup, codes: "execution_cancelled", lived: "initialize shutdown"},
		{name: "cancelled while executing", engine: &fake{execute: answerUntil}, cancel: time.Second, outcome: runner.Cancelled, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_cancelled", lived: "initialize execute shutdown"},
		{name: "cancelled and shutdown fails", engine: &fake{execute: answerUntil, shutdown: boom}, cancel: time.Second, outcome: runner.Cancelled, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_cancelled shutdown_failed", lived: "initialize execute shutdown"},
		{name: "request deadline while starting", engine: &fake{initialize: until}, outcome: runner.Timeout, boundary: runner.BoundaryStartup, codes: "execution_timeout", lived: "initialize shutdown"},
		{name: "eval deadline", engine: &fake{execute: answerUntil}, outcome: runner.Timeout, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_timeout", lived: "initialize execute shutdown"},
		{name: "answer after the deadline", engine: &fake{execute: func(ctx context.Context) (engine.Answer, error) {
			<-ctx.Done()
			return engine.Answer{Output: "mooring berth"}, nil
		}}, outcome: runner.Timeout, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_timeout", lived: "initialize execute shutdown"},
		{name: "deadline before a later cancel", engine: &fake{execute: answerUntil, shutdown: until}, cancel: 21 * time.Second, outcome: runner.Timeout, boundary: runner.BoundaryExecution, calls: 1, status: "error", codes: "execution_timeout shutdown_failed", lived: "initialize execute shutdown"},
		{name: "deadline between start and call", engine: &fake{initialize: func(ctx context.Context) error { <-ctx.Done(); return nil }}, outcome: runner.Timeout, boundary: runner.BoundaryExecution, codes: "execution_timeout", lived: "initialize shutdown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel > 0 {
					defer time.AfterFunc(c.cancel, cancel).Stop()
				}
				body := c.body
				if body == "" {
					body = cases.M0
				}
				ended := run(ctx, t, service(t, c.engine.factory()), body)
				got := ended.Terminal
				status := ""
				if got.Observation != nil {
					status = got.Observation.Status
				}
				if got.Outcome != c.outcome || got.FailureBoundary != c.boundary || got.EngineCalls != c.calls || status != c.status {
					t.Errorf("got %s at %s, %d calls, observed %q, want %s at %s, %d, %q", got.Outcome, got.FailureBoundary, got.EngineCalls, status, c.outcome, c.boundary, c.calls, c.status)
				}
				if codes := codesOf(got.Diagnostics); codes != c.codes {
					t.Errorf("got codes %q, want %q", codes, c.codes)
				}
				if lived := strings.Join(c.engine.lived, " "); lived != c.lived {
					t.Errorf("got lifecycle %q, want %q", lived, c.lived)
				}
				if text := runner.Encode(ended.Receipt); bytes.Contains(text, []byte("secret")) || bytes.Contains(runner.EncodeTerminal(got), []byte("secret")) {
					t.Errorf("got the engine's own words in a document: %s", text)
				}
			})
		})
	}
}

func codesOf(ds []runner.Diagnostic) string {
	var codes []string
	for _, d := range ds {
		codes = append(codes, string(d.Code))
	}
	return strings.Join(codes, " ")
}

// runner 1.3: the three deadlines each end the run in their own time.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, new string
		after          time.Duration
	}{
		{"request", `"timeout_ms":45000`, `"timeout_ms":7000`, 7 * time.Second},
		{"eval", ``, ``, 20 * time.Second},
		{"task", `name: Berth seven\n`, `name: Berth seven\ntimeout_seconds: 9\n`, 9 * time.Second},
		{"task over eval", `name: Berth seven\n`, `name: Berth seven\ntimeout_seconds: 30\n`, 30 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				f := &fake{execute: answerUntil}
				ended := run(t.Context(), t, service(t, f.factory()), strings.Replace(cases.M0, c.old, c.new, 1))
				if got := time.Since(start); got != c.after || ended.Terminal.Outcome != runner.Timeout {
					t.Errorf("got %s after %v, want timeout after %v", ended.Terminal.Outcome, got, c.after)
				}
				if got := ended.Terminal.Observation.DurationMS; got != c.after.Milliseconds() {
					t.Errorf("got duration %d ms, want %d", got, c.after.Milliseconds())
				}
			})
		})
	}
}

// wrapper hides an engine of the right kind.
type wrapper struct{ engine.Engine }

// runner 2.8: an engine of another kind, none, or a wrapped one is never called.
func TestForeignEnginesAreNotCalled(t *testing.T) {
	t.Parallel()
	inner := &fake{}
	own := attempt.Factories()[runner.CapMockText]
	for name, made := range map[string]engine.Engine{"nil": nil, "nil of its kind": (*mock.Engine)(nil), "other kind": inner, "wrapper": wrapper{mock.New()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := service(t, map[string]attempt.Factory{runner.CapMockText: {New: func() engine.Engine { return made }, Accepts: own.Accepts}})
			got := run(t.Context(), t, s, cases.M0)
			if got.Terminal.FailureBoundary != runner.BoundaryStartup || got.Terminal.EngineCalls != 0 || got.Terminal.Observation != nil || got.Receipt.ExecutionMode != "" {
				t.Errorf("got %+v, want startup, no call, no observation, no mode", got.Terminal)
			}
			if codes := codesOf(got.Terminal.Diagnostics); codes != "engine_mismatch" {
				t.Errorf("got %q, want engine_mismatch", codes)
			}
		})
	}
	if len(inner.lived) > 0 {
		t.Errorf("got calls %v, want none", inner.lived)
	}
}

// runner 1.4, step 5: the policy is asked for paid requests only, and before the negotiation is answered.
func TestPolicyComesBeforeNegotiation(t *testing.T) {
	t.Parallel()
	asked := 0
	deny := func(*runner.Request) *runner.Diagnostic {
		asked++
		d := runner.Diagnose(runner.CodeNativeHTTPDenied, "")
		return &d
	}
	s := service(t, attempt.Factories())
	if ended := s.Run(t.Context(), []byte(cases.M0), deny); ended.Denied || asked != 0 || ended.Terminal.Outcome != runner.Success {
		t.Errorf("mock: got denied %v after %d questions, want an unasked success", ended.Denied, asked)
	}
	ended := s.Run(t.Context(), []byte(cases.P0()), deny)
	if got := ended.Terminal; !ended.Denied || got.Outcome != runner.InvalidInput || got.FailureBoundary != runner.BoundaryInput || codesOf(got.Diagnostics) != "native_http_denied" {
		t.Errorf("paid: got %+v, want a denial at the input", got)
	}
	allow := func(*runner.Request) *runner.Diagnostic { return nil }
	if got := s.Run(t.Context(), []byte(cases.P0()), allow).Terminal; got.Outcome != runner.UnsupportedCapability {
		t.Errorf("paid, allowed: got %s, want unsupported_capability while it is not advertised", got.Outcome)
	}
}

// runner 2.6: a terminal holds at most 256 checks, sorted, and keeps the failed ones; the receipt has them all.
func TestTerminalKeepsFailedChecks(t *testing.T) {
	t.Parallel()
	var graders strings.Builder
	for i := range 300 {
		item := "mooring"
		if i == 299 {
			item = "gull"
		}
		graders.WriteString(`  - {type: text, name: g` + fmt.Sprintf("%03d", i) + `, config: {contains: [` + item + `]}}\n`)
	}
	ended := run(t.Context(), t, service(t, attempt.Factories()), strings.Replace(cases.M0, `graders:\n`, `graders:\n`+graders.String(), 1))
	checks := ended.Terminal.Observation.Validations
	if len(checks) != runner.MaxTerminalChecks || len(ended.Receipt.Observation.Validations) != 302 {
		t.Fatalf("got %d and %d checks, want %d and 302", len(checks), len(ended.Receipt.Observation.Validations), runner.MaxTerminalChecks)
	}
	kept := false
	for i, c := range checks {
		kept = kept || c.Identifier == "g299" && !c.Passed
		if i > 0 && checks[i-1].Identifier >= c.Identifier {
			t.Errorf("got %q before %q, want them sorted", checks[i-1].Identifier, c.Identifier)
		}
	}
	if !kept {
		t.Error("got no failed check g299, want it kept")
	}
}

// runner 2.6: a terminal is bounded whatever the names in it are.
func TestTerminalTextsAreBounded(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 1<<20)
	ended := run(t.Context(), t, service(t, attempt.Factories()), strings.Replace(cases.M0, `name: says-mooring`, `name: `+name, 1))
	if got := len(runner.EncodeTerminal(ended.Terminal)); got > 16<<10 {
		t.Errorf("got a terminal of %d bytes, want it bounded", got)
	}
	if _, ok := ended.Receipt.Observation.Validations[name]; !ok {
		t.Error("got no whole name in the receipt")
	}
}

// runner 1.2: the same request twice is two executions of the same unit.
func TestTwiceIsTwo(t *testing.T) {
	t.Parallel()
	f := &fake{}
	s := service(t, f.factory())
	first, second := run(t.Context(), t, s, cases.M0), run(t.Context(), t, s, cases.M0)
	if len(f.lived) != 6 || *first.Terminal.Identity != *second.Terminal.Identity {
		t.Errorf("got lifecycle %v, want two whole ones with one identity", f.lived)
	}
}
