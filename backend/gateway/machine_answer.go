package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"parley/daemon/proto"
)

const (
	// MaxMachineBody bounds the body of a request, in bytes.
	MaxMachineBody = proto.MaxBootstrapRequest
	// bodyTime is how long a body may take to arrive (hostile-inputs H-4).
	bodyTime = 5 * time.Second
)

// refusal is the body of every answer that is no success (behaviour 2).
type refusal struct {
	Error  MachineCode `json:"error"`
	Detail string      `json:"detail"`
}

// serve answers one request with what do gives, after the questions that every route asks first: is it the method, and
// can a body be bounded.
func (m *Machine) serve(w http.ResponseWriter, r *http.Request, method string, do func() (any, error)) {
	document, err := any(nil), m.begin(w, r, method)
	if err == nil {
		document, err = do()
	}
	var no *refused
	switch {
	case err == nil && document != nil:
		writeJSON(w, http.StatusOK, document)
	case errors.As(err, &no):
		if no.cause != nil && r.Context().Err() == nil {
			m.log.Error("machine request failed", "path", r.URL.Path, "code", string(no.code), "error", no.cause)
		}
		m.noteRefusal(r, no)
		writeJSON(w, statusOf(no.code), refusal{no.code, no.detail})
	}
}

func (m *Machine) begin(w http.ResponseWriter, r *http.Request, method string) error {
	if r.ContentLength != 0 {
		// Before anything is looked at: net/http reads the rest of a body that was refused.
		if err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
			return &refused{code: codeInternal, detail: "the reading of the body cannot be bounded", cause: err}
		}
	}
	if r.Method != method {
		w.Header().Set("Allow", method)
		return refuse(codeMethod, "expected "+method+", found "+strconv.QuoteToASCII(shorten(r.Method)))
	}
	return nil
}

// NotFound answers for an address among the machine connection's that does not exist.
func (m *Machine) NotFound(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, refusal{codeNoRoute, "no such route; docs/http.md lists them"})
}

// take reads a whole body. Its media type does not matter.
func take(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxMachineBody))
	if err != nil {
		w.Header().Set("Connection", "close") // the rest is not waited for
		return nil, refuse(codeBadJSON, fmt.Sprintf("expected a body of at most %d bytes within %s", MaxMachineBody, bodyTime))
	}
	// Where the deadline cannot be lifted the connection ends by it; this answer is not concerned.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return data, nil
}

func writeJSON(w http.ResponseWriter, status int, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // the documents of this package always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that went away cannot be told
}

// shorten bounds what of a sender's text an answer repeats.
func shorten(text string) string { return text[:min(len(text), 64)] }
