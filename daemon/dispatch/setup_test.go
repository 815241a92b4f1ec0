package dispatch_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/environment"
	"parley/daemon/proto"
)

// wire 3.8.2, behaviour 7.1: every kind of step, in a real Environment.
func TestSetupSteps(t *testing.T) {
	t.Parallel()
	d := newDesk(t, withRealSetup(t))
	done := func(content string) proto.RuntimePrepareResult {
		return proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted, SizeBytes: int64(len(content))}
	}
	d.runs(transferA, initialize(proto.Initialization{Action: proto.InitConfigure, Env: map[string]string{"GREETING": "hello"}}))
	d.prepared(transferA, done(""))

	long := strings.Repeat("line\n", 20_000)
	d.brings(transferA, setupFile("/workspace/docs/a.md", ""), long)
	d.prepared(transferA, done(long))
	d.holds("docs/a.md", long)
	d.brings(transferB, setupFile("/workspace/empty.txt", ""), "")
	d.prepared(transferB, done(""))
	d.holds("empty.txt", "")

	archive := archiveOf(t, "SKILL.md", "take notes")
	skill, plugin := setupBegin(), setupBegin()
	about := &proto.Capsule{Type: "inline", Name: "notes", Description: "Note taking"}
	skill.Action, skill.Skill = proto.ActionSkill, about
	plugin.Action, plugin.Slot, plugin.Plugin = proto.ActionPlugin, proto.MaxSlot, about
	d.brings(transferA, skill, archive)
	d.prepared(transferA, done(archive))
	d.brings(transferA, plugin, archive)
	d.prepared(transferA, done(archive))

	finalize := setupBegin()
	finalize.Action = proto.ActionFinalize
	finalize.Sources = &proto.Sources{Skills: []proto.Capsule{*about}, Plugins: []proto.Capsule{*about}, Directories: []string{"/workspace"}}
	d.runs(transferA, finalize)
	d.prepared(transferA, done(""))
	d.runs(transferA, setupFile("/workspace/late", ""))
	d.prepared(transferA, setupRefusal(proto.CodePreparationRejected))
}

func archiveOf(t *testing.T, name, content string) string {
	t.Helper()
	var data bytes.Buffer
	archive := tar.NewWriter(&data)
	err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))})
	if err == nil {
		_, err = archive.Write([]byte(content))
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	return data.String()
}

// behaviour 7.1: the status of a command is the exit code, what is refused before it runs is rejected.
func TestSetupCommands(t *testing.T) {
	t.Parallel()
	failed := func(code int) proto.RuntimePrepareResult {
		return proto.RuntimePrepareResult{Outcome: proto.OutcomeFailed, ExitCode: code, ErrorCode: proto.CodePreparationFailedRuntime}
	}
	for name, c := range map[string]struct {
		step proto.Initialization
		want proto.RuntimePrepareResult
	}{
		"completes":      {proto.Initialization{Action: proto.InitSetup, Command: "exit 0"}, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted}},
		"exit 1":         {proto.Initialization{Action: proto.InitSetup, Command: "exit 1"}, failed(1)},
		"exit 255":       {proto.Initialization{Action: proto.InitSetup, Command: "exit 255"}, failed(255)},
		"no such folder": {proto.Initialization{Action: proto.InitSetup, Command: "exit 0", Cwd: "/workspace/none"}, setupRefusal(proto.CodePreparationRejected)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, withRealSetup(t))
			d.runs(transferA, initialize(c.step))
			d.prepared(transferA, c.want)
		})
	}
}

// behaviour 7.1, wire 3.8.4: what is known of an application, and its words.
func TestSetupOutcomes(t *testing.T) {
	t.Parallel()
	why := errors.New("reason")
	unknown := proto.RuntimePrepareResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodePreparationUnconfirmed}
	for name, c := range map[string]struct {
		outcome environment.Outcome
		want    proto.RuntimePrepareResult
		open    bool
	}{
		"completed":            {environment.Outcome{State: environment.Completed}, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted}, true},
		"failed with status":   {environment.Outcome{State: environment.Failed, ExitCode: 2, Err: why}, proto.RuntimePrepareResult{Outcome: proto.OutcomeFailed, ExitCode: 2, ErrorCode: proto.CodePreparationFailedRuntime}, true},
		"failed without":       {environment.Outcome{State: environment.Failed, Err: why}, proto.RuntimePrepareResult{Outcome: proto.OutcomeFailed, ErrorCode: proto.CodePreparationFailedRuntime}, true},
		"rejected":             {environment.Outcome{State: environment.Rejected, Err: why}, setupRefusal(proto.CodePreparationRejected), true},
		"unknown":              {environment.Outcome{State: environment.Unknown, Err: why}, unknown, false},
		"status 256":           {environment.Outcome{State: environment.Failed, ExitCode: 256, Err: why}, unknown, false},
		"negative status":      {environment.Outcome{State: environment.Failed, ExitCode: -1, Err: why}, unknown, false},
		"a state nobody knows": {environment.Outcome{State: "lost", Err: why}, unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, withSetup(&fakeSetup{run: func(context.Context) environment.Outcome { return c.outcome }}))
			d.runs(transferA, setupCommand("make"))
			d.prepared(transferA, c.want)
			d.accepts(transferB, setupCommand("make"))
			if c.open {
				d.prepared(transferB, setupReady())
				return
			}
			d.prepared(transferB, setupRefusal(proto.CodeResourceUnavailable)) // behaviour 7.1: unknown keeps the gate
			d.shut(transferB)
		})
	}
}

