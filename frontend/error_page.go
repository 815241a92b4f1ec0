package frontend

import "strconv"

func errorPage(v ErrorView) page {
	return page{
		Lab: v.Lab, Screen: ScreenNone, Heading: "Not shown",
		State: Badge{ToneProblem, "problem", strconv.Itoa(v.Status)}, Says: v.What, Status: v.What, Script: "page.js",
	}
}

// NotFound is the page for an address that leads nowhere. what names the missing thing, "record 3f9c".
func NotFound(lab Lab, what, why string) ErrorView {
	return ErrorView{
		Lab: lab, Status: 404, Code: "not_found", What: "There is no " + what + " here.", Why: why,
		Next: []Link{{"/runner", "Open the runner lab"}, {"/runs", "Look in the history"}},
	}
}
