package frontend

import (
	"parley/runner"
)

func (v *ReportView) readUnit() {
	doc, ok := decode(v.Record.Answer, runner.KindUnit, func(r *runner.Receipt) string { return r.Kind })
	if !ok {
		return
	}
	v.Unit = &UnitView{
		Compatible: doc.Compatibility.Status, Validation: doc.Validation, Calls: doc.EngineCalls,
		Requested: doc.Requested, Resolved: doc.Resolved, Identity: identityOf(doc.Identity),
	}
	v.Diagnostics = doc.Diagnostics
	exit, calls := doc.ExitCode(), doc.EngineCalls
	facts := RowFacts{Verdict: string(doc.Status), Exit: &exit, Calls: &calls}
	if doc.Requested != nil {
		facts.Task, facts.Trial = doc.Requested.Task, doc.Requested.Trial
	}
	v.settle(unitVerdict(doc), unitState(doc), facts)
}

func unitVerdict(r *runner.Receipt) Verdict {
	if r.Status == runner.UnitReady {
		return Verdict{
			Badge: Badge{ToneOK, "ok", "Ready"},
			Line:  "Ready: this is exactly one unit, no adjacent work.",
			More:  zeroCalls + " Derived from the input; not evidence of execution.",
		}
	}
	why := reason(r.Diagnostics)
	if why == "" {
		why = "no reason given"
	}
	return Verdict{
		Badge: Badge{ToneProblem, "problem", "Rejected"},
		Line:  "Rejected: " + why + ".",
		More:  zeroCalls + " " + rejectedAt(r) + " Nothing was executed.",
	}
}

func rejectedAt(r *runner.Receipt) string {
	switch {
	case r.Compatibility.Status == runner.RequestInvalid:
		return "The text is not a complete request, so the captured work was not read."
	case r.Compatibility.Status != runner.Compatible:
		return "The request is not compatible with this runner, so the captured work was not read."
	}
	return "The request is compatible, but the captured work does not admit this unit."
}

func unitState(r *runner.Receipt) string {
	if r.Status == runner.UnitReady {
		return unitName(r.Resolved) + " is valid and exactly one unit; it was not run by this."
	}
	return "The unit was rejected; nothing was executed."
}

func identityOf(id *runner.Identity) *IdentityView {
	if id == nil {
		return nil
	}
	return &IdentityView{Version: id.Version, Digest: id.CanonicalDigest, Levels: []IdentityLevel{
		{"run", id.Run}, {"shard", id.Shard}, {"task", id.Task}, {"trial", id.Trial}, {"attempt", id.Attempt},
	}}
}
