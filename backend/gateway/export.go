package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"parley/daemon/proto"
)

// errWhole says that an export is over its limit.
var errWhole = errors.New("export is too large")

// Export begins to pull the archive of a read-only preparation; one may be pending, 180 seconds in all (behaviour 7.4).
// The reader asks for the next piece when the last was read, so memory holds one. io.EOF means that the Runtime said
// completed; any other end is no archive. The caller closes the reader; before io.EOF that abandons the export. One
// goroutine at a time may use it.
//
// Errors, also of the reader: *RefusedError; *FailedError; *UnconfirmedError; before anything was sent ErrBusy,
// ErrDuplicate, ErrSessionClosed or what is wrong with the request.
func (c *Connection) Export(ctx context.Context, operationID, handle, environmentID string) (io.ReadCloser, error) {
	begin := &proto.WorkspaceExport{Step: proto.StepBegin, Handle: handle, EnvironmentID: environmentID}
	if err := proto.New(operationID, begin).Validate(); err != nil {
		return nil, fmt.Errorf("begin export: %w", err)
	}
	x, err := c.exports.add(operationID, 0)
	if err != nil {
		return nil, fmt.Errorf("begin export: %w", err)
	}
	e := &export{c: c, x: x, trace: newTrace()}
	e.ctx, e.cancel = context.WithTimeoutCause(ctx, proto.ExportTimeout, ErrNoAnswer)
	context.AfterFunc(e.ctx, e.abandon) // the place is given back also when nobody reads any more
	if e.pull(begin); e.err != nil && !errors.Is(e.err, io.EOF) {
		e.abandon()
		return nil, e.err
	}
	return e, nil
}

// export is one archive on its way.
type export struct {
	c      *Connection
	x      *exchange
	ctx    context.Context // of the whole export; its end abandons it
	cancel context.CancelFunc
	trace  string
	ended  sync.Once
	begun  atomic.Bool // a question was sent

	data   []byte // of the last piece, not read yet
	offset int64  // bytes received
	err    error  // why nothing more comes; io.EOF after completed
}

// Read gives what the Runtime sent, and asks for more when that is used up.
func (e *export) Read(p []byte) (int, error) {
	for len(e.data) == 0 && len(p) > 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.pull(&proto.WorkspaceExport{Step: proto.StepNext, Offset: e.offset})
	}
	n := copy(p, e.data)
	e.data = e.data[n:]
	return n, nil
}

// Close abandons the export unless it has ended. It may be repeated.
func (e *export) Close() error {
	e.abandon()
	return nil
}

// abandon tells the Runtime that nothing more is wanted and gives the place back. There is no reply to that, and a piece
// that is on its way is nobody's.
func (e *export) abandon() {
	e.ended.Do(func() {
		if e.begun.Load() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), proto.ExportCancel)
			defer cancel()
			f := proto.New(e.x.key, &proto.WorkspaceExport{Step: proto.StepCancel})
			f.Trace = e.trace
			_ = e.c.send(ctx, f, proto.MaxTransferPayload) // the Runtime gives up by itself in the end
		}
		e.x.release()
		e.cancel()
	})
}

// settle gives the place back after a definite end.
func (e *export) settle() {
	e.ended.Do(func() {
		e.x.release()
		e.cancel()
	})
}

// pull asks one question and takes its piece, or sets err.
func (e *export) pull(question *proto.WorkspaceExport) {
	piece, err := e.ask(question)
	if err != nil {
		e.err = err
		return
	}
	if e.err = e.judge(piece); e.err != nil {
		return
	}
	e.offset += int64(len(piece.Data))
	if e.offset > proto.MaxExport {
		e.err = e.unconfirmed(fmt.Errorf("%w: expected at most %d bytes, found more", errWhole, proto.MaxExport))
		return
	}
	e.data = piece.Data
}

func (e *export) ask(question *proto.WorkspaceExport) (*proto.WorkspaceExportResult, error) {
	if err := e.x.expect(); err != nil {
		return nil, e.unconfirmed(err)
	}
	f := proto.New(e.x.key, question)
	f.Trace = e.trace
	first := !e.begun.Swap(true) // before sending, so that who abandons it meanwhile says so
	if err := e.c.send(e.ctx, f, proto.MaxTransferPayload); err != nil {
		e.begun.Store(!first)
		return nil, e.unconfirmed(err)
	}
	piece, err := reply[*proto.WorkspaceExportResult](e.ctx, e.x)
	if err == nil {
		err = misfit(piece, e.x.key, piece.Answers(e.offset))
	}
	if err != nil {
		return nil, e.unconfirmed(err)
	}
	return piece, nil
}

// judge tells what a piece means for the export.
func (e *export) judge(piece *proto.WorkspaceExportResult) error {
	switch piece.Outcome {
	case proto.OutcomeChunk:
		return nil
	case proto.OutcomeCompleted:
		e.settle()
		return io.EOF
	case proto.OutcomeRejected:
		e.settle()
		return &RefusedError{Operation: proto.TypeWorkspaceExport, ID: e.x.key, Code: piece.ErrorCode}
	default:
		e.settle()
		return &FailedError{Operation: proto.TypeWorkspaceExport, ID: e.x.key, Code: piece.ErrorCode}
	}
}

func (e *export) unconfirmed(cause error) error {
	if ended := context.Cause(e.ctx); ended != nil && errors.Is(cause, errReleased) {
		cause = ended // which is why it was abandoned
	}
	if !e.begun.Load() {
		return cause
	}
	return &UnconfirmedError{Operation: proto.TypeWorkspaceExport, ID: e.x.key, Cause: cause}
}
