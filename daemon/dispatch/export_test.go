package dispatch_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

func exportBegin(handle string) *proto.WorkspaceExport {
	return &proto.WorkspaceExport{Step: proto.StepBegin, Handle: handle, EnvironmentID: deskEnvironment}
}

func exportNext(offset int) *proto.WorkspaceExport {
	return &proto.WorkspaceExport{Step: proto.StepNext, Offset: int64(offset)}
}

func exportCancel() *proto.WorkspaceExport { return &proto.WorkspaceExport{Step: proto.StepCancel} }

// exported takes an answer that ends an export.
func (d *desk) exported(id string, want proto.WorkspaceExportResult) {
	d.t.Helper()
	got := takes[*proto.WorkspaceExportResult](d, id)
	if got.Outcome != want.Outcome || got.Offset != want.Offset || got.ErrorCode != want.ErrorCode || len(got.Data) > 0 {
		d.t.Fatalf("got %+v, want %+v", got, want)
	}
}

// pulls takes a whole export.
func (d *desk) pulls(id string, begin *proto.WorkspaceExport) []byte {
	d.t.Helper()
	var archive []byte
	d.accepts(id, begin)
	for {
		got := takes[*proto.WorkspaceExportResult](d, id)
		if err := got.Answers(int64(len(archive))); err != nil {
			d.t.Fatalf("got %s at %d, which is no answer: %v", got.Outcome, got.Offset, err)
		}
		if got.Outcome == proto.OutcomeCompleted {
			return archive
		}
		archive = append(archive, got.Data...)
		d.accepts(id, exportNext(len(archive)))
	}
}

func exportRefusal() proto.WorkspaceExportResult {
	return proto.WorkspaceExportResult{Outcome: proto.OutcomeRejected, ErrorCode: proto.CodeResourceUnavailable}
}

// wire 3.10.3, behaviour 7.4: begin, next and next until completed give one tar archive; afterwards the next operation may
// begin at once.
func TestExportPullsOneArchive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	contents := map[string]string{"a.txt": "hello", "docs/big": strings.Repeat("0123456789", 30_000), "empty": ""}
	for name, content := range contents {
		d.put(name, content)
	}
	handle := d.readable("prep")
	for range 20 {
		archive := d.pulls("op-1", exportBegin(handle))
		if len(archive) < 4*proto.MaxChunk {
			t.Fatalf("got %d bytes, want several pieces", len(archive))
		}
		found := map[string]string{}
		for files := tar.NewReader(bytes.NewReader(archive)); ; {
			header, err := files.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(files)
			if err != nil {
				t.Fatal(err)
			}
			if header.Typeflag == tar.TypeReg {
				found[header.Name] = string(content)
			}
		}
		for name, content := range contents {
			if found[name] != content {
				t.Errorf("got %d bytes of %q, want %d", len(found[name]), name, len(content))
			}
		}
	}
	d.release("prep", handle)
}

// wire 3.10.3: a begin or next that is not valid has no answer.
func TestExportWithoutAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	handle := d.readable("prep")
	placed, named := exportBegin(handle), exportNext(0)
	placed.Offset, named.Handle = 1, handle
	for _, bad := range []*proto.WorkspaceExport{
		placed, named, exportBegin(""), exportBegin(strings.Repeat("h", proto.MaxCorrelation+1)),
		{Step: "pull"}, {Step: proto.StepBegin, Handle: handle}, exportNext(-1), exportNext(proto.MaxExport + 1),
		exportNext(0), exportCancel(), // no export is under way
	} {
		d.dropped("op-1", bad)
	}
	d.dropped(strings.Repeat("i", proto.MaxCorrelation+1), exportBegin(handle))
	d.dropped("", exportBegin(handle))
	if err := d.hearsBytes([]byte(`{"type":"workspace_export","id":"op-1","payload":7}`)); !errors.Is(err, dispatch.ErrUnanswerable) {
		t.Errorf("got %v, want ErrUnanswerable", err)
	}
}

// behaviour 7.4, wire 5.10: what an export needs.
func TestExportRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(config *dispatch.Config) {
		if err := config.Registry.SetFactory(kindName, newAdapter().make); err != nil {
			t.Fatal(err)
		}
	})
	handle := d.readable("prep-1")
	other := exportBegin(handle)
	other.EnvironmentID = deskOther
	refused := func(name string, begin *proto.WorkspaceExport) {
		t.Helper()
		d.accepts(name, begin)
		d.exported(name, exportRefusal())
	}
	refused("unknown handle", exportBegin("hnd-none"))
	refused("other environment", other)
	d.release("prep-1", handle)
	refused("released handle", exportBegin(handle))

	inEnvironment := func(config *proto.Configuration) {
		config.DisableExecutionEnvironment = false
		config.LocalEnvironment = readOnlyRequest().Configuration.LocalEnvironment
	}
	if err := d.hears(prepareFrame("prep-2", deskSession, inEnvironment)); err != nil {
		t.Fatal(err)
	}
	takes[*proto.PreparationStatus](d, "prep-2")
	execution := takes[*proto.PreparationStatus](d, "prep-2")
	refused("an execution is admitted", exportBegin(execution.Handle))
	handle = d.readable("prep-3")
	refused("an execution is admitted beside it", exportBegin(handle))
	d.release("prep-2", execution.Handle)

	d.accepts("first", exportBegin(handle))
	takes[*proto.WorkspaceExportResult](d, "first")
	refused("an export is under way", exportBegin(handle))
	d.dropped("first", exportBegin(handle))
	d.shut(transferB)
	d.accepts("first", exportCancel())
}

