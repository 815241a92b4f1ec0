package frontend

import "strconv"

func errorPage(v ErrorView) page {
	return page{
		Lab: v.Lab, Screen: ScreenNone, Heading: "Not shown",
		State: Badge{ToneProblem, "problem", strconv.Itoa(v.Status)}, Says: v.What, Status: v.What, Script: "page.js",
	}
}
