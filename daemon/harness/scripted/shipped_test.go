package scripted_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

func named(name string) proto.Configuration { return configuration(`{"script":"` + name + `"}`) }

func TestShippedScriptsAreDescribed(t *testing.T) {
	t.Parallel()
	all, err := scripted.Scripts()
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("scripts")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(all) {
		t.Errorf("got %d scripts for %d files, want one for each", len(all), len(files))
	}
	for _, s := range all {
		if s.Title == "" || s.Description == "" || strings.Contains(s.Description, "|") {
			t.Errorf("%s: got title %q and description %q, want both, fit for a table", s.Name, s.Title, s.Description)
		}
		if err := scripted.Check([]byte(s.Source)); err != nil {
			t.Errorf("%s as harness_config: %v", s.Name, err)
		}
	}
}

// TestTranscripts holds the frames of the scripts that end by themselves to files, in the order in which they come, and
// each frame to the rules of its payload. wire 3.2, wire 3.3, wire 3.12
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hello", "function", "steer", "tools", "subagent", "engine-error", "slow-prepare"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				compare(t, name, transcript(t, name))
			})
		})
	}
}

// transcript plays a script as a dispatcher would, with one result and one active input where it waits for them.
func transcript(t *testing.T, name string) string {
	r := start(t, open(t, named(name)), "run", "tides")
	if name == "steer" {
		if err := r.turn.SteerWithReceipt(t.Context(), proto.TextInput("springs"), func() {}); err != nil {
			t.Errorf("steer: %v", err)
		}
	}
	if name == "function" {
		call := r.until(proto.TypeFunctionCall).Payload.(*proto.FunctionCall)
		answer(t, r.turn, call.CallID, "twice a day")
	}
	r.settle()
	return r.transcript()
}

func answer(t *testing.T, turn harness.Turn, callID, text string) {
	t.Helper()
	result := proto.FunctionResult{DeliveryID: "function:" + callID, CallID: callID, Success: true, Content: []proto.InputContent{proto.TextPart(text)}}
	if err := turn.SubmitFunctionResult(t.Context(), result); err != nil {
		t.Errorf("result of %s: %v", callID, err)
	}
}

func compare(t *testing.T, name, got string) {
	path := "testdata/" + name + ".jsonl"
	if *writeGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("transcript of %s: got\n%swant\n%s", name, got, want)
	}
}

func TestNoScriptIsHello(t *testing.T) {
	t.Parallel()
	for _, config := range []string{``, `{}`, `{"script":"hello"}`} {
		done := start(t, open(t, configuration(config)), "run", "x").settle()
		if done == nil || done.Content != "Hello. You said: x" {
			t.Errorf("%q: got done %+v, want that of hello", config, done)
		}
	}
	unsaid := configuration("")
	unsaid.AgentOptions = nil
	if done := start(t, open(t, unsaid), "run", "x").settle(); done == nil {
		t.Error("without agent_options: got no done, want that of hello")
	}
}

// TestLongStreamsUntilCancelled also reads what the cancellation receipt needs. behaviour 6.4
func TestLongStreamsUntilCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		executor := open(t, named("long"))
		r := start(t, executor, "run", "x")
		for range 10 {
			r.until(proto.TypeDelta)
		}
		if err := r.turn.Cancel(t.Context()); err != nil {
			t.Errorf("cancel: %v", err)
		}
		if done := r.settle(); done != nil {
			t.Errorf("got done %+v after a cancel, want none", done)
		}
		outcome, known := r.turn.CancellationOutcome()
		if !known || !strings.HasPrefix(outcome.Content, "and so on and so on ") || outcome.NativeSession() != executor.NativeSession() {
			t.Errorf("outcome: got %+v (known %t), want the partial text and native session %q", outcome, known, executor.NativeSession())
		}
	})
}

// TestHoldCancelIsSilentForASecond: nothing is sent between cancel and settlement. behaviour 6.4
func TestHoldCancelIsSilentForASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, open(t, named("hold-cancel")), "run", "x")
		r.until(proto.TypeDelta)
		cancelled := time.Now()
		failed := make(chan error, 1)
		go func() { failed <- r.turn.Cancel(t.Context()) }()
		synctest.Wait()
		for len(r.output) > 0 {
			<-r.output // sent before the cancel
		}
		r.frames = nil
		r.settle()
		if got := time.Since(cancelled); got != time.Second || len(r.frames) != 0 {
			t.Errorf("cancel: settled after %v with %d more frames, want 1s with none", got, len(r.frames))
		}
		if err := <-failed; err != nil {
			t.Errorf("cancel: %v", err)
		}
	})
}

func TestPreparationOfScripts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, factory := scripted.New()
		if executor, err := factory(t.Context(), named("fail-prepare")); executor != nil || err == nil {
			t.Errorf("fail-prepare: got executor %v and error %v, want only an error", executor, err)
		}
		began := time.Now()
		executor, err := factory(t.Context(), named("slow-prepare"))
		if err != nil || time.Since(began) != 2*time.Second {
			t.Fatalf("slow-prepare: got error %v after %v, want none after 2s", err, time.Since(began))
		}
		closed(t, executor)
		ending, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if executor, err := factory(ending, named("slow-prepare")); executor != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("slow-prepare that is given up: got executor %v and error %v, want the context's", executor, err)
		}
	})
}

// TestFailSettle: a settlement that is not confirmed, and a close that is. behaviour 6.1
func TestFailSettle(t *testing.T) {
	t.Parallel()
	executor := open(t, named("fail-settle"))
	r := start(t, executor, "run", "x")
	if reusable, err := r.end(); err == nil || reusable {
		t.Errorf("settlement: got reusable %t and error %v, want an error", reusable, err)
	}
	if r.done() == nil {
		t.Error("got no done, want one")
	}
	if err := executor.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestFailClose: after a failed close the Executor is still owned, and can be closed again. behaviour 9.1
func TestFailClose(t *testing.T) {
	t.Parallel()
	_, factory := scripted.New()
	executor, err := factory(t.Context(), named("fail-close"))
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, executor, "run", "x")
	if reusable, err := r.end(); err != nil || reusable {
		t.Errorf("settlement: got reusable %t and error %v, want not reusable", reusable, err)
	}
	turn, err := executor.StartTurn(t.Context(), "run-2", proto.TextInput("x"), make(chan proto.Frame, 1))
	if turn != nil || err == nil {
		t.Errorf("start on a spent executor: got turn %v and error %v, want only an error", turn, err)
	}
	if err := executor.Close(t.Context()); err == nil {
		t.Error("first close: got success, want an error")
	}
	for range 2 {
		if err := executor.Close(t.Context()); err != nil {
			t.Errorf("later close: %v", err)
		}
	}
}
