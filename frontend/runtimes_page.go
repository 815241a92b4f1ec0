package frontend

func runtimesPage(v RuntimesView) page {
	p := page{Lab: v.Lab, Screen: ScreenRuntimes, Heading: "Runtimes", Status: "Kept up to date while this page is open.", Script: "page.js"}
	switch {
	case v.Error != "":
		p.State = Badge{ToneProblem, "problem", "Not read"}
		p.Says = "The list of Runtimes could not be read."
	case len(v.Runtimes) == 0:
		p.State = Badge{ToneNeutral, "unchecked", "Empty"}
		p.Says = "No Runtime may connect yet."
	default:
		p.State = v.verdict().Badge
		p.Says = v.counts()
	}
	return p
}