// wire 3.8.1, 3.8.5, behaviour 7.1: what begin is refused for.
func TestSetupBeginRefusals(t *testing.T) {
	t.Parallel()
	changed := func(change func(*proto.RuntimePrepare)) *proto.RuntimePrepare {
		begin := setupFile("/workspace/file", "x")
		change(begin)
		return begin
	}
	unsupported := func(config *dispatch.Config) { config.Setup = nil }
	unbound := func(config *dispatch.Config) { config.Binding = nil }
	noFiles := func(config *dispatch.Config) { config.Files = nil }
	same := func(*dispatch.Config) {}
	for name, c := range map[string]struct {
		begin  *proto.RuntimePrepare
		config func(*dispatch.Config)
		code   string
	}{
		"no budget":         {changed(func(p *proto.RuntimePrepare) { p.BudgetMS = 0 }), same, proto.CodeInvalidRequest},
		"budget over limit": {changed(func(p *proto.RuntimePrepare) { p.BudgetMS = 1_800_001 }), same, proto.CodeInvalidRequest},
		"path outside":      {setupFile("/workspace/../etc/passwd", "x"), same, proto.CodeInvalidRequest},
		"two objects":       {changed(func(p *proto.RuntimePrepare) { p.Sources = &proto.Sources{} }), same, proto.CodeInvalidRequest},
		"slot of a file":    {changed(func(p *proto.RuntimePrepare) { p.Slot = 1 }), same, proto.CodeInvalidRequest},
		"over 50 MiB":       {changed(func(p *proto.RuntimePrepare) { p.SizeBytes = proto.MaxTransfer + 1 }), same, proto.CodeInvalidRequest},
		"option as package": {initialize(proto.Initialization{Action: proto.InitNpm, Packages: []string{"-g"}}), same, proto.CodeInvalidRequest},
		"no step":           {changed(func(p *proto.RuntimePrepare) { p.Step = "" }), same, proto.CodeInvalidRequest},
		"other environment": {changed(func(p *proto.RuntimePrepare) { p.EnvironmentID = deskOther }), same, proto.CodeResourceUnavailable},
		"other session":     {changed(func(p *proto.RuntimePrepare) { p.SessionID = deskOther }), same, proto.CodeResourceUnavailable},
		"no initialization": {setupCommand("make"), unsupported, proto.CodePreparationUnsupported},
		"no binding":        {setupCommand("make"), unbound, proto.CodePreparationUnsupported},
		"file, no files":    {setupFile("/workspace/file", "x"), noFiles, proto.CodePreparationUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setup := &fakeSetup{}
			d := newDesk(t, withSetup(setup), c.config)
			d.accepts(transferA, c.begin)
			d.prepared(transferA, setupRefusal(c.code))
			d.shutdown()
			if len(setup.applied) > 0 {
				t.Errorf("got %v applied, want nothing", setup.applied)
			}
		})
	}
}

// wire 1.6, 3.8.5: an id that is no canonical UUID and a step of no transfer have no answer; a begin over 1 MiB and a
// body that does not decode are refused.
func TestSetupFramesThatAreNoBegin(t *testing.T) {
	t.Parallel()
	d := newDesk(t, withSetup(&fakeSetup{}))
	for _, id := range []string{"", "op-1", strings.ToUpper(transferA), "00000000-0000-0000-0000-000000000000"} {
		d.dropped(id, setupCommand("make"))
	}
	d.dropped(transferA, setupChunk(0, "x"))
	d.dropped(transferA, setupCommit())
	d.accepts(transferA, setupCommand(strings.Repeat("x", proto.MaxPrepareBegin)))
	d.prepared(transferA, setupRefusal(proto.CodeInvalidRequest))
	if err := d.hearsBytes([]byte(`{"type":"runtime_prepare","id":"` + transferA + `","payload":[]}`)); err != nil {
		t.Errorf("got %v, want a rejection", err)
	}
	d.prepared(transferA, setupRefusal(proto.CodeInvalidRequest))
}

