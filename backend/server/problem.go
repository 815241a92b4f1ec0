package server

import (
	"errors"
	"net/http"

	"parley/backend/store"
)

// Code names one condition of the lab's own routes. The spelling is stable.
type Code string

// Codes of refusals and failures. The runner contract's routes have codes of their own (runner 2.9).
const (
	CodeNotLocal         Code = "not_local"
	CodeNoCredential     Code = "not_signed_in"
	CodeLinkSpent        Code = "link_spent"
	CodeNotFound         Code = "not_found"
	CodeMethodNotAllowed Code = "method_not_allowed"
	CodeBadRequest       Code = "bad_request"
	CodeActRunning       Code = "act_running"
	CodeConflict         Code = "conflict"
	CodeMediaType        Code = "media_type"
	CodeTooLarge         Code = "too_large"
	CodeBodyTimeout      Code = "body_timeout"
	CodeBodyBroken       Code = "body_broken"
	CodeStoreFull        Code = "store_full"
	CodeStoreDamaged     Code = "store_damaged"
	CodeInternal         Code = "internal"
)

// Row is one line of the table code, status, text.
type Row struct {
	Code   Code
	Status int
	What   string // what did not happen
	Why    string
	Next   string // what to do about it
}

// Codes is the one table of the lab's codes. Handlers name a code; nothing else decides status or text.
func Codes() []Row {
	return []Row{
		{CodeNotLocal, http.StatusForbidden, "The request was refused.",
			"The lab answers only to this machine and to its own pages.",
			"Type or paste the address into the browser; a link on another site cannot open the lab."},
		{CodeNoCredential, http.StatusUnauthorized, "The lab is not open in this browser.",
			"The request carries no valid credential of this lab.",
			"Run parley serve in a terminal: it opens the lab, or prints a fresh link if the lab already runs."},
		{CodeLinkSpent, http.StatusUnauthorized, "The link did not open the lab.",
			"A link works once, for two minutes and until the lab stops; this one was used before, is too old or belongs to another start or lab.",
			"Run parley serve in a terminal: it prints a fresh link if the lab already runs."},
		{CodeNotFound, http.StatusNotFound, "There is nothing at this address.",
			"No such route, page, record or draft exists in this lab.", "Check the address; docs/http.md lists every route."},
		{CodeMethodNotAllowed, http.StatusMethodNotAllowed, "The address does not take this method.",
			"The Allow header lists the methods it takes.", "Use one of those."},
		{CodeBadRequest, http.StatusBadRequest, "The request was not understood.",
			"A part of it has not the form that the route expects.", "See docs/http.md for the route."},
		{CodeActRunning, http.StatusConflict, "The act was not started.",
			"Another act with the same Parley-Act name is still running.", "Choose a new name for each act."},
		{CodeConflict, http.StatusConflict, "The act was not done.",
			"It does not go with how the thing stands now.", "Look at it as it is now, and do what fits."},
		{CodeMediaType, http.StatusUnsupportedMediaType, "The body was not read.",
			"It is not announced as the media type that the route takes.", "Set Content-Type as docs/http.md says."},
		{CodeTooLarge, http.StatusRequestEntityTooLarge, "The body was not taken.",
			"It is larger than the route takes.", "A request document has at most 4 MiB."},
		{CodeBodyTimeout, http.StatusRequestTimeout, "The body was not taken.",
			"It was not complete within five seconds.", "Send it again."},
		{CodeBodyBroken, http.StatusBadRequest, "The body was not taken.",
			"It ended early or its transfer was broken.", "Send it again."},
		{CodeStoreFull, http.StatusInsufficientStorage, "Nothing was stored.",
			"The disk is full.", "Free some space and do it again; reading still works."},
		{CodeStoreDamaged, http.StatusInternalServerError, "The store cannot be used for this.",
			"The database is damaged; nothing is written to it any more.",
			"Keep a copy of the data folder and start parley serve with another --data."},
		{CodeInternal, http.StatusInternalServerError, "The lab could not do this.",
			"Something failed inside it; the cause is in its log.", "Look at the terminal that runs parley serve."},
	}
}

func rowFor(code Code) Row {
	last := Row{}
	for _, row := range Codes() {
		if last = row; row.Code == code {
			return row
		}
	}
	return last // CodeInternal ends the table
}

// problem is an error with its code. Detail adds what this one request got wrong; it never holds a secret.
type problem struct {
	Code   Code
	Detail string
	cause  error
}

func (p *problem) Error() string {
	text := string(p.Code)
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	if p.cause != nil {
		text += ": " + p.cause.Error()
	}
	return text
}

func (p *problem) Unwrap() error { return p.cause }

func refuse(code Code, detail string) error { return &problem{Code: code, Detail: detail} }

// problemOf translates any error once.
func problemOf(err error) *problem {
	var known *problem
	if errors.As(err, &known) {
		return known
	}
	for _, row := range []struct {
		err  error
		code Code
	}{
		{store.ErrNotFound, CodeNotFound}, {store.ErrFull, CodeStoreFull}, {store.ErrDamaged, CodeStoreDamaged},
		{errMediaType, CodeMediaType}, {errTooLarge, CodeTooLarge}, {errTimeout, CodeBodyTimeout},
		{errInterrupted, CodeBodyBroken}, {errUnreadable, CodeBodyBroken},
	} {
		if errors.Is(err, row.err) {
			return &problem{Code: row.code, Detail: mediaDetail(err), cause: err}
		}
	}
	return &problem{Code: CodeInternal, cause: err}
}

func mediaDetail(err error) string {
	var media *mediaError
	if errors.As(err, &media) {
		return media.Error()
	}
	return ""
}

// message is what a JSON answer says: what, why, detail, next.
func (p *problem) message() string {
	row := rowFor(p.Code)
	text := row.What + " " + row.Why
	if p.Detail != "" {
		text += " (" + p.Detail + ")"
	}
	return text + " " + row.Next
}
