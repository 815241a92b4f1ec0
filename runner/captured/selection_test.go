package captured_test

import (
	"testing"
	"time"

	"parley/runner"
	"parley/runner/captured"
)

// runner 1.4 step 7 and 6.1: what the request and the captured input must agree on.
func TestSelection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		edit       func(r *runner.Request)
		eval, task document // nil is the base
		code       runner.Code
		path       string
		message    string
	}{
		{name: "the base"},
		{name: "shard", edit: func(r *runner.Request) { r.Input.Shard = "quay-west" }, code: runner.CodeSelectionConflict, path: "/selection/shard"},
		{name: "task", task: baseTask().set("id", "berth-07"), code: runner.CodeSelectionConflict, path: "/selection/task"},
		{name: "task in another case", task: baseTask().set("id", "Berth-7"), code: runner.CodeSelectionConflict, path: "/selection/task"},
		{name: "task by name", edit: func(r *runner.Request) { r.Selection.Task = "Berth" }, code: runner.CodeSelectionConflict, path: "/selection/task"},
		{name: "last trial", edit: func(r *runner.Request) { r.Selection.Trial = 4 }},
		{name: "trial out of range", edit: func(r *runner.Request) { r.Selection.Trial = 5 }, code: runner.CodeSelectionOutOfRange, path: "/selection/trial",
			message: "/selection/trial at byte 0: expected an ordinal from 1 to 4, found 5; config.trials_per_task is declared on line 7 of the eval"},
		{name: "last attempt", edit: func(r *runner.Request) { r.Selection.Attempt = 2 }},
		{name: "attempt out of range", edit: func(r *runner.Request) { r.Selection.Attempt = 3 }, code: runner.CodeSelectionOutOfRange, path: "/selection/attempt"},
		{name: "attempt without declaration", edit: func(r *runner.Request) { r.Selection.Attempt = 2 }, eval: baseEval(mock()).set("config.max_attempts", omit),
			code: runner.CodeSelectionOutOfRange, path: "/selection/attempt",
			message: "/selection/attempt at byte 0: expected an ordinal from 1 to 1, found 2; config.max_attempts is not declared in the eval, which allows one attempt"},
		{name: "attempt beside an explicit zero", edit: func(r *runner.Request) { r.Selection.Attempt = 2 }, eval: baseEval(mock()).set("config.max_attempts", "0"),
			code: runner.CodeSelectionOutOfRange, path: "/selection/attempt"},
		{name: "a wrong declaration is reported alone", edit: func(r *runner.Request) { r.Selection.Attempt = 2 }, eval: baseEval(mock()).set("config.max_attempts", "x"),
			code: invalid, path: "config.max_attempts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.eval == nil {
				tt.eval = baseEval(mock())
			}
			if tt.task == nil {
				tt.task = baseTask()
			}
			req := request(tt.eval.String(), tt.task.String())
			if tt.edit != nil {
				tt.edit(req)
			}
			f := one(t, req, mock(), tt.code)
			if f.Path != tt.path || tt.message != "" && f.Message() != tt.message {
				t.Errorf("got %s at %s, want %s %s", f.Message(), f.Path, tt.path, tt.message)
			}
		})
	}
}

// runner 6.1: a paid profile needs consent in the document; an offline one does not.
func TestConsent(t *testing.T) {
	t.Parallel()
	for p, want := range map[runner.Profile]runner.Code{mock(): "", copilot(): runner.CodePaidConsentRequired} {
		req := request(baseEval(p).String(), baseTask().String())
		req.AllowPaidExecution = false
		if f := one(t, req, p, want); want != "" && (f.Document != runner.InRequest || f.Path != "/allow_paid_execution") {
			t.Errorf("got %s %s, want the request's /allow_paid_execution", f.Document, f.Path)
		}
	}
}

// runner 4.5: the task's first-event timeout wins, 0 included; a paid profile admits no effective one.
func TestFirstEventTimeout(t *testing.T) {
	t.Parallel()
	tests := []struct {
		eval, task string
		paid       runner.Code
		in         string
	}{
		{omit, omit, "", ""}, {"0", omit, "", ""}, {"5", omit, unsupported, runner.InEval}, {"5", "null", unsupported, runner.InEval},
		{"5", "0", "", ""}, {"0", "7", unsupported, runner.InTask}, {omit, "7", unsupported, runner.InTask},
	}
	for _, tt := range tests {
		eval, task := baseEval(mock()).set("config.first_event_timeout_seconds", tt.eval), baseTask().set("first_event_timeout_seconds", tt.task)
		unit, found := captured.Admit(request(eval.String(), task.String()), mock())
		if unit == nil {
			t.Errorf("eval %s, task %s: got %v, want it without effect offline", tt.eval, tt.task, messages(found))
		}
		eval = eval.set("config.executor", copilot().Executor)
		if f := one(t, request(eval.String(), task.String()), copilot(), tt.paid); f.Document != tt.in {
			t.Errorf("eval %s, task %s: got a finding in %q, want it in %q", tt.eval, tt.task, f.Document, tt.in)
		}
	}
}

// runner 4.2 and 4.5: what a unit holds.
func TestUnit(t *testing.T) {
	t.Parallel()
	task := baseTask().set("description", "by night").set("timeout_seconds", "7")
	unit, found := captured.Admit(request(baseEval(mock()).String(), task.String()), mock())
	if unit == nil {
		t.Fatalf("got findings %v, want a unit", messages(found))
	}
	if unit.TaskName != "Berth seven" || unit.Description != "by night" ||
		unit.Model != "harbor-stub" || unit.Prompt != "Report the mooring at berth seven" {
		t.Errorf("got texts %+v, want those authored", unit)
	}
	if unit.TaskTimeout != 7*time.Second || unit.Checks.Len() != 2 {
		t.Errorf("got %v and %d checks, want the task's 7s and 2", unit.TaskTimeout, unit.Checks.Len())
	}
	unit, _ = captured.Admit(request(baseEval(mock()).set("config.max_attempts", "0").set("config.timeout_seconds", "2147483647").String(), baseTask().String()), mock())
	if unit == nil || unit.TaskTimeout != 2147483647*time.Second {
		t.Errorf("got %+v, want the inherited timeout", unit)
	}
}

// runner-identity 2: nothing is defaulted into the documents.
func TestDocumentsStayAsAuthored(t *testing.T) {
	t.Parallel()
	unit, _ := captured.Admit(request(baseEval(mock()).String(), baseTask().String()), mock())
	if unit == nil || len(unit.Eval.Content) != 2*6 || len(unit.Task.Content) != 2*4 {
		t.Errorf("got %+v, want the 6 and 4 authored fields", unit)
	}
}
