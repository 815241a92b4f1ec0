package transport

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// Reasons for which a Runtime stops. Each comes inside a *PermanentError.
var (
	// ErrIncompatibleVersion: Core speaks another version of the wire. One of the two programs has to be replaced.
	ErrIncompatibleVersion = errors.New("incompatible version: Core does not speak wire version " + proto.Version)
	// ErrRetired: Core deleted this Runtime or took its credential back. It needs a new profile.
	ErrRetired = errors.New("this Runtime is retired or its credential revoked")
	// ErrResumeMismatch: after a planned reconnection Core did not begin with the resume of this suspension.
	ErrResumeMismatch = errors.New("first frame after a suspension is not the resume of that suspension")
)

// PermanentError says that connecting again cannot help; an operator has to act (behaviour 3.3).
type PermanentError struct{ Err error }

// Error is the reason's text.
func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *PermanentError) Unwrap() error { return e.Err }

// StatusError is an HTTP answer other than the wanted one.
type StatusError struct {
	Action string // what was asked for: "bootstrap" or "upgrade"
	Status int
	Code   string // Core's code (behaviour 2.1), "" when the answer has none
}

// Error names action, status and code. The server's free text is left out: it may repeat what it was sent.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s refused with status %d", e.Action, e.Status)
	if name := http.StatusText(e.Status); name != "" {
		text += " " + name
	}
	if e.Code != "" {
		text += ", code " + e.Code
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

// refusalCode finds the code in an error body; credential is never taken for one.
func refusalCode(body []byte, credential string) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &refusal) != nil || !finiteCode.MatchString(refusal.Error) || refusal.Error == credential {
		return ""
	}
	return refusal.Error
}

// judgeDial tells permanent refusals of the upgrade from passing ones (behaviour 3.3).
func judgeDial(err error, credential string) error {
	refusal, ok := errors.AsType[*socket.Refusal](err)
	if !ok {
		return err
	}
	status := &StatusError{Action: "upgrade", Status: refusal.Status, Code: refusalCode(refusal.Body, credential)}
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
	switch code {
	case 0:
		return err
	case proto.CloseRetired:
		return &PermanentError{Err: fmt.Errorf("%w: %w", ErrRetired, &ClosedError{Code: code})}
	default:
		return &ClosedError{Code: code}
	}
}