// behaviour 7.1: an initialization wants an idle Router, and keeps others out.
func TestSetupExcludesOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, withSetup(&fakeSetup{}))
	handle := d.readable("prep-9")
	d.accepts(transferA, setupCommand("make"))
	d.prepared(transferA, setupRefusal(proto.CodeResourceUnavailable))
	d.release("prep-9", handle)

	d.accepts(transferA, setupCommand("make"))
	d.prepared(transferA, setupReady())
	d.shut(transferB)
	d.accepts(transferB, setupCommand("make"))
	d.prepared(transferB, setupRefusal(proto.CodePreparationCapacityRuntime))
	d.accepts(transferB, writeBegin("file", ""))
	d.wrote(transferB, writeRefusal(proto.CodeResourceUnavailable, ""))
	d.dropped(transferA, setupCommand("make")) // behaviour 7.1: a second begin with the pending id
	d.dropped(transferA, &proto.WorkspaceWrite{Step: proto.StepCommit})
	d.accepts(transferA, setupCommit())
	d.prepared(transferA, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted})
	for range 100 { // the next one may begin as soon as the last answer is there
		d.runs(transferB, setupCommand("make"))
		d.prepared(transferB, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted})
	}
}

// behaviour 7.1: an Executor keeps an initialization out even when it is idle, and does not keep a write out.
func TestSetupToleratesNoExecutor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, withSetup(&fakeSetup{}), func(config *dispatch.Config) {
		if err := config.Registry.SetFactory(kindName, newAdapter().make); err != nil {
			t.Fatal(err)
		}
	})
	if err := d.hears(prepareFrame("prep-1", session(1))); err != nil {
		t.Fatal(err)
	}
	takes[*proto.PreparationStatus](d, "prep-1")
	ready := takes[*proto.PreparationStatus](d, "prep-1")
	d.release("prep-1", ready.Handle)
	d.accepts(transferA, setupCommand("make"))
	d.prepared(transferA, setupRefusal(proto.CodeResourceUnavailable))
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, writeReady())
	d.accepts(transferA, writeCommit())
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted})
}

// behaviour 7.1: steps that break a rule end the transfer with one final rejection; nothing is applied.
func TestSetupStepFaults(t *testing.T) {
	t.Parallel()
	budgeted, placed := setupChunk(0, "abc"), setupCommit()
	budgeted.BudgetMS, placed.Offset = 1000, 3
	for name, steps := range map[string][]*proto.RuntimePrepare{
		"chunk with a budget":   {budgeted},
		"chunk without data":    {{Step: proto.StepChunk}},
		"chunk of 64 KiB and 1": {setupChunk(0, strings.Repeat("x", proto.MaxChunk+1))},
		"past 50 MiB":           {setupChunk(proto.MaxTransfer, "x")},
		"commit with an offset": {setupChunk(0, "abc"), placed},
		"unknown step":          {{Step: "next"}},
		"wrong offset":          {setupChunk(1, "bc")},
		"more than declared":    {setupChunk(0, "abcd")},
		"short body":            {setupChunk(0, "ab"), setupCommit()},
		"wrong digest":          {setupChunk(0, "xyz"), setupCommit()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			setup := &fakeSetup{}
			d := newDesk(t, withSetup(setup))
			d.accepts(transferA, setupFile("/workspace/file", "abc"))
			d.prepared(transferA, setupReady())
			for i, step := range steps {
				d.accepts(transferA, step)
				if i < len(steps)-1 {
					takes[*proto.RuntimePrepareResult](d, transferA)
				}
			}
			d.prepared(transferA, setupRefusal(proto.CodeInvalidRequest))
			d.dropped(transferA, setupCommit())
			d.runs(transferB, setupCommand("next"))
			d.prepared(transferB, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted})
			d.empty()
			if fmt.Sprint(setup.applied) != "[next]" {
				t.Errorf("got %v applied, want only the one after", setup.applied)
			}
		})
	}
}

// wire 3.8.5: initialize has no chunks.
func TestSetupChunkForNoBody(t *testing.T) {
	t.Parallel()
	setup := &fakeSetup{}
	d := newDesk(t, withSetup(setup))
	d.accepts(transferA, setupCommand("make"))
	d.prepared(transferA, setupReady())
	d.accepts(transferA, setupChunk(0, "x"))
	d.prepared(transferA, setupRefusal(proto.CodeInvalidRequest))
	if len(setup.applied) > 0 {
		t.Errorf("got %v applied, want nothing", setup.applied)
	}
}

// behaviour 7.1: an answer that could not be sent cancels the transfer.
func TestSetupAnswerNotDelivered(t *testing.T) {
	t.Parallel()
	setup := &fakeSetup{}
	d := newDesk(t, withSetup(setup))
	close(d.refuse)
	d.accepts(transferA, setupCommand("make"))
	d.shutdown()
	if len(setup.applied) > 0 {
		t.Errorf("got %v applied, want nothing", setup.applied)
	}
}
