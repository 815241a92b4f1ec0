package server

import "net/http"

// contentPolicy allows what the lab's own files need and nothing else: no inline script or style, no other host, no
// frame around it (hostile-inputs 2 and U-1).
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// setHeaders gives an answer the headers that make it unreadable and inert elsewhere. Handlers of assets replace
// Cache-Control. The slices are made anew each time: net/http owns them afterwards.
func setHeaders(h http.Header) {
	values := [...]string{"nosniff", "same-origin", contentPolicy, "no-referrer", "same-origin", "no-store"}
	h["X-Content-Type-Options"] = values[0:1:1]
	h["Cross-Origin-Resource-Policy"] = values[1:2:2]
	h["Content-Security-Policy"] = values[2:3:3]
	h["Referrer-Policy"] = values[3:4:4]
	h["Cross-Origin-Opener-Policy"] = values[4:5:5]
	h["Cache-Control"] = values[5:6:6]
}
