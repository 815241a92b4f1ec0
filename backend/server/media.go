package server

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
)

// shownMedia bounds what of a sender's Content-Type an answer repeats, in bytes before quoting.
const shownMedia = 100

// mediaError is errMediaType with what was sent.
type mediaError struct {
	want  string
	found []string // the Content-Type headers as they came
}

func (e *mediaError) Error() string {
	return fmt.Sprintf("expected %s, found %s", e.want, e.announced())
}

func (e *mediaError) Unwrap() error { return errMediaType }

// announced words what was sent in printable ASCII.
func (e *mediaError) announced() string {
	switch {
	case len(e.found) == 0 || len(e.found) == 1 && e.found[0] == "":
		return "none"
	case len(e.found) > 1:
		return fmt.Sprintf("%d headers", len(e.found))
	case len(e.found[0]) > shownMedia:
		return strconv.QuoteToASCII(e.found[0][:shownMedia]) + " and more"
	}
	return strconv.QuoteToASCII(e.found[0])
}

// announces compares the media type; parameters and case do not matter (runner 7.1).
func announces(r *http.Request, media string) bool {
	types := r.Header["Content-Type"]
	if len(types) != 1 {
		return false
	}
	if types[0] == media {
		return true
	}
	found, _, err := mime.ParseMediaType(types[0])
	return err == nil && found == media
}
