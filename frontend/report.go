package frontend

import (
	"encoding/json"
	"strconv"

	"parley/runner"
)

// ReportOf builds the report of one act from the bytes that were stored for it. Bytes that are no document of the act
// give a report that says so; nothing is made up.
func ReportOf(lab Lab, r Record) ReportView {
	v := ReportView{Lab: lab, Record: r}
	switch r.Act {
	case ActNegotiate:
		v.readNegotiation()
	case ActValidate:
		v.readUnit()
	case ActRun:
		v.readTerminal()
	}
	if v.Verdict.Line == "" {
		v.unknownAnswer()
	}
	v.Copy = reportText(v)
	return v
}

// RecordOf builds the page of one stored record.
func RecordOf(lab Lab, r Record) RecordView {
	return RecordView{
		Lab: lab, Record: r, Report: ReportOf(lab, r),
		RequestDigest: digest(r.Request), AnswerDigest: digest(r.Answer),
	}
}

func (v *ReportView) unknownAnswer() {
	v.Verdict = Verdict{
		Badge: Badge{ToneProblem, "problem", "Unknown answer"},
		Line:  "The answer is not a document of this act.",
		More:  "It is kept exactly as received. Whether anything was executed is not known from it.",
	}
	v.State = "The answer could not be read; export it to look at the bytes."
	v.Row = RecordRow{ID: v.Record.ID, At: v.Record.At, Act: v.Record.Act, Badge: v.Verdict.Badge}
}

// decode reads an answer document and tells whether it is of the wanted kind.
func decode[T any](data []byte, kind string, kindOf func(*T) string) (*T, bool) {
	doc := new(T)
	if err := json.Unmarshal(data, doc); err != nil || kindOf(doc) != kind {
		return nil, false
	}
	return doc, true
}

func (v *ReportView) settle(verdict Verdict, state string, facts RowFacts) {
	v.Verdict, v.State = verdict, state
	facts.ID, facts.At, facts.Act = v.Record.ID, v.Record.At, v.Record.Act
	v.Row = RowOf(facts)
	v.Row.Badge = verdict.Badge
}

// zeroCalls is the proof that nothing was executed or spent, said with every check and validation.
const zeroCalls = "0 engine calls."

// reason says in words why there is a refusal, with the code behind it for those who search; "" when none is given.
func reason(list []runner.Diagnostic) string {
	if len(list) == 0 {
		return ""
	}
	code := list[0].Code
	name := short(string(code))
	if means := code.Means(); means != string(code) {
		return means + " (" + name + ")"
	}
	return name
}

func unitName(s *runner.Selection) string {
	if s == nil {
		return ""
	}
	return short(s.Task) + ", trial " + strconv.Itoa(s.Trial) + ", attempt " + strconv.Itoa(s.Attempt)
}
