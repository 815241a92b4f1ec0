package frontend

// Lab is what every page knows about the program that serves it.
type Lab struct {
	Version  string // of the program, as `parley version` says it; part of a copied report
	Platform string // operating system and architecture, "linux/amd64"
	Address  string // host and port that are listened on, "127.0.0.1:7007"

	Core     bool      // Runtimes can connect: there is a screen for them
	Sessions bool      // there are Sessions, and screens for them
	Rail     RailState // what the rail says of them; zero where nobody asked
}

// Screen names one entry of the rail. Only screens that work are listed.
type Screen string

// The screens that exist.
const (
	ScreenSessions Screen = "sessions"
	ScreenRunner   Screen = "runner"
	ScreenHistory  Screen = "runs"
	ScreenRuntimes Screen = "runtimes"
	ScreenNone     Screen = "" // a page that belongs to no screen: an error, the sign-in page
)

// screenLink is one entry of the rail and of the palette.
type screenLink struct {
	Screen Screen
	Path   string
	Word   string
	Icon   string
}

func screens(lab Lab) []screenLink {
	var list []screenLink
	if lab.Sessions {
		list = append(list, screenLink{ScreenSessions, "/sessions", "Sessions", "session"})
	}
	list = append(list,
		screenLink{ScreenRunner, "/runner", "Runner", "runner"},
		screenLink{ScreenHistory, "/runs", "History", "history"},
	)
	if lab.Core {
		list = append(list, screenLink{ScreenRuntimes, "/runtimes", "Runtimes", "plug"})
	}
	return list
}
