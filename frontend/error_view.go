package frontend

// ErrorView is a page about something that did not work. The five texts answer: what failed, why, what that means for
// the data, and what to do next.
type ErrorView struct {
	Lab    Lab
	Status int    // HTTP status
	Code   string // stable code that support can search for
	What   string // one sentence: what failed
	Why    string // the cause as far as it is known
	Means  string // what it means for the data; "" when nothing was at stake
	Next   []Link // next acts, the first is the main one
}

// Link is a place inside the lab and its words.
type Link struct {
	Path string
	Word string
}
