package harness

import (
	"context"
	"errors"

	"parley/daemon/proto"
)

// Errors that a Turn distinguishes (behaviour 9.1).
var (
	// ErrNotReady: the native program cannot take active input yet; it may later.
	ErrNotReady = errors.New("native program is not ready for input")
	// ErrInactive: the Turn takes no more input.
	ErrInactive = errors.New("native turn is no longer active")
	// ErrRejected: the native program refused this input; nothing was consumed.
	ErrRejected = errors.New("native program rejected the input")
	// ErrUnknownCall: the native program waits for no result of this call.
	ErrUnknownCall = errors.New("native program waits for no such function call")
	// ErrUnsupported: the adapter cannot do this operation. From a declared operation it is a contract violation.
	ErrUnsupported = errors.New("operation is not supported")
)

// Factory makes an Executor for one Session's configuration. It submits no model input. On failure it may still return
// an Executor: that one holds cleanup which is not confirmed, and the caller owns it.
type Factory func(ctx context.Context, config proto.Configuration) (Executor, error)

// Executor is a native resource that serves one Session, one Turn at a time.
type Executor interface {
	// StartTurn submits input for a Run. A nil Turn means that nothing was submitted and output stays the caller's. With
	// a Turn the adapter owns output and closes it, even if an error comes along. Frames may be sent before StartTurn
	// returns. ctx bounds the start alone, never the Turn.
	StartTurn(ctx context.Context, runID string, input proto.MessageInput, output chan<- proto.Frame) (Turn, error)
	// NativeSession is the id of the native Session, "" while there is none.
	NativeSession() string
	// Close stops all native work. Success means confirmed; after a failure the Executor is still owned and Close may be
	// called again.
	Close(ctx context.Context) error
}

// Turn is one piece of native work. Its methods may be called at the same time.
type Turn interface {
	// Cancel asks this Turn, and never a successor, to stop. Calling it again changes nothing.
	Cancel(ctx context.Context) error
	// CancellationOutcome is a snapshot of what there is so far: content, native Session, usage. False when there is no
	// snapshot to rely on.
	CancellationOutcome() (proto.Done, bool)
	// SteerWithReceipt gives active input. It calls onWritten at most once, when the native write is complete, and
	// returns when consumption is confirmed.
	SteerWithReceipt(ctx context.Context, input proto.MessageInput, onWritten func()) error
	// SubmitFunctionResult answers exactly one call.
	SubmitFunctionResult(ctx context.Context, result proto.FunctionResult) error
	// AwaitSettlement returns when nothing of this Turn is going on any more, and whether its Executor may serve another.
	// An error means that this is not confirmed.
	AwaitSettlement(ctx context.Context) (reusable bool, err error)
}
