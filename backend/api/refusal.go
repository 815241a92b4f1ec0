package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"parley/backend/core"
	"parley/backend/store"
)

// Code names one condition of the API. The spelling is stable.
type Code string

// Codes of refusals and failures (behaviour 8.6). Beside the first, conflict_error and idempotency_conflict,
// request_too_large and internal_error the names are ours.
const (
	codeInvalidBeta        Code = "invalid_beta"
	codeInvalidKey         Code = "invalid_api_key"
	codeInvalidIdempotency Code = "invalid_idempotency_key"
	codeMediaType          Code = "unsupported_media_type"
	codeTooLarge           Code = "request_too_large"
	codeTimeout            Code = "request_timeout"
	codeBroken             Code = "request_incomplete"
	codeUTF8               Code = "invalid_utf8"
	codeJSON               Code = "invalid_json"
	codeDuplicate          Code = "duplicate_parameter"
	codeRoot               Code = "invalid_root"
	codeUnknown            Code = "unknown_parameter"
	codeInvalid            Code = "invalid_value"
	codeNotFound           Code = "not_found"
	codeConflict           Code = "conflict_error"
	codeIdempotency        Code = "idempotency_conflict"
	codeFull               Code = "storage_full"
	codeBusy               Code = "storage_busy"
	codeInternal           Code = "internal_error"
	codeInterrupted        Code = "stream_interrupted"
)

// Row is one line of the table of codes.
type Row struct {
	Code   Code
	Status int // HTTP; 200 for what is told inside a stream
	Type   string
	When   string
}

// Types of errors.
const (
	typeRequest    = "invalid_request_error"
	typeKey        = "authentication_error"
	typePermission = "permission_error"
	typeMissing    = "not_found_error"
	typeConflict   = "conflict_error"
	typeServer     = "server_error"
)

// Codes is the one table of the API's codes.
func Codes() []Row {
	return []Row{
		{codeInvalidBeta, http.StatusBadRequest, typeRequest, "OpenAI-Beta is not agents=v1 exactly once; asked before the key"},
		{codeInvalidKey, http.StatusUnauthorized, typeKey, "no API key as bearer, or one that is not valid"},
		{codeInvalidIdempotency, http.StatusBadRequest, typeRequest, "Idempotency-Key is empty, longer than 128 bytes or there twice"},
		{codeMediaType, http.StatusUnsupportedMediaType, typeRequest, "the body is not announced as application/json"},
		{codeTooLarge, http.StatusRequestEntityTooLarge, typeRequest, "the body is larger than the route takes"},
		{codeTimeout, http.StatusRequestTimeout, typeRequest, "the body was not complete within five seconds"},
		{codeBroken, http.StatusBadRequest, typeRequest, "the body ended early"},
		{codeUTF8, http.StatusBadRequest, typeRequest, "the body is not UTF-8"},
		{codeJSON, http.StatusBadRequest, typeRequest, "the body is not one JSON value, or is nested too deeply"},
		{codeDuplicate, http.StatusBadRequest, typeRequest, "a name stands twice in an object of the body"},
		{codeRoot, http.StatusBadRequest, typeRequest, "the body is not an object"},
		{codeUnknown, http.StatusBadRequest, typeRequest, "a member of the body or a query parameter that the route does not know; param names it"},
		{codeInvalid, http.StatusBadRequest, typeRequest, "a value that cannot be taken; param names it"},
		{codeNotFound, http.StatusNotFound, typeMissing, "nothing has this id or address"},
		{codeConflict, http.StatusConflict, typeConflict, "it does not go with what is stored; nothing was changed"},
		{codeIdempotency, http.StatusConflict, typeConflict, "the Idempotency-Key belongs to another request"},
		{codeFull, http.StatusInsufficientStorage, typeServer, "the disk is full; nothing was stored"},
		{codeBusy, http.StatusServiceUnavailable, typeServer, "another program keeps the database from being written; nothing was stored"},
		{codeInternal, http.StatusInternalServerError, typeServer, "something failed inside; the cause is in the log"},
		{codeInterrupted, http.StatusOK, typeServer, "only in a stream: its reader was too slow, or the lab stops; go on with ?after= the last id"},
	}
}

func rowFor(code Code) Row {
	for _, row := range Codes() {
		if row.Code == code {
			return row
		}
	}
	return Row{Code: codeInternal, Status: http.StatusInternalServerError, Type: typeServer}
}

// refusal is a request that is not done, with what the sender is told.
type refusal struct {
	code    Code
	message string
	param   string
	cause   error
}

func (e *refusal) Error() string {
	if e.cause != nil {
		return e.message + ": " + e.cause.Error()
	}
	return e.message
}

func (e *refusal) Unwrap() error { return e.cause }

func refuse(code Code, message string) error { return &refusal{code: code, message: message} }

func refuseParam(code Code, param, message string) error {
	return &refusal{code: code, message: param + ": " + message, param: param}
}

// judge translates any error once.
func judge(err error) *refusal {
	var known *refusal
	var wrong *core.InvalidError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &wrong) && wrong.Unknown:
		return &refusal{code: codeUnknown, message: wrong.Error(), param: wrong.Param}
	case errors.As(err, &wrong):
		return &refusal{code: codeInvalid, message: wrong.Error(), param: wrong.Param}
	}
	for _, row := range []struct {
		err  error
		code Code
	}{
		{store.ErrNotFound, codeNotFound}, {store.ErrIdempotency, codeIdempotency}, {store.ErrConflict, codeConflict},
		{store.ErrTooMany, codeConflict}, {store.ErrUnfit, codeInvalid}, {store.ErrFull, codeFull}, {store.ErrBusy, codeBusy},
	} {
		if errors.Is(err, row.err) {
			return &refusal{code: row.code, message: err.Error()}
		}
	}
	return &refusal{code: codeInternal, message: "the lab could not do this; the cause is in its log", cause: err}
}

// fail answers with what became of a request.
func (a *API) fail(c *call, err error) {
	if errors.Is(err, context.Canceled) && c.context().Err() != nil {
		return // nobody is there to be told
	}
	r := judge(err)
	row := rowFor(r.code)
	if row.Status >= http.StatusInternalServerError {
		a.log.Error("request of the public API failed", "method", c.r.Method, "path", c.r.URL.Path, "error", err)
	}
	writeRefusal(c.w, row.Status, errorDocument{Message: r.message, Type: row.Type, Code: string(r.code), Param: orNull(r.param)})
}

// errorDocument is the error of an answer and of a stream (behaviour 8.6).
type errorDocument struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Param   *string `json:"param"`
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func writeRefusal(w http.ResponseWriter, status int, e errorDocument) {
	_ = writeJSON(w, status, map[string]errorDocument{"error": e}) // whoever went away cannot be told
}

// Refuse answers in the API's words for what the server itself refuses: an address or a method that does not exist, and
// a request that another site sent.
func (a *API) Refuse(w http.ResponseWriter, status int, code, message string) {
	setHeaders(w.Header())
	kind := typeRequest
	switch {
	case status == http.StatusNotFound:
		kind = typeMissing
	case status == http.StatusForbidden:
		kind = typePermission
	case status >= http.StatusInternalServerError:
		kind = typeServer
	}
	writeRefusal(w, status, errorDocument{Message: message, Type: kind, Code: code})
}

func writeJSON(w http.ResponseWriter, status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // whoever went away cannot be told
	return nil
}
