package lab

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
)

// Leading is the window's first page: it replaces itself by the lab. The toolkit has no option for a start address, and
// an HTTP redirect from its own scheme leaves the window blank.
func Leading(openURL string) http.Handler {
	address, err := json.Marshal(openURL)
	if err != nil { // a string always has a JSON form
		return Failed(err)
	}
	return page(fmt.Sprintf("<script>location.replace(%s)</script>", address))
}

// Failed is the window's page where there is no lab to show.
func Failed(err error) http.Handler {
	return page(fmt.Sprintf("<h1>The lab could not be opened</h1><pre>%s</pre>"+
		"<p>Start <code>parley doctor</code> in a terminal: it says what works on this machine and what to do about the rest.</p>",
		html.EscapeString(err.Error())))
}

func page(body string) http.Handler {
	text := `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Parley</title></head><body>` + body + `</body></html>`
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, text) // nobody is left to tell where the window itself is gone
	})
}
