package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/environment"
	"parley/daemon/proto"
)

func withLog(into *bytes.Buffer, level slog.Level) func(*dispatch.Config) {
	return func(config *dispatch.Config) {
		config.Log = slog.New(slog.NewTextHandler(into, &slog.HandlerOptions{Level: level}))
	}
}

// behaviour 7.1: the log knows how a step ended, not what it wrote or where it worked.
func TestSetupLogHoldsNoContent(t *testing.T) {
	t.Parallel()
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			d := newDesk(t, withRealSetup(t), withLog(&log, level))
			d.brings(transferA, setupFile("/workspace/secret-place/file", ""), "canary of a body")
			d.prepared(transferA, proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted, SizeBytes: 16})
			d.runs(transferA, setupCommand("cat secret-place/file; pwd; exit 7"))
			d.prepared(transferA, proto.RuntimePrepareResult{Outcome: proto.OutcomeFailed, ExitCode: 7, ErrorCode: proto.CodePreparationFailedRuntime})
			d.runs(transferA, initialize(proto.Initialization{Action: proto.InitSetup, Command: "true", Cwd: "/workspace/secret-folder"}))
			d.prepared(transferA, setupRefusal(proto.CodePreparationRejected))
			d.shutdown()
			if strings.Contains(log.String(), "canary") {
				t.Errorf("got content in the log:\n%s", &log)
			}
			if got := strings.Contains(log.String(), "secret-folder"); got != (level == slog.LevelDebug) {
				t.Errorf("path in the log: got %v:\n%s", got, &log)
			}
			if got := strings.Contains(log.String(), d.files.Dir()); got && level == slog.LevelInfo {
				t.Errorf("got the workspace in the log:\n%s", &log)
			}
			for _, row := range []string{
				"action=file outcome=completed exit_code=0", "size_bytes=16",
				`action="initialize setup" outcome=failed exit_code=7 error_code=runtime_preparation_failed took=`,
				"outcome=rejected",
			} {
				if !strings.Contains(log.String(), row) {
					t.Errorf("log: got\n%s\nwant %q", &log, row)
				}
			}
		})
	}
}

// What a step left behind is named, whatever its outcome, and an error is cut.
func TestSetupLogNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, err := range []error{nil, errors.New(strings.Repeat("x", 4096))} {
		var log bytes.Buffer
		outcome := environment.Outcome{State: environment.Completed, LeftBehind: []int{4711, 4712}}
		want := proto.RuntimePrepareResult{Outcome: proto.OutcomeCompleted}
		if err != nil {
			outcome.State, outcome.Err = environment.Unknown, err
			want = proto.RuntimePrepareResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodePreparationUnconfirmed}
		}
		d := newDesk(t, withLog(&log, slog.LevelDebug), withSetup(&fakeSetup{run: func(context.Context) environment.Outcome { return outcome }}))
		d.runs(transferA, setupCommand("make"))
		d.prepared(transferA, want)
		d.shutdown()
		if !strings.Contains(log.String(), `level=WARN`) || !strings.Contains(log.String(), `pids="[4711 4712]"`) {
			t.Errorf("got\n%s\nwant both processes named", &log)
		}
		if strings.Contains(log.String(), strings.Repeat("x", 513)) {
			t.Errorf("got an error of %d bytes, want at most 512", strings.Count(log.String(), "x"))
		}
	}
}
