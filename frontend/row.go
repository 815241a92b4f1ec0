package frontend

import (
	"strconv"

	"parley/runner"
)

// RowOf words the columns that a store keeps as one line of a history.
func RowOf(f RowFacts) RecordRow {
	row := RecordRow{ID: f.ID, At: f.At, Act: f.Act, Badge: badgeOf(f)}
	if f.Calls != nil {
		row.Calls = strconv.Itoa(*f.Calls)
	}
	if f.Task != "" {
		row.Unit = short(f.Task)
		if f.Trial > 0 {
			row.Unit += ", " + strconv.Itoa(f.Trial)
		}
	}
	return row
}

// badgeOf gives the icon and words of a status or outcome word. An unknown word is shown as it is stored.
func badgeOf(f RowFacts) Badge {
	exit := ""
	if f.Exit != nil {
		exit = ", exit " + strconv.Itoa(*f.Exit)
	}
	switch f.Verdict {
	case string(runner.Compatible):
		return Badge{ToneOK, "ok", "Compatible"}
	case string(runner.VersionUnsupported):
		return Badge{ToneProblem, "problem", "Not compatible: version"}
	case string(runner.CapUnsupported): // also the outcome of a run, then with an exit
		if f.Act == ActRun {
			return Badge{ToneProblem, "problem", "Unsupported" + exit}
		}
		return Badge{ToneProblem, "problem", "Not compatible"}
	case string(runner.RequestInvalid):
		return Badge{ToneProblem, "problem", "Invalid request"}
	case string(runner.UnitReady):
		return Badge{ToneOK, "ok", "Ready"}
	case string(runner.UnitRejected):
		return Badge{ToneProblem, "problem", "Rejected"}
	case string(runner.Success):
		return Badge{ToneOK, "ok", "Success" + exit}
	case string(runner.EvaluationFailure):
		return Badge{ToneCaution, "warn", "Evaluation failure" + exit}
	case string(runner.InfrastructureFailure):
		return Badge{ToneProblem, "problem", "Infrastructure failure" + exit}
	case string(runner.Cancelled):
		return Badge{ToneNeutral, "cancelled", "Cancelled" + exit}
	case string(runner.Timeout):
		return Badge{ToneNeutral, "clock", "Timeout" + exit}
	case string(runner.InvalidInput):
		return Badge{ToneProblem, "problem", "Invalid input" + exit}
	case "":
		return Badge{ToneNeutral, "unchecked", "Unknown"}
	}
	return Badge{ToneNeutral, "unchecked", short(f.Verdict)}
}
