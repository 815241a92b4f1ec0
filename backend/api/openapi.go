package api

import (
	_ "embed" // the description
	"net/http"
)

//go:generate go test -run TestDescriptionIsPublished -write-docs

//go:embed openapi.json
var description []byte

// Description is the API in OpenAPI 3.1. The caller does not change it.
func Description() []byte { return description }

// OpenAPI answers GET /v1/openapi.json. It needs no key: nothing of the user's is there.
func (a *API) OpenAPI(w http.ResponseWriter, _ *http.Request) {
	setHeaders(w.Header())
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(description) // whoever went away cannot be told
}
