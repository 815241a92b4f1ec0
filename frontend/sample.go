package frontend

// Sample is a request document that ships with the program. Its address is /runner/{Name}.
type Sample struct {
	Name  string // name in the address, ^[a-z0-9][a-z0-9-]{0,63}$
	Title string // two to five words for a menu
	About string // one sentence: what happens with it
	Body  []byte // exact document text
}
