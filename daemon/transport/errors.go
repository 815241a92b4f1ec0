package transport

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Reasons for which a Runtime stops. Each comes inside a *PermanentError.
var (
	// ErrIncompatibleVersion: Core speaks another version of the wire. One of the two programs has to be replaced.
	ErrIncompatibleVersion = errors.New("incompatible version: Core does not speak wire version " + proto.Version)
	// ErrRetired: Core deleted this Runtime or took its credential back. It needs a new profile.
	ErrRetired = errors.New("this Runtime is retired or its credential revoked; it needs a new profile: parley core device create")
	// ErrResumeMismatch: after a planned reconnection Core did not begin with the resume of this suspension.
	ErrResumeMismatch = errors.New("first frame after a suspension is not the resume of that suspension")
)

// ErrReplaced ends a connection and not the Runtime: another Runtime connected as the same device (behaviour 3.4).
var ErrReplaced = errors.New("another Runtime connected with this profile; each Runtime needs its own: parley core device create")

// Reasons for which bootstrap reached no Core.
var (
	// ErrNoAnswer: nothing took the connection, or nothing answered on it.
	ErrNoAnswer = errors.New("start the lab (parley serve), or make the profile again if it moved")
	// ErrNotCore: something answered that is no Core, or at another address than Core's.
	ErrNotCore = errors.New("not a Core: server_url must be the address of a lab and end in " + apiRoot)
)

// PermanentError says that connecting again cannot help; an operator has to act (behaviour 3.3).
type PermanentError struct{ Err error }

// Error is the reason's text.
func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *PermanentError) Unwrap() error { return e.Err }

// StatusError is an HTTP answer other than the wanted one.
type StatusError struct {
	Action string // what was asked for: "bootstrap", "upgrade" or "enrollment"
	Status int
	Code   string // Core's code (behaviour 2.1), "" when the answer has none
	Detail string // Core's words for people as detailOf leaves them, "" when there are none
}

// Error names action, status and code, and gives Core's help.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s refused with status %d", e.Action, e.Status)
	if name := http.StatusText(e.Status); name != "" {
		text += " " + name
	}
	if e.Code != "" {
		text += ", code " + e.Code
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// ClosedError is a connection that Core closed with a code.
type ClosedError struct{ Code int }

// Error names the code; the reason that came along is the peer's text and left out.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("Core closed the connection with code %d", e.Code)
}

// finiteCode is the shape of every code of the contract.
var finiteCode = regexp.MustCompile(`^[a-z_]{1,64}$`)

// largestDetail bounds what is repeated of Core's help, in bytes.
const largestDetail = 200

// readRefusal takes code and detail from an error body (behaviour 2); credential is never taken for one, nor any part of
// it repeated.
func readRefusal(action string, status int, body []byte, credential string) *StatusError {
	var refusal struct {
		Error  string `json:"error"`
		Detail any    `json:"detail"`
	}
	e := &StatusError{Action: action, Status: status}
	if json.Unmarshal(body, &refusal) != nil || !finiteCode.MatchString(refusal.Error) || refusal.Error == credential {
		return e
	}
	text, _ := refusal.Detail.(string) // help of another form is none
	e.Code, e.Detail = refusal.Error, detailOf(text, credential)
	return e
}

// detailOf bounds a text for people to one line of 200 bytes. One in which the credential stands is not shown at all.
func detailOf(text, credential string) string {
	shown := strings.Join(strings.Fields(strings.Map(printable, text)), " ")
	if strings.Contains(text, credential) || strings.Contains(shown, credential) {
		return ""
	}
	if len(shown) <= largestDetail {
		return shown
	}
	cut := largestDetail
	for !utf8.RuneStart(shown[cut]) {
		cut--
	}
	return shown[:cut] + "…"
}

// printable drops what a terminal or an eye would not take as text.
func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}

// judgeDial tells permanent refusals of the upgrade from passing ones (behaviour 3.3).
func judgeDial(err error, credential string) error {
	refusal, ok := errors.AsType[*socket.Refusal](err)
	if !ok {
		return err
	}
	status := readRefusal("upgrade", refusal.Status, refusal.Body, credential)
	switch refusal.Status {
	case http.StatusUpgradeRequired:
		return &PermanentError{Err: fmt.Errorf("%w: %w", ErrIncompatibleVersion, status)}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &PermanentError{Err: status}
	default:
		return status
	}
}

// judgeEnd does the same for the end of a connection.
func judgeEnd(err error) error {
	code := socket.Code(err)
	switch {
	case code == 0:
		return err
	case code == proto.CloseRetired:
		return &PermanentError{Err: fmt.Errorf("%w: %w", &ClosedError{Code: code}, ErrRetired)}
	case socket.Replaced(err):
		return fmt.Errorf("%w: %w", &ClosedError{Code: code}, ErrReplaced)
	default:
		return &ClosedError{Code: code}
	}
}
