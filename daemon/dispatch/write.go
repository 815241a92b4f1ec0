package dispatch

import (
	"context"
	"errors"
	"io"
	"time"

	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// Files is the one folder that a Runtime serves; see workspace.Workspace for what each method promises.
type Files interface {
	Read(ctx context.Context, path string, max int) (workspace.Bytes, error)
	List(ctx context.Context, path string, maxEntries int) (workspace.Listing, error)
	Stage(ctx context.Context, size int64, digest string) (*workspace.Staged, error)
	Export(ctx context.Context, out io.Writer, limit int64) error
}

var _ Files = (*workspace.Workspace)(nil)

// workspaceWrite takes one frame of a write (wire 3.10.2, behaviour 7.2). A malformed one for the write under way changes
// nothing and has no answer, unlike in an initialization.
func (r *Router) workspaceWrite(frame proto.Frame) error {
	if !proto.CanonicalUUID(frame.ID) {
		return unanswerable(frame, errors.New("its id is no canonical UUID"))
	}
	request, err := wellFormed[*proto.WorkspaceWrite](frame)
	t := r.underway(exclusiveWrite, frame.ID)
	switch {
	case t != nil && err != nil:
		return unanswerable(frame, err)
	case t != nil && request.Step == proto.StepBegin:
		return unanswerable(frame, errors.New("this write has begun"))
	case t != nil:
		err = r.hand(t, step{commit: request.Step == proto.StepCommit, offset: request.Offset, data: request.Data})
	case request != nil && (request.Step == proto.StepChunk || request.Step == proto.StepCommit):
		err = errors.New("no write with this id is under way")
	case err != nil:
		r.receipt(proto.New(frame.ID, writeRejected(proto.CodeInvalidRequest, "")))
		return nil
	default:
		r.beginWrite(frame.ID, request)
		return nil
	}
	if err != nil {
		return unanswerable(frame, err)
	}
	return nil
}

func (r *Router) beginWrite(id string, begin *proto.WorkspaceWrite) {
	t, code := r.openWrite(id, begin)
	if t == nil {
		r.receipt(proto.New(id, writeRejected(code, "")))
		return
	}
	r.operate(func() { r.write(t, begin) })
}

func (r *Router) openWrite(id string, begin *proto.WorkspaceWrite) (*transfer, string) {
	switch {
	case r.config.Binding == nil || r.config.Files == nil:
		return nil, proto.CodeWriteUnsupported
	case !r.config.Binding.names(begin.EnvironmentID, begin.SessionID):
		return nil, proto.CodeResourceUnavailable
	}
	return r.open(exclusiveWrite, id, proto.CodeWriteCapacity, time.Now().Add(proto.StagingTimeout))
}

func (r *Router) write(t *transfer, begin *proto.WorkspaceWrite) {
	err := r.writeFile(t, begin)
	result := writeResult(begin.SizeBytes, err)
	if err != nil {
		r.config.Log.Debug("workspace write ended", "outcome", result.Outcome, "error", err)
	}
	r.closeTransfer(t, result.Outcome == proto.OutcomeUnknown)
	if !errors.Is(err, errUndelivered) {
		r.conclude(t, result)
	}
}

// writeFile collects the bytes and makes them a file. What is installed after the commit ends early only with the router.
func (r *Router) writeFile(t *transfer, begin *proto.WorkspaceWrite) error {
	file, err := r.config.Files.Stage(t.ctx, begin.SizeBytes, begin.SHA256)
	if err != nil {
		return err
	}
	defer file.Discard()
	err = r.stage(t, file, func(outcome string, offset int64) proto.Payload {
		return &proto.WorkspaceWriteResult{Outcome: outcome, Offset: offset}
	})
	if err != nil {
		return err
	}
	return file.Install(r.life, begin.Path)
}

// writeResult is the final answer to a write that ended with err.
func writeResult(size int64, err error) *proto.WorkspaceWriteResult {
	switch {
	case err == nil:
		return &proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted, SizeBytes: size}
	case errors.Is(err, workspace.ErrUnconfirmed):
		return &proto.WorkspaceWriteResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodeWriteUnconfirmed}
	case misused(err):
		return writeRejected(proto.CodeInvalidRequest, "")
	case errors.Is(err, workspace.ErrDirectory):
		return writeRejected(proto.CodeWriteRejected, proto.ReasonDirectory)
	case errors.Is(err, workspace.ErrUnsafe):
		return writeRejected(proto.CodeWriteRejected, proto.ReasonUnsafe)
	}
	return writeRejected(proto.CodeWriteRejected, "")
}

func writeRejected(code, reason string) *proto.WorkspaceWriteResult {
	return &proto.WorkspaceWriteResult{Outcome: proto.OutcomeRejected, ErrorCode: code, Reason: reason}
}
