package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/daemon/proto"
)

var errWrongOffset = errors.New("offset is not the number of bytes sent")

// workspaceExport takes one frame of an export (wire 3.10.3, behaviour 7.4). What is not valid has no answer, and neither
// has a cancel.
func (r *Router) workspaceExport(frame proto.Frame) error {
	if proto.Blank(frame.ID) || len(frame.ID) > proto.MaxCorrelation {
		return unanswerable(frame, errors.New("its id is blank or over 128 bytes"))
	}
	request, err := wellFormed[*proto.WorkspaceExport](frame)
	if err != nil {
		return unanswerable(frame, err)
	}
	t := r.underway(exclusiveExport, frame.ID)
	switch {
	case t == nil && request.Step == proto.StepBegin:
		r.beginExport(frame.ID, request)
		return nil
	case t == nil:
		return unanswerable(frame, errors.New("no export with this id is under way"))
	case request.Step == proto.StepBegin:
		return unanswerable(frame, errors.New("this export has begun"))
	case request.Step == proto.StepCancel:
		t.stop(errCancelled)
		return nil
	}
	if err := r.hand(t, step{offset: request.Offset}); err != nil {
		return unanswerable(frame, err)
	}
	return nil
}

func (r *Router) beginExport(id string, begin *proto.WorkspaceExport) {
	a := r.holdForExport(begin.Handle, begin.EnvironmentID)
	code := proto.CodeResourceUnavailable
	if a != nil {
		var t *transfer
		t, code = r.open(exclusiveExport, id, proto.CodeResourceUnavailable, time.Now().Add(proto.ExportTimeout))
		if t != nil {
			r.operate(func() { r.export(t, a) })
			return
		}
		r.letGo(a)
	}
	r.receipt(proto.New(id, &proto.WorkspaceExportResult{Outcome: proto.OutcomeRejected, ErrorCode: code}))
}

// holdForExport takes hold of a ready read-only preparation of exactly this Environment, so that its release waits for
// the export; nil when the handle means none.
func (r *Router) holdForExport(handle, environmentID string) *admission {
	r.mu.Lock()
	defer r.mu.Unlock()
	var t target
	if r.config.Files == nil || !r.aim(&t, handle, "", environmentID) || !t.admission.exports {
		return nil
	}
	t.admission.holds++
	return t.admission
}

func (r *Router) letGo(a *admission) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.holds--
	r.settleReadOnly(a)
}

// export sends the archive piece by piece. Its end is told only to a peer that waits for something.
func (r *Router) export(t *transfer, of *admission) {
	asked, err := r.sendArchive(t)
	cancelled := errors.Is(context.Cause(t.ctx), errCancelled)
	if err != nil && !cancelled {
		r.config.Log.Debug("workspace export ended", "error", err)
	}
	r.letGo(of)
	if due := r.closeTransfer(t, false); due && !cancelled && !errors.Is(err, errUndelivered) {
		r.conclude(t, exportEnd(asked, err))
	}
}

// sendArchive answers begin and every next with one piece. It returns the offset that was asked for last: without an
// error everything before it was sent and nothing is left.
func (r *Router) sendArchive(t *transfer) (asked int64, err error) {
	archive, ended := r.startArchive(t.ctx)
	defer func() {
		archive.CloseWithError(errTransferDone)
		<-ended
	}()
	for {
		piece := make([]byte, proto.MaxChunk) // the sender may keep the one before
		n, err := io.ReadFull(archive, piece)
		if errors.Is(err, io.EOF) {
			return asked, nil
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return asked, err
		}
		err = r.answer(t, &proto.WorkspaceExportResult{Outcome: proto.OutcomeChunk, Offset: asked, Data: piece[:n]})
		if err != nil {
			return asked, err
		}
		sent := asked + int64(n)
		s, err := t.next()
		if err != nil {
			return sent, err
		}
		if asked = s.offset; asked != sent {
			return asked, fmt.Errorf("%w: expected %d, found %d", errWrongOffset, sent, asked)
		}
	}
}

// startArchive writes the archive into a pipe that holds nothing back; ended is closed when the workspace is no longer
// read.
func (r *Router) startArchive(ctx context.Context) (archive *io.PipeReader, ended <-chan struct{}) {
	archive, out := io.Pipe()
	done := make(chan struct{})
	r.operate(func() {
		defer close(done)
		out.CloseWithError(r.config.Files.Export(ctx, out, proto.MaxExport))
	})
	return archive, done
}

func exportEnd(asked int64, err error) *proto.WorkspaceExportResult {
	switch {
	case err == nil:
		return &proto.WorkspaceExportResult{Outcome: proto.OutcomeCompleted, Offset: asked}
	case errors.Is(err, errWrongOffset):
		return &proto.WorkspaceExportResult{Outcome: proto.OutcomeRejected, Offset: asked, ErrorCode: proto.CodeInvalidRequest}
	}
	return &proto.WorkspaceExportResult{Outcome: proto.OutcomeFailed, Offset: asked, ErrorCode: proto.CodeExportFailed}
}
