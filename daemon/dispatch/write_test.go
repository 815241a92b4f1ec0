package dispatch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/proto"
	"parley/daemon/workspace"
)

func writeBegin(path, content string) *proto.WorkspaceWrite {
	return &proto.WorkspaceWrite{Step: proto.StepBegin, EnvironmentID: deskEnvironment, SessionID: deskSession, Path: path,
		SizeBytes: int64(len(content)), SHA256: digestOf(content)}
}

func writeChunk(offset int, data string) *proto.WorkspaceWrite {
	return &proto.WorkspaceWrite{Step: proto.StepChunk, Offset: int64(offset), Data: []byte(data)}
}

func writeCommit() *proto.WorkspaceWrite { return &proto.WorkspaceWrite{Step: proto.StepCommit} }

// wrote takes the answer to one step of a write.
func (d *desk) wrote(id string, want proto.WorkspaceWriteResult) {
	d.t.Helper()
	if got := takes[*proto.WorkspaceWriteResult](d, id); *got != want {
		d.t.Fatalf("got %+v, want %+v", *got, want)
	}
}

func writeReady() proto.WorkspaceWriteResult {
	return proto.WorkspaceWriteResult{Outcome: proto.OutcomeReady}
}

func writeRefusal(code, reason string) proto.WorkspaceWriteResult {
	return proto.WorkspaceWriteResult{Outcome: proto.OutcomeRejected, ErrorCode: code, Reason: reason}
}

// writes sends a whole write and takes every answer but the last.
func (d *desk) writes(id, path, content string) {
	d.t.Helper()
	d.accepts(id, writeBegin(path, content))
	d.wrote(id, writeReady())
	for offset := 0; offset < len(content); {
		piece := content[offset:min(len(content), offset+proto.MaxChunk)]
		d.accepts(id, writeChunk(offset, piece))
		offset += len(piece)
		d.wrote(id, proto.WorkspaceWriteResult{Outcome: proto.OutcomeReceived, Offset: int64(offset)})
	}
	d.empty()
	d.accepts(id, writeCommit())
}

// wire 3.10.2, behaviour 7.2: nothing is visible before the commit, then the whole file.
func TestWriteAppearsWhole(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"nothing": 0, "one byte": 1, "one chunk": proto.MaxChunk, "two chunks": proto.MaxChunk + 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			content := strings.Repeat("x", size)
			d.writes(transferA, "new/folder/file", content)
			d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted, SizeBytes: int64(size)})
			d.holds("new/folder/file", content)
		})
	}
}

// behaviour 7: the next operation may begin as soon as the final receipt is there.
func TestWriteFollowsWrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 200 {
		d.accepts(transferA, writeBegin("file", ""))
		d.wrote(transferA, writeReady())
		d.accepts(transferA, writeCommit())
		d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted})
	}
}

