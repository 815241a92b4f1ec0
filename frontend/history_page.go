package frontend

import "strconv"

func historyPage(v HistoryView) page {
	p := page{Lab: v.Lab, Screen: ScreenHistory, Heading: "History", Script: "page.js"}
	switch {
	case v.Error != "":
		p.State = Badge{ToneProblem, "problem", "Not read"}
		p.Says = "The list of records could not be read."
	case len(v.Rows) == 0:
		p.State = Badge{ToneNeutral, "unchecked", "Empty"}
		p.Says = "No record to show."
	case v.Total >= 0:
		p.State = Badge{ToneNeutral, "history", countOf(v.Total, "record")}
		p.Says = countOf(len(v.Rows), "record") + " on this page, newest first."
	default:
		p.State = Badge{ToneNeutral, "history", "Stored"}
		p.Says = countOf(len(v.Rows), "record") + " on this page, newest first."
	}
	p.Status = p.Says
	return p
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