// behaviour 7.4: the export must be declared.
func TestExportNotDeclared(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(config *dispatch.Config) {
		some := declared()
		some[proto.WorkspaceOutputExport] = proto.Unsupported
		if err := config.Registry.Declare(harness.Declaration{Kind: kindName, Available: true, Capabilities: some}); err != nil {
			t.Fatal(err)
		}
	})
	d.accepts("op-1", exportBegin(d.readable("prep")))
	d.exported("op-1", exportRefusal())
}

// archiveFiles exports what the test says.
type archiveFiles struct {
	dispatch.Files
	export func(ctx context.Context, out io.Writer) error
}

func (a *archiveFiles) Export(ctx context.Context, out io.Writer, _ int64) error {
	return a.export(ctx, out)
}

func exporting(export func(ctx context.Context, out io.Writer) error) func(*dispatch.Config) {
	return withFiles(func(files dispatch.Files) dispatch.Files { return &archiveFiles{files, export} })
}

// endless is an archive without an end.
func endless(ctx context.Context, out io.Writer) error {
	for ctx.Err() == nil {
		if _, err := out.Write(make([]byte, 1000)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// stuck gives one piece and then nothing until it is told to end.
func stuck(ctx context.Context, out io.Writer) error {
	if _, err := out.Write(make([]byte, proto.MaxChunk)); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// wire 3.10.3, behaviour 7.4: how an export ends before its archive does, and that the Router is free afterwards.
func TestExportEndsEarly(t *testing.T) {
	t.Parallel()
	const first = proto.MaxChunk
	broken := func(_ context.Context, out io.Writer) error {
		_, err := out.Write(make([]byte, proto.MaxChunk))
		return errors.Join(err, errors.New("changed while it was read"))
	}
	for name, c := range map[string]struct {
		archive func(ctx context.Context, out io.Writer) error
		after   func(d *desk) // what follows the first piece
	}{
		"cancel": {endless, func(d *desk) { d.accepts("op-1", exportCancel()) }},
		"cancel while an answer is due": {stuck, func(d *desk) {
			d.accepts("op-1", exportNext(first))
			d.dropped("op-1", exportNext(first)) // behaviour 7.4: one outstanding request
			d.accepts("op-1", exportCancel())
		}},
		"offset that was not sent": {endless, func(d *desk) {
			d.accepts("op-1", exportNext(first-1))
			d.exported("op-1", proto.WorkspaceExportResult{Outcome: proto.OutcomeRejected, Offset: first - 1, ErrorCode: proto.CodeInvalidRequest})
		}},
		"broken archive": {broken, func(d *desk) {
			d.accepts("op-1", exportNext(first))
			d.exported("op-1", proto.WorkspaceExportResult{Outcome: proto.OutcomeFailed, Offset: first, ErrorCode: proto.CodeExportFailed})
		}},
		"time is over and an answer is due": {stuck, func(d *desk) {
			begun := time.Now()
			d.accepts("op-1", exportNext(first))
			d.exported("op-1", proto.WorkspaceExportResult{Outcome: proto.OutcomeFailed, Offset: first, ErrorCode: proto.CodeExportFailed})
			if waited := time.Since(begun); waited != proto.ExportTimeout {
				d.t.Errorf("got the end after %s, want %s", waited, proto.ExportTimeout)
			}
		}},
		"time is over and nothing is due": {endless, func(d *desk) { elapse(proto.ExportTimeout) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, exporting(c.archive))
				handle := d.readable("prep-1")
				d.accepts("op-1", exportBegin(handle))
				if got := takes[*proto.WorkspaceExportResult](d, "op-1"); got.Outcome != proto.OutcomeChunk || len(got.Data) != first {
					t.Fatalf("got %s of %d bytes, want the first piece", got.Outcome, len(got.Data))
				}
				c.after(d)
				synctest.Wait()
				d.dropped("op-1", exportNext(first))
				d.release("prep-1", handle)
				d.accepts(transferA, writeBegin("file", ""))
				d.wrote(transferA, writeReady())
			})
		})
	}
}

// behaviour 5.9, 7.4: the release of the handle waits for the export that uses it.
func TestExportHoldsItsHandle(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	handle := d.readable("prep-1")
	d.accepts("op-1", exportBegin(handle))
	archive := takes[*proto.WorkspaceExportResult](d, "op-1")
	d.accepts("prep-1", &proto.ExecutionRelease{Handle: handle})
	d.accepts("op-1", exportNext(len(archive.Data)))
	ends := map[string]proto.Payload{} // their order is not promised
	for range 2 {
		frame := d.takeFrame()
		ends[frame.ID] = frame.Payload
	}
	if got, ok := ends["op-1"].(*proto.WorkspaceExportResult); !ok || got.Outcome != proto.OutcomeCompleted {
		t.Errorf("got %+v, want completed", ends["op-1"])
	}
	if got, ok := ends["prep-1"].(*proto.PreparationStatus); !ok || got.State != proto.StateReleased {
		t.Errorf("got %+v, want released", ends["prep-1"])
	}
}

// behaviour 5.10: shutdown ends an export, whether or not its peer waits.
func TestExportEndsWithTheRouter(t *testing.T) {
	t.Parallel()
	for name, archive := range map[string]func(context.Context, io.Writer) error{"peer is slow": endless, "disk is slow": func(ctx context.Context, _ io.Writer) error {
		<-ctx.Done()
		return ctx.Err()
	}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, exporting(archive))
				d.accepts("op-1", exportBegin(d.readable("prep-1")))
				synctest.Wait()
				if name == "peer is slow" {
					takes[*proto.WorkspaceExportResult](d, "op-1")
				}
				d.shutdown()
			})
		})
	}
}
