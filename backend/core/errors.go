package core

import (
	"errors"
	"fmt"
)

// InvalidError is a request that cannot be taken: which part, and what was expected.
type InvalidError struct {
	Param   string // path of the part, "" for the whole
	Why     string
	Unknown bool // nothing of that name is expected there
}

// Error names the part.
func (e *InvalidError) Error() string {
	if e.Param == "" {
		return e.Why
	}
	return fmt.Sprintf("%s: %s", e.Param, e.Why)
}

// Under gives the error of a part as one of the document that has the part at a place.
func (e *InvalidError) Under(place string) error {
	inner := e.Param
	if inner != "" && inner[0] != '[' {
		inner = "." + inner
	}
	return &InvalidError{Param: place + inner, Why: e.Why, Unknown: e.Unknown}
}

func invalid(param, why string) error { return &InvalidError{Param: param, Why: why} }

// Errors of Service beside those of the store, which it passes on.
var (
	// ErrUnavailable: the Runtime that is needed is not connected, or did not answer as it must. Nothing is known to have
	// changed.
	ErrUnavailable = errors.New("environment is not available")
	// ErrUnconfirmed: it is not known whether the write happened; the path stays blocked.
	ErrUnconfirmed = errors.New("outcome is not known")
)
