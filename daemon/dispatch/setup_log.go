package dispatch

import (
	"fmt"
	"log/slog"
	"time"

	"parley/daemon/environment"
	"parley/daemon/proto"
)

// maxLoggedError bounds an error in the log, in characters. Handlers quote it.
const maxLoggedError = 512

// logSetup tells how an initialization ended. What commands wrote is in no log, and what the peer named, such as paths in
// the workspace, only in the lines for debugging.
func logSetup(log *slog.Logger, begin *proto.RuntimePrepare, result *proto.RuntimePrepareResult, outcome environment.Outcome, took time.Duration) {
	about := []any{"action", setupAction(begin), "outcome", result.Outcome, "exit_code", outcome.ExitCode,
		"error_code", result.ErrorCode, "took", took.Round(time.Millisecond),
		"size_bytes", begin.SizeBytes, "tail_bytes", len(outcome.Tail)}
	log.Info("initialization ended", about...)
	if len(outcome.LeftBehind) > 0 {
		log.Warn("initialization left processes behind that were not ended", "action", setupAction(begin), "pids", outcome.LeftBehind)
	}
	if outcome.Err != nil {
		log.Debug("error of an initialization", "error", fmt.Sprintf("%.*s", maxLoggedError, outcome.Err.Error()))
	}
}

// setupAction is the action with the kind of an initialize step, both words of the wire (wire 3.8.2).
func setupAction(begin *proto.RuntimePrepare) string {
	if begin.Initialization == nil {
		return begin.Action
	}
	return begin.Action + " " + begin.Initialization.Action
}
