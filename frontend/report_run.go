package frontend

import (
	"fmt"
	"strconv"

	"parley/runner"
)

func (v *ReportView) readTerminal() {
	doc, ok := decode(v.Record.Answer, runner.KindTerminal, func(t *runner.Terminal) string { return t.Kind })
	if !ok {
		return
	}
	v.Run = runOf(doc, v.Record)
	v.Diagnostics = doc.Diagnostics
	facts := RowFacts{Verdict: string(doc.Outcome), Exit: &doc.ExitCode, Calls: &doc.EngineCalls}
	if doc.Selection != nil {
		facts.Task, facts.Trial = doc.Selection.Task, doc.Selection.Trial
	}
	v.settle(runVerdict(doc), runState(doc), facts)
}

func runOf(t *runner.Terminal, r Record) *RunView {
	v := &RunView{
		Outcome: t.Outcome, Exit: t.ExitCode, Boundary: t.FailureBoundary, Validation: t.Validation, Calls: t.EngineCalls,
		Elapsed: elapsed(r.Elapsed), Selection: t.Selection, Identity: identityOf(t.Identity),
	}
	if t.Observation != nil {
		v.Mode = t.Observation.ExecutionMode
		v.Checks = make([]CheckRow, 0, len(t.Observation.Validations))
		for _, c := range t.Observation.Validations {
			v.Checks = append(v.Checks, checkRow(c))
		}
	}
	v.Output, v.HasOutput = outputOf(r.Receipt)
	return v
}

// spoken is what a report takes from an internal receipt; everything else in it stays bytes.
type spoken struct {
	Kind        string `json:"kind"`
	Observation *struct {
		FinalOutput string `json:"final_output"`
	} `json:"observation"`
}

// outputOf reads the attempt's text from the internal receipt; the terminal itself never holds it (runner 2.6).
func outputOf(receipt []byte) (string, bool) {
	doc, ok := decode(receipt, runner.KindUnit, func(r *spoken) string { return r.Kind })
	if !ok || doc.Observation == nil {
		return "", false
	}
	return doc.Observation.FinalOutput, true
}

func checkRow(c runner.Check) CheckRow {
	row := CheckRow{
		Name: c.Identifier, Type: c.Type, Feedback: c.Feedback,
		Score: strconv.FormatFloat(c.Score, 'f', -1, 64),
		Badge: Badge{ToneOK, "ok", "Passed"},
	}
	if c.Type == "" {
		row.Type = "expectation" // runner 4.6: an expectation has no type
	}
	if !c.Passed {
		row.Badge = Badge{ToneCaution, "warn", "Failed"}
	}
	return row
}

const coversOne = "Covers this attempt only, no suite verdict."

// runVerdict words the seven outcomes in four tones: a failed check is a result and not an error, cancelled and timed
// out are neutral, the rest are problems that name their boundary as the place to look.
func runVerdict(t *runner.Terminal) Verdict {
	more := callsSentence(t) + " " + coversOne
	exit := ", exit " + strconv.Itoa(t.ExitCode)
	at := " at " + string(t.FailureBoundary)
	because := ""
	if why := reason(t.Diagnostics); why != "" {
		because = ": " + why
	}
	switch t.Outcome {
	case runner.Success:
		return Verdict{Badge{ToneOK, "ok", "Success" + exit}, "Success" + exit + ": " + checksSentence(t), more}
	case runner.EvaluationFailure:
		return Verdict{Badge{ToneCaution, "warn", "Evaluation failure" + exit},
			"Evaluation failure" + exit + ": " + checksSentence(t), "The work ran and a check said no. " + more}
	case runner.Cancelled:
		return Verdict{Badge{ToneNeutral, "cancelled", "Cancelled" + exit}, "Cancelled" + exit + at + because + ".", more}
	case runner.Timeout:
		return Verdict{Badge{ToneNeutral, "clock", "Timeout" + exit}, "Timeout" + exit + at + because + ".", more}
	case runner.InfrastructureFailure:
		return Verdict{Badge{ToneProblem, "problem", "Infrastructure failure" + exit},
			"Infrastructure failure" + exit + at + because + ".", more}
	case runner.UnsupportedCapability:
		return Verdict{Badge{ToneProblem, "problem", "Unsupported" + exit}, "Unsupported" + exit + at + because + ".", more}
	case runner.InvalidInput:
		return Verdict{Badge{ToneProblem, "problem", "Invalid input" + exit}, "Invalid input" + exit + at + because + ".", more}
	}
	return Verdict{}
}

func callsSentence(t *runner.Terminal) string {
	if t.EngineCalls == 0 {
		return "0 engine calls, nothing was executed."
	}
	if t.Observation == nil {
		return "One engine call."
	}
	s := "One engine call, " + t.Observation.ExecutionMode + " engine"
	if t.Observation.ExecutionMode == runner.ModeMock {
		s += ", free"
	}
	return s + "."
}

func checksSentence(t *runner.Terminal) string {
	if t.Observation == nil {
		return "no check is known."
	}
	passed, all := 0, len(t.Observation.Validations)
	for _, c := range t.Observation.Validations {
		if c.Passed {
			passed++
		}
	}
	switch {
	case all == 1 && passed == 1:
		return "the one check passed."
	case all == 1:
		return "the one check failed."
	case all == 2 && passed == 2:
		return "both checks passed."
	case all == passed:
		return fmt.Sprintf("all %d checks passed.", all)
	}
	return fmt.Sprintf("%d of %d checks failed.", all-passed, all)
}

func runState(t *runner.Terminal) string {
	switch {
	case t.Selection == nil:
		return "The run was refused; no engine was called."
	case t.EngineCalls == 0:
		return unitName(t.Selection) + " was admitted; no engine was called."
	case t.Observation != nil && t.Observation.ExecutionMode == runner.ModeMock:
		return unitName(t.Selection) + " was run once on the mock engine; free."
	}
	return unitName(t.Selection) + " was run once."
}
