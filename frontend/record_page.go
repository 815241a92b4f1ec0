package frontend

import "strconv"

func recordPageOf(v RecordView) page {
	return page{
		Lab: v.Lab, Screen: ScreenHistory, Heading: recordHeading(v.Record.Act), Code: v.Record.ID,
		State: v.Report.Verdict.Badge, Says: v.Report.State, Status: "Stored record, read only.", Script: "page.js",
	}
}

// recordHeading names the act, so that a record of a check is not taken for one of a run.
func recordHeading(a Act) string {
	if a == ActNegotiate {
		return "Compatibility check record"
	}
	return a.noun() + " record"
}

func exactSize(n int) string {
	if n < 1000 {
		return size(n)
	}
	return size(n) + " (" + strconv.Itoa(n) + " bytes)"
}
