package gateway

import (
	"net/http"
	"strings"
)

// bearer takes the credential from a request: the scheme word and one space exactly, the rest trimmed (behaviour 2.1). It
// is "" where there is none, or more than one header.
func bearer(header http.Header) string {
	values := header["Authorization"]
	if len(values) != 1 {
		return ""
	}
	token, ok := strings.CutPrefix(values[0], "Bearer ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(token)
}

// presentBearer is bearer for the routes that refuse its absence by a code of its own.
func presentBearer(r *http.Request, what string) (string, error) {
	token := bearer(r.Header)
	if token == "" {
		return "", refuse(codeMissingBearer, "expected the header Authorization: Bearer and "+what)
	}
	return token, nil
}