// wire 3.10.2, 5.9: what begin is refused for; a path that is spelled badly never reaches the disk (F-1).
func TestWriteBeginRefusals(t *testing.T) {
	t.Parallel()
	at := func(path string) *proto.WorkspaceWrite { return writeBegin(path, "x") }
	changed := func(change func(*proto.WorkspaceWrite)) *proto.WorkspaceWrite {
		begin := writeBegin("file", "x")
		change(begin)
		return begin
	}
	noFiles := func(config *dispatch.Config) { config.Files = nil }
	noBinding := func(config *dispatch.Config) { config.Binding = nil }
	for name, c := range map[string]struct {
		begin  *proto.WorkspaceWrite
		config func(*dispatch.Config)
		code   string
	}{
		"parent element":    {begin: at("../file"), code: proto.CodeInvalidRequest},
		"parent inside":     {begin: at("a/../../file"), code: proto.CodeInvalidRequest},
		"dot element":       {begin: at("a/./file"), code: proto.CodeInvalidRequest},
		"dot":               {begin: at("."), code: proto.CodeInvalidRequest},
		"no path":           {begin: at(""), code: proto.CodeInvalidRequest},
		"absolute":          {begin: at("/file"), code: proto.CodeInvalidRequest},
		"logical":           {begin: at("/workspace/file"), code: proto.CodeInvalidRequest},
		"empty element":     {begin: at("a//b"), code: proto.CodeInvalidRequest},
		"trailing slash":    {begin: at("a/"), code: proto.CodeInvalidRequest},
		"backslash":         {begin: at(`a\b`), code: proto.CodeInvalidRequest},
		"NUL":               {begin: at("a\x00b"), code: proto.CodeInvalidRequest},
		"CR":                {begin: at("a\rb"), code: proto.CodeInvalidRequest},
		"LF":                {begin: at("a\nb"), code: proto.CodeInvalidRequest},
		"4097 bytes":        {begin: at(strings.Repeat("a/", 2048) + "b"), code: proto.CodeInvalidRequest},
		"over 50 MiB":       {begin: changed(func(w *proto.WorkspaceWrite) { w.SizeBytes = proto.MaxTransfer + 1 }), code: proto.CodeInvalidRequest},
		"negative size":     {begin: changed(func(w *proto.WorkspaceWrite) { w.SizeBytes = -1 }), code: proto.CodeInvalidRequest},
		"upper-case digest": {begin: changed(func(w *proto.WorkspaceWrite) { w.SHA256 = strings.ToUpper(w.SHA256) }), code: proto.CodeInvalidRequest},
		"begin with data":   {begin: changed(func(w *proto.WorkspaceWrite) { w.Data = []byte("x") }), code: proto.CodeInvalidRequest},
		"no step":           {begin: changed(func(w *proto.WorkspaceWrite) { w.Step = "" }), code: proto.CodeInvalidRequest},
		"no environment":    {begin: changed(func(w *proto.WorkspaceWrite) { w.EnvironmentID = "" }), code: proto.CodeInvalidRequest},
		"other environment": {begin: changed(func(w *proto.WorkspaceWrite) { w.EnvironmentID = deskOther }), code: proto.CodeResourceUnavailable},
		"other session":     {begin: changed(func(w *proto.WorkspaceWrite) { w.SessionID = deskOther }), code: proto.CodeResourceUnavailable},
		"no files":          {begin: at("file"), config: noFiles, code: proto.CodeWriteUnsupported},
		"no binding":        {begin: at("file"), config: noBinding, code: proto.CodeWriteUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var changes []func(*dispatch.Config)
			if c.config != nil {
				changes = append(changes, c.config)
			}
			d := newDesk(t, changes...)
			d.accepts(transferA, c.begin)
			d.wrote(transferA, writeRefusal(c.code, ""))
			d.empty()
		})
	}
}

// wire 1.6, 3.10.2: a body that does not decode and a payload over 96 KiB are refused, an id that cannot be used is not
// answered.
func TestWriteFramesThatAreNoBegin(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := d.hearsBytes([]byte(`{"type":"workspace_write","id":"` + transferA + `","payload":{"step":7}}`)); err != nil {
		t.Errorf("got %v, want a rejection", err)
	}
	d.wrote(transferA, writeRefusal(proto.CodeInvalidRequest, ""))
	padded := `{"type":"workspace_write","id":"` + transferA + `","payload":{"padding":"` + strings.Repeat("x", proto.MaxTransferPayload) + `","step":"begin"}}`
	if err := d.hearsBytes([]byte(padded)); err != nil {
		t.Errorf("got %v, want a rejection", err)
	}
	d.wrote(transferA, writeRefusal(proto.CodeInvalidRequest, ""))
	d.dropped("op-1", writeBegin("file", ""))
	d.dropped(strings.ToUpper(transferA), writeBegin("file", ""))
	d.dropped("", writeBegin("file", ""))
	d.dropped(transferA, writeChunk(0, "x"))
	d.dropped(transferA, writeCommit())
}

// behaviour 7.2, F-1: destinations that no write replaces, and links that none follows.
func TestWriteDestinations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, reason string
	}{
		"directory":           {"folder", proto.ReasonDirectory},
		"link":                {"link", proto.ReasonUnsafe},
		"below a link":        {"out/file", proto.ReasonUnsafe},
		"below a file":        {"file/inside", ""},
		"name over 255 bytes": {strings.Repeat("n", 300), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.put("folder/inside", "kept")
			d.put("file", "kept")
			outside := t.TempDir()
			for link, target := range map[string]string{"link": filepath.Join(outside, "file"), "out": outside} {
				if err := os.Symlink(target, filepath.Join(d.files.Dir(), link)); err != nil {
					t.Fatalf("make link: %v", err)
				}
			}
			d.accepts(transferA, writeBegin(c.path, ""))
			d.wrote(transferA, writeReady())
			d.accepts(transferA, writeCommit())
			d.wrote(transferA, writeRefusal(proto.CodeWriteRejected, c.reason))
			d.holds("file", "kept")
			d.holds("folder/inside", "kept")
			if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
				t.Errorf("got entries %v and error %v outside, want none", entries, err)
			}
		})
	}
}

