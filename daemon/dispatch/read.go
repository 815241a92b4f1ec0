package dispatch

import (
	"context"
	"errors"

	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// workspaceRead takes one read (wire 3.10.1, behaviour 7.3). Another frame with the id of a read under way does nothing.
func (r *Router) workspaceRead(frame proto.Frame) error {
	if proto.Blank(frame.ID) || len(frame.ID) > proto.MaxCorrelation {
		return unanswerable(frame, errors.New("its id is blank or over 128 bytes"))
	}
	if !r.startRead(frame.ID) {
		return nil
	}
	request, err := wellFormed[*proto.WorkspaceRead](frame)
	code := proto.CodeInvalidRequest
	if err == nil {
		var from *target
		if from, code = r.readTarget(request.Handle, request.RunID, request.EnvironmentID); from != nil {
			r.operate(func() { r.read(frame, request, from) })
			return nil
		}
	}
	r.endRead(frame.ID)
	r.receipt(readReply(frame, readRejected(code)))
	return nil
}

// startRead notes the id of a read under way; false when it is noted already.
func (r *Router) startRead(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading[id] {
		return false
	}
	if r.reading == nil {
		r.reading = map[string]bool{}
	}
	r.reading[id] = true
	return true
}

func (r *Router) endRead(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reading, id)
}

// read answers within the native limit. A file system that does not come back keeps its place among the reads, and its
// hold on the target, until it does.
func (r *Router) read(frame proto.Frame, request *proto.WorkspaceRead, from *target) {
	ctx, stop := context.WithTimeout(r.life, proto.ReadNative)
	defer stop()
	native := make(chan *proto.WorkspaceReadResult, 1)
	r.operate(func() {
		result, err := r.readNative(ctx, request)
		if err != nil {
			r.config.Log.Debug("workspace read ended", "outcome", result.Outcome, "error", err)
		}
		native <- result
	})
	var reply proto.Frame
	select {
	case result := <-native:
		reply = readReply(frame, result)
		defer r.answers.count(reply)() // from before there is room for another read
		from.done(result.Outcome == proto.OutcomeUnknown)
	case <-ctx.Done():
		reply = readReply(frame, readUnknown())
		defer r.answers.count(reply)()
		from.doubt()
		r.operate(func() {
			<-native
			from.done(true)
		})
	}
	r.endRead(frame.ID)
	r.reply(reply)
}

// doubt stops further reads on the owner of a target while a read of it is still going on.
func (t *target) doubt() {
	t.router.mu.Lock()
	defer t.router.mu.Unlock()
	if t.owner != nil {
		t.owner.noReads = true
	}
	if t.admission != nil {
		t.admission.unusable = true
	}
}

// readNative reads and says what that comes to; the error is for the log.
func (r *Router) readNative(ctx context.Context, request *proto.WorkspaceRead) (*proto.WorkspaceReadResult, error) {
	if request.Operation == proto.OperationDirectory {
		listing, err := r.config.Files.List(ctx, request.Path, request.MaxEntries)
		if err != nil {
			return readFailure(err, true), err
		}
		return &proto.WorkspaceReadResult{Outcome: proto.OutcomeCompleted, CloseAcknowledged: true,
			Directory: directoryOf(listing)}, nil
	}
	content, err := r.config.Files.Read(ctx, request.Path, request.MaxBytes)
	if err != nil {
		return readFailure(err, false), err
	}
	return &proto.WorkspaceReadResult{Outcome: proto.OutcomeCompleted, CloseAcknowledged: true, Data: content.Data,
		Truncated: content.Truncated}, nil
}

func directoryOf(listing workspace.Listing) *proto.Directory {
	entries := make([]proto.Entry, len(listing.Entries))
	for i, entry := range listing.Entries {
		entries[i] = proto.Entry{Name: entry.Name, Kind: string(entry.Kind), SizeBytes: entry.Size}
	}
	return &proto.Directory{Entries: entries, Truncated: &listing.Truncated}
}

// readFailure maps the finite rejections of the workspace to codes (wire 5.8); everything else is unknown. What has a
// file or a link on its way is not found by a byte read and no directory for a listing.
func readFailure(err error, directory bool) *proto.WorkspaceReadResult {
	noDirectory := proto.CodeNotFound
	if directory {
		noDirectory = proto.CodeNotDirectory
	}
	if errors.Is(err, workspace.ErrUnconfirmed) { // whatever its cause is
		return readUnknown()
	}
	for _, row := range []struct {
		sentinel error
		code     string
	}{
		{workspace.ErrPath, proto.CodeInvalidRequest},
		{workspace.ErrTooLarge, proto.CodeInvalidRequest},
		{workspace.ErrNotFound, proto.CodeNotFound},
		{workspace.ErrPermission, proto.CodePermissionDenied},
		{workspace.ErrNotDirectory, noDirectory},
		{workspace.ErrNotFile, proto.CodeReadUnsupported},
		{workspace.ErrUnsafe, proto.CodeReadUnsupported},
	} {
		if errors.Is(err, row.sentinel) {
			return readRejected(row.code)
		}
	}
	return readUnknown()
}

func readRejected(code string) *proto.WorkspaceReadResult {
	return &proto.WorkspaceReadResult{Outcome: proto.OutcomeRejected, ErrorCode: code}
}

func readUnknown() *proto.WorkspaceReadResult {
	return &proto.WorkspaceReadResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodeReadUnconfirmed}
}

// readReply repeats the request's trace unless it is too long (wire 1.3).
func readReply(request proto.Frame, result *proto.WorkspaceReadResult) proto.Frame {
	reply := proto.New(request.ID, result)
	if len(request.Trace) <= proto.MaxTraceEcho {
		reply.Trace = request.Trace
	}
	return reply
}
