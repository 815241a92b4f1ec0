package frontend

func sessionsPage(v SessionsView) page {
	p := page{Lab: v.Lab, Screen: ScreenSessions, Heading: "Sessions", Script: "page.js"}
	switch {
	case v.Error != "":
		p.State = Badge{ToneProblem, "problem", "Not read"}
		p.Says = "The list of Sessions could not be read."
	case len(v.Rows) == 0 && v.First:
		p.State = Badge{ToneNeutral, "unchecked", "Empty"}
		p.Says = "No Session yet."
	default:
		p.State = Badge{ToneNeutral, "session", countOf(len(v.Rows), "Session")}
		p.Says = "On this page, newest first."
	}
	p.Status = p.Says
	return p
}

func sessionPage(v SessionView) page {
	return page{Lab: v.Lab, Screen: ScreenSessions, Heading: short(v.Agent.Name), Code: v.ID, State: v.State.badge(), Says: v.says(),
		Status: v.says(), Script: "page.js"}
}

// runtimes is the view that words the device of a Session.
func (v SessionView) runtimes() RuntimesView { return RuntimesView{Lab: v.Lab, Now: v.Now} }
