package frontend

import "parley/runner"

// words are what the history calls acts and verdicts, for records that the palette gets as JSON.
type words struct {
	Acts     map[Act]string    `json:"acts"`
	Verdicts map[string]string `json:"verdicts"` // by act and verdict, "run success"; a run's exit code is not in it
}

func wordsJSON() string {
	list := words{Acts: map[Act]string{}, Verdicts: map[string]string{}}
	for act, verdicts := range verdictsOf() {
		list.Acts[act] = act.word()
		for _, v := range verdicts {
			list.Verdicts[string(act)+" "+v] = badgeOf(RowFacts{Act: act, Verdict: v}).Word
		}
	}
	return compactJSON(list)
}

// verdictsOf lists what each act can end with.
func verdictsOf() map[Act][]string {
	return map[Act][]string{
		ActNegotiate: {string(runner.Compatible), string(runner.VersionUnsupported), string(runner.CapUnsupported), string(runner.RequestInvalid)},
		ActValidate:  {string(runner.UnitReady), string(runner.UnitRejected)},
		ActRun: {
			string(runner.Success), string(runner.EvaluationFailure), string(runner.InfrastructureFailure),
			string(runner.Cancelled), string(runner.Timeout), string(runner.UnsupportedCapability), string(runner.InvalidInput),
		},
	}
}
