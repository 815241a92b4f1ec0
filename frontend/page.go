package frontend

// page is what the shell around every screen needs.
type page struct {
	Lab     Lab
	Screen  Screen
	Heading string // names the thing
	Code    string // its id, shown beside the heading; "" none
	State   Badge  // its state in a word
	Says    string // its state in a sentence
	Status  string // first text of the status line
	Script  string // module that the page loads; "" none
}

// title holds the state, so that a tab or a window list tells it.
func (p page) title() string {
	name := p.Heading
	if p.State.Word != "" {
		name = p.State.Word + " – " + name
	}
	return name + " – Parley"
}

func (p page) current(s Screen) bool { return p.Screen == s && s != ScreenNone }