// behaviour 7: chunks in order, whole and with their digest; otherwise nothing is applied and the next write may begin.
func TestWriteBodyFaults(t *testing.T) {
	t.Parallel()
	other := writeBegin("file", "abc")
	other.SHA256 = digestOf("xyz")
	for name, c := range map[string]struct {
		begin *proto.WorkspaceWrite
		good  []*proto.WorkspaceWrite
		bad   *proto.WorkspaceWrite
	}{
		"gap":          {writeBegin("file", "abc"), []*proto.WorkspaceWrite{writeChunk(0, "a")}, writeChunk(2, "c")},
		"again":        {writeBegin("file", "abc"), []*proto.WorkspaceWrite{writeChunk(0, "a")}, writeChunk(0, "a")},
		"too much":     {writeBegin("file", "abc"), []*proto.WorkspaceWrite{writeChunk(0, "ab")}, writeChunk(2, "cd")},
		"short":        {writeBegin("file", "abc"), []*proto.WorkspaceWrite{writeChunk(0, "ab")}, writeCommit()},
		"no bytes":     {writeBegin("file", "abc"), nil, writeCommit()},
		"other digest": {other, []*proto.WorkspaceWrite{writeChunk(0, "abc")}, writeCommit()},
		"empty body":   {writeBegin("file", ""), nil, writeChunk(0, "a")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.accepts(transferA, c.begin)
			d.wrote(transferA, writeReady())
			for _, chunk := range c.good {
				d.accepts(transferA, chunk)
				if got := takes[*proto.WorkspaceWriteResult](d, transferA); got.Outcome != proto.OutcomeReceived {
					t.Fatalf("got %+v, want received", got)
				}
			}
			d.accepts(transferA, c.bad)
			d.wrote(transferA, writeRefusal(proto.CodeInvalidRequest, ""))
			d.empty()
			d.dropped(transferA, writeCommit())
			d.writes(transferB, "file", "abc")
			d.wrote(transferB, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted, SizeBytes: 3})
		})
	}
}

// behaviour 7.2: a malformed frame for the pending id has no answer, and the write goes on.
func TestWriteMalformedStep(t *testing.T) {
	t.Parallel()
	oversized := writeChunk(0, strings.Repeat("x", proto.MaxChunk+1))
	withPath, withOffset := writeChunk(0, "abc"), writeCommit()
	withPath.Path, withOffset.Offset = "file", 3
	for name, payload := range map[string]*proto.WorkspaceWrite{
		"second begin":       writeBegin("file", "abc"),
		"empty chunk":        writeChunk(0, ""),
		"big chunk":          oversized,
		"chunk and path":     withPath,
		"commit with offset": withOffset,
		"unknown step":       {Step: "next"},
		"past the limit":     writeChunk(proto.MaxTransfer, "x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.accepts(transferA, writeBegin("file", "abc"))
			d.wrote(transferA, writeReady())
			d.dropped(transferA, payload)
			d.accepts(transferA, writeChunk(0, "abc"))
			d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeReceived, Offset: 3})
			d.accepts(transferA, writeCommit())
			d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted, SizeBytes: 3})
			d.holds("file", "abc")
		})
	}
}

// stagedLate keeps a body back until it is told, so that a step comes before its answer.
type stagedLate struct {
	dispatch.Files
	open chan struct{}
	err  error
}

func (s *stagedLate) Stage(ctx context.Context, size int64, digest string) (*workspace.Staged, error) {
	<-s.open
	if s.err != nil {
		return nil, s.err
	}
	return s.Files.Stage(ctx, size, digest)
}

// wire 3.8.5: the next step is sent only after the answer; an earlier one is malformed.
func TestWriteStepBeforeAnswer(t *testing.T) {
	t.Parallel()
	late := &stagedLate{open: make(chan struct{})}
	d := newDesk(t, withFiles(func(files dispatch.Files) dispatch.Files { late.Files = files; return late }))
	d.accepts(transferA, writeBegin("file", "abc"))
	d.dropped(transferA, writeChunk(0, "abc"))
	close(late.open)
	d.wrote(transferA, writeReady())
	d.accepts(transferA, writeChunk(0, "abc"))
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeReceived, Offset: 3})
	d.accepts(transferA, writeCommit())
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted, SizeBytes: 3})
}

