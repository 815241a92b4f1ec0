package dispatch_test

import (
	"context"

	"parley/daemon/dispatch"
	"parley/daemon/environment"
	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// fakeSetup is an Environment whose commands do what the test says; the zero value completes everything.
type fakeSetup struct {
	dispatch.Environment
	run     func(ctx context.Context) environment.Outcome
	applied []string // what was applied, in order
}

func (f *fakeSetup) Setup(ctx context.Context, command, _ string) environment.Outcome {
	f.applied = append(f.applied, command)
	if f.run == nil {
		return environment.Outcome{State: environment.Completed}
	}
	return f.run(ctx)
}

func (f *fakeSetup) File(ctx context.Context, staged *workspace.Staged, logical string) environment.Outcome {
	f.applied = append(f.applied, logical)
	relative, err := workspace.Logical(logical)
	if err == nil {
		err = staged.Install(ctx, relative)
	}
	if err != nil {
		return environment.Outcome{State: environment.Rejected, Err: err}
	}
	return environment.Outcome{State: environment.Completed}
}

const budget = 600_000 // milliseconds

func setupBegin() *proto.RuntimePrepare {
	return &proto.RuntimePrepare{Step: proto.StepBegin, BudgetMS: budget, EnvironmentID: deskEnvironment, SessionID: deskSession}
}

func initialize(step proto.Initialization) *proto.RuntimePrepare {
	begin := setupBegin()
	begin.Action, begin.Initialization = proto.ActionInitialize, &step
	return begin
}

func setupCommand(command string) *proto.RuntimePrepare {
	return initialize(proto.Initialization{Action: proto.InitSetup, Command: command})
}

func setupFile(path, content string) *proto.RuntimePrepare {
	begin := setupBegin()
	begin.Action, begin.File = proto.ActionFile, &proto.FileTarget{Path: path}
	begin.SizeBytes, begin.SHA256 = int64(len(content)), digestOf(content)
	return begin
}

func setupChunk(offset int, data string) *proto.RuntimePrepare {
	return &proto.RuntimePrepare{Step: proto.StepChunk, Offset: int64(offset), Data: []byte(data)}
}

func setupCommit() *proto.RuntimePrepare { return &proto.RuntimePrepare{Step: proto.StepCommit} }

// prepared takes the answer to one step of an initialization.
func (d *desk) prepared(id string, want proto.RuntimePrepareResult) {
	d.t.Helper()
	if got := takes[*proto.RuntimePrepareResult](d, id); *got != want {
		d.t.Fatalf("got %+v, want %+v", *got, want)
	}
}

func setupReady() proto.RuntimePrepareResult {
	return proto.RuntimePrepareResult{Outcome: proto.OutcomeReady}
}

func setupRefusal(code string) proto.RuntimePrepareResult {
	return proto.RuntimePrepareResult{Outcome: proto.OutcomeRejected, ErrorCode: code}
}

// runs begins a step without bytes and commits it.
func (d *desk) runs(id string, begin *proto.RuntimePrepare) {
	d.t.Helper()
	d.accepts(id, begin)
	d.prepared(id, setupReady())
	d.accepts(id, setupCommit())
}

// brings begins a step with bytes, sends them and commits.
func (d *desk) brings(id string, begin *proto.RuntimePrepare, content string) {
	d.t.Helper()
	begin.SizeBytes, begin.SHA256 = int64(len(content)), digestOf(content)
	d.accepts(id, begin)
	d.prepared(id, setupReady())
	for offset := 0; offset < len(content); {
		piece := content[offset:min(len(content), offset+proto.MaxChunk)]
		d.accepts(id, setupChunk(offset, piece))
		offset += len(piece)
		d.prepared(id, proto.RuntimePrepareResult{Outcome: proto.OutcomeReceived, Offset: int64(offset)})
	}
	d.accepts(id, setupCommit())
}
