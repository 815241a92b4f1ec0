package frontend

import "strconv"

func recordPageOf(v RecordView) page {
	return page{
		Lab: v.Lab, Screen: ScreenHistory, Heading: v.Record.Act.noun() + " record", Code: v.Record.ID,
		State: v.Report.Verdict.Badge, Says: v.Report.State, Status: "Stored record, read only.", Script: "page.js",
	}
}

func exactSize(n int) string {
	if n < 1000 {
		return size(n)
	}
	return size(n) + " (" + strconv.Itoa(n) + " bytes)"
}