// behaviour 7.2: staging has 120 seconds.
func TestWriteStagingTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.accepts(transferA, writeBegin("file", "abc"))
		d.wrote(transferA, writeReady())
		time.Sleep(proto.StagingTimeout - time.Nanosecond)
		d.accepts(transferA, writeChunk(0, "abc"))
		d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeReceived, Offset: 3})
		begun := time.Now()
		d.wrote(transferA, writeRefusal(proto.CodeInvalidRequest, ""))
		if waited := time.Since(begun); waited != time.Nanosecond {
			t.Errorf("got a rejection %s after the limit", waited)
		}
		d.dropped(transferA, writeCommit())
		d.empty()
	})
}

// behaviour 7.2: no execution, read, initialization, export or suspension from begin to the final receipt.
func TestWriteExcludesOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, withSetup(&fakeSetup{}))
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, writeReady())
	d.shut(transferB)
	d.accepts(transferB, writeBegin("file", ""))
	d.wrote(transferB, writeRefusal(proto.CodeWriteCapacity, ""))
	d.accepts(transferA, writeCommit())
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted})
	d.release("prep-2", d.readable("prep-2"))
}

// shut takes the refusals of everything that an exclusive operation of another family keeps out.
func (d *desk) shut(id string) {
	d.t.Helper()
	d.accepts("prep-1", readOnlyRequest())
	if got := takes[*proto.PreparationStatus](d, "prep-1"); got.ErrorCode != proto.CodeResourceUnavailable {
		d.t.Errorf("got %+v, want the preparation to be refused as resource_unavailable", got)
	}
	d.accepts("read-1", &proto.WorkspaceRead{Handle: "h", EnvironmentID: deskEnvironment, Path: "file", MaxBytes: 1})
	if got := takes[*proto.WorkspaceReadResult](d, "read-1"); got.ErrorCode != proto.CodeResourceUnavailable {
		d.t.Errorf("got %+v, want the read to be refused as resource_unavailable", got)
	}
	d.accepts("sus-1", &proto.EnvironmentQuiesce{Suspension: proto.Suspension{EnvironmentID: deskEnvironment, SuspendID: "sus-1"}})
	if got := takes[*proto.EnvironmentQuiesced](d, "sus-1"); got.Accepted || got.ErrorCode != proto.CodeResourceBusy {
		d.t.Errorf("got %+v, want the suspension to be refused as resource_busy", got)
	}
}

// behaviour 7.2: a reservation keeps a write out.
func TestWriteNeedsAnIdleRouter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	handle := d.readable("prep-1")
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, writeRefusal(proto.CodeResourceUnavailable, ""))
	d.release("prep-1", handle)
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, writeReady())
	d.accepts(transferA, writeCommit())
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeCompleted})
}

// behaviour 7.2: unknown keeps the gate for the life of the Router.
func TestWriteUnknownKeepsTheGate(t *testing.T) {
	t.Parallel()
	late := &stagedLate{open: make(chan struct{}), err: workspace.ErrUnconfirmed}
	close(late.open)
	d := newDesk(t, withFiles(func(dispatch.Files) dispatch.Files { return late }))
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, proto.WorkspaceWriteResult{Outcome: proto.OutcomeUnknown, ErrorCode: proto.CodeWriteUnconfirmed})
	d.accepts(transferB, writeBegin("file", ""))
	d.wrote(transferB, writeRefusal(proto.CodeResourceUnavailable, ""))
	d.shut(transferB)
}

// behaviour 7.1: an answer that could not be sent cancels the transfer; nothing is applied and nothing more is sent.
func TestWriteAnswerNotDelivered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.accepts(transferA, writeBegin("file", "abc"))
	d.wrote(transferA, writeReady())
	close(d.refuse)
	d.accepts(transferA, writeChunk(0, "abc"))
	d.shutdown()
	if err := d.hears(proto.New(transferA, writeCommit())); !errors.Is(err, dispatch.ErrRouterClosed) {
		t.Errorf("got %v, want ErrRouterClosed", err)
	}
	d.empty()
}

// behaviour 5.10: shutdown ends a write that waits for its peer.
func TestWriteEndsWithTheRouter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.accepts(transferA, writeBegin("file", "abc"))
	d.wrote(transferA, writeReady())
	d.shutdown()
	d.empty()
}
