package gateway

import (
	"errors"
	"fmt"

	"parley/daemon/proto"
)

// What ends an observation without telling an outcome (behaviour 4).
var (
	// ErrSessionClosed says that the connection ended, or that a newer observer of the same Run took over. It says
	// nothing about native work.
	ErrSessionClosed = errors.New("session of the connection is closed")
	// ErrOverflow says that an observer was slower than its buffer allows. Only that observer is hurt.
	ErrOverflow = errors.New("buffer of the observer is full")
	// ErrNoAnswer says that Core's wait for an answer is over.
	ErrNoAnswer = errors.New("no answer in time")
	// ErrUnconfirmed is in every error after which it is not known what the Runtime did: neither success nor failure,
	// and no licence to try again.
	ErrUnconfirmed = errors.New("outcome is not known")
)

// What refuses an operation before anything was sent.
var (
	// ErrBusy says that as many operations of the kind are pending as a connection may have (behaviour 4.2). Wait for
	// one of them to end.
	ErrBusy = errors.New("too many pending operations of this kind")
	// ErrDuplicate says that the id is already pending.
	ErrDuplicate = errors.New("id is already pending")
	// ErrBlank says that an id is missing.
	ErrBlank = errors.New("id is blank")
)

// ObservationError is a frame that could not be taken for what it claims to be. Nothing is concluded from it and nothing
// is answered (wire 1.6).
type ObservationError struct {
	Type  proto.Type
	ID    string
	Fault error
}

// Error names the frame and what is wrong with it.
func (e *ObservationError) Error() string {
	return fmt.Sprintf("observe %s %q: %v", e.Type, e.ID, e.Fault)
}

// Unwrap gives the fault.
func (e *ObservationError) Unwrap() error { return e.Fault }

// valid checks a frame by itself, once.
func valid(f proto.Frame) error {
	if err := f.Validate(); err != nil {
		return &ObservationError{Type: f.Type, ID: f.ID, Fault: err}
	}
	return nil
}

// payloadOf takes a reply for what it must be.
func payloadOf[P proto.Payload](f proto.Frame) (P, error) {
	payload, ok := f.Payload.(P)
	switch {
	case f.Fault != nil:
		return payload, &ObservationError{Type: f.Type, ID: f.ID, Fault: f.Fault}
	case !ok:
		return payload, &ObservationError{Type: f.Type, ID: f.ID, Fault: errType}
	}
	return payload, nil
}

// misfit makes an observation of what is wrong with a reply beside its request; nil stays nil.
func misfit(reply proto.Payload, id string, fault error) error {
	if fault == nil {
		return nil
	}
	return &ObservationError{Type: reply.Type(), ID: id, Fault: fault}
}

// UnconfirmedError says what is not known; errors.Is finds ErrUnconfirmed and the cause in it.
type UnconfirmedError struct {
	Operation proto.Type
	ID        string
	Sent      string // last step that left, "" for operations without steps; only commit applies anything (behaviour 7)
	Cause     error
}

// Error says what was asked, how far it went and why it ended.
func (e *UnconfirmedError) Error() string {
	if e.Sent == "" {
		return fmt.Sprintf("%s %q: %v: %v", e.Operation, e.ID, ErrUnconfirmed, e.Cause)
	}
	return fmt.Sprintf("%s %q: %v after %s: %v", e.Operation, e.ID, ErrUnconfirmed, e.Sent, e.Cause)
}

// Unwrap gives ErrUnconfirmed and the cause.
func (e *UnconfirmedError) Unwrap() []error { return []error{ErrUnconfirmed, e.Cause} }

// RefusedError is a definite refusal by the Runtime: nothing was done.
type RefusedError struct {
	Operation proto.Type
	ID        string
	Code      string // wire 5.8 to 5.12
	Reason    string // only with write_rejected
}

// Error names the code.
func (e *RefusedError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("%s %q: refused by the runtime: %s, %s", e.Operation, e.ID, e.Code, e.Reason)
	}
	return fmt.Sprintf("%s %q: refused by the runtime: %s", e.Operation, e.ID, e.Code)
}

// FailedError is a definite failure that the Runtime reports of work it had begun.
type FailedError struct {
	Operation proto.Type
	ID        string
	Code      string
	ExitCode  int // of a command, 1 to 255; 0 when there is none (wire 3.8.4)
}

// Error names the code, and the exit code if there is one.
func (e *FailedError) Error() string {
	if e.ExitCode != 0 {
		return fmt.Sprintf("%s %q: failed: %s, exit code %d", e.Operation, e.ID, e.Code, e.ExitCode)
	}
	return fmt.Sprintf("%s %q: failed: %s", e.Operation, e.ID, e.Code)
}

var errType = errors.New("expected a reply of the type that answers the request")

// errReported is the cause where the Runtime itself says that it does not know.
func errReported(code string) error { return fmt.Errorf("the runtime reports %s", code) }
