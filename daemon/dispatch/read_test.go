package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

func readBytes(handle, path string, most int) *proto.WorkspaceRead {
	return &proto.WorkspaceRead{Handle: handle, EnvironmentID: deskEnvironment, Path: path, MaxBytes: most}
}

func readDirectory(handle, path string, most int) *proto.WorkspaceRead {
	return &proto.WorkspaceRead{Handle: handle, EnvironmentID: deskEnvironment, Path: path,
		Operation: proto.OperationDirectory, MaxEntries: most}
}

// reads sends a read and takes its reply, which must fit the request.
func (d *desk) reads(id string, request *proto.WorkspaceRead) *proto.WorkspaceReadResult {
	d.t.Helper()
	d.accepts(id, request)
	got := takes[*proto.WorkspaceReadResult](d, id)
	if err := got.Answers(request); err != nil {
		d.t.Fatalf("got %+v, which is no answer: %v", got, err)
	}
	return got
}

// refuses sends a read that is rejected with a code.
func (d *desk) refuses(id string, request *proto.WorkspaceRead, code string) {
	d.t.Helper()
	d.accepts(id, request)
	got := takes[*proto.WorkspaceReadResult](d, id)
	if got.Outcome != proto.OutcomeRejected || got.ErrorCode != code {
		d.t.Errorf("got %+v, want rejected %s", got, code)
	}
}

// wire 3.10.1: bytes up to the bound, and whether the file goes on.
func TestReadBytes(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", proto.MaxReadBytes)
	for name, c := range map[string]struct {
		content, want string
		most          int
		truncated     bool
	}{
		"all":       {content: "hello", want: "hello", most: 6},
		"exact":     {content: "hello", want: "hello", most: 5},
		"truncated": {content: "hello", want: "hell", most: 4, truncated: true},
		"empty":     {most: 1},
		"1 MiB":     {content: big, want: big, most: proto.MaxReadBytes},
		"1 MiB + 1": {content: big + "y", want: big, most: proto.MaxReadBytes, truncated: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.put("docs/file", c.content)
			got := d.reads("op-1", readBytes(d.readable("prep"), "docs/file", c.most))
			if got.Outcome != proto.OutcomeCompleted || !got.CloseAcknowledged || got.Truncated != c.truncated {
				t.Errorf("got %s, close acknowledged %t, truncated %t; want completed, true, %t", got.Outcome, got.CloseAcknowledged, got.Truncated, c.truncated)
			}
			if !bytes.Equal(got.Data, []byte(c.want)) {
				t.Errorf("got %d bytes, want the first %d of the file", len(got.Data), len(c.want))
			}
		})
	}
}

// wire 3.10.1: one folder, "" being the workspace itself, with kinds and sizes.
func TestReadDirectory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("docs/a.md", "12345")
	d.put("docs/sub/file", "")
	if err := os.Symlink("a.md", filepath.Join(d.files.Dir(), "docs", "link")); err != nil {
		t.Fatal(err)
	}
	handle := d.readable("prep")
	list := func(path string, most int) string {
		got := d.reads("op-1", readDirectory(handle, path, most))
		if got.Outcome != proto.OutcomeCompleted || !got.CloseAcknowledged {
			t.Fatalf("got %+v, want completed", got)
		}
		var text strings.Builder
		for _, entry := range got.Directory.Entries {
			fmt.Fprintf(&text, "%s %s", entry.Name, entry.Kind)
			if entry.SizeBytes != nil {
				fmt.Fprintf(&text, " %d", *entry.SizeBytes)
			}
			text.WriteString("; ")
		}
		return fmt.Sprintf("%struncated %t", text.String(), *got.Directory.Truncated)
	}
	for _, c := range []struct {
		path string
		most int
		want string
	}{
		{"", 10, "docs directory; truncated false"},
		{"docs", 10, "a.md file 5; link symlink; sub directory; truncated false"},
		{"docs", 2, "a.md file 5; link symlink; truncated true"},
		{"docs/sub", 1, "file file 0; truncated false"},
	} {
		if got := list(c.path, c.most); got != c.want {
			t.Errorf("list %q: got %q, want %q", c.path, got, c.want)
		}
	}
}

// wire 3.10.1, 5.8, F-1: finite rejections of the request and of what is there.
func TestReadRejections(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("folder/inside", "x")
	d.put("file", "x")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": filepath.Join(outside, "secret"), "out": outside} {
		if err := os.Symlink(target, filepath.Join(d.files.Dir(), link)); err != nil {
			t.Fatal(err)
		}
	}
	handle := d.readable("prep")
	other := readBytes(handle, "file", 1)
	other.EnvironmentID = deskOther
	both := readBytes(handle, "file", 1)
	both.RunID = "run-1"
	for name, c := range map[string]struct {
		request *proto.WorkspaceRead
		code    string
	}{
		"parent":              {readBytes(handle, "../file", 1), proto.CodeInvalidRequest},
		"absolute":            {readBytes(handle, "/etc/passwd", 1), proto.CodeInvalidRequest},
		"empty element":       {readBytes(handle, "a//b", 1), proto.CodeInvalidRequest},
		"trailing slash":      {readBytes(handle, "folder/", 1), proto.CodeInvalidRequest},
		"backslash":           {readBytes(handle, `a\b`, 1), proto.CodeInvalidRequest},
		"NUL":                 {readBytes(handle, "a\x00", 1), proto.CodeInvalidRequest},
		"CR":                  {readBytes(handle, "a\r", 1), proto.CodeInvalidRequest},
		"4097 bytes":          {readBytes(handle, strings.Repeat("a/", 2048)+"b", 1), proto.CodeInvalidRequest},
		"no path":             {readBytes(handle, "", 1), proto.CodeInvalidRequest},
		"no bound":            {readBytes(handle, "file", 0), proto.CodeInvalidRequest},
		"bound over 1 MiB":    {readBytes(handle, "file", proto.MaxReadBytes+1), proto.CodeInvalidRequest},
		"no entries":          {readDirectory(handle, "", 0), proto.CodeInvalidRequest},
		"1025 entries":        {readDirectory(handle, "", proto.MaxEntries+1), proto.CodeInvalidRequest},
		"handle and run":      {both, proto.CodeInvalidRequest},
		"over 8 KiB":          {readBytes(handle, strings.Repeat("x", proto.MaxReadPayload), 1), proto.CodeInvalidRequest},
		"missing":             {readBytes(handle, "none", 1), proto.CodeNotFound},
		"missing below":       {readBytes(handle, "none/file", 1), proto.CodeNotFound},
		"below a file":        {readBytes(handle, "file/inside", 1), proto.CodeNotFound},
		"folder":              {readBytes(handle, "folder", 1), proto.CodeReadUnsupported},
		"link":                {readBytes(handle, "link", 10), proto.CodeReadUnsupported},
		"through a link":      {readBytes(handle, "out/secret", 10), proto.CodeReadUnsupported},
		"list a file":         {readDirectory(handle, "file", 1), proto.CodeNotDirectory},
		"list nothing":        {readDirectory(handle, "none", 1), proto.CodeNotFound},
		"list a link":         {readDirectory(handle, "out", 1), proto.CodeReadUnsupported},
		"other environment":   {other, proto.CodeResourceUnavailable},
		"unknown handle":      {readBytes("hnd-none", "file", 1), proto.CodeResourceUnavailable},
		"unknown run":         {&proto.WorkspaceRead{RunID: "run-1", EnvironmentID: deskEnvironment, Path: "file", MaxBytes: 1}, proto.CodeResourceUnavailable},
		"unknown operation":   {&proto.WorkspaceRead{Handle: handle, EnvironmentID: deskEnvironment, Path: "file", Operation: "search"}, proto.CodeInvalidRequest},
		"environment missing": {&proto.WorkspaceRead{Handle: handle, Path: "file", MaxBytes: 1}, proto.CodeInvalidRequest},
	} {
		d.accepts("op-1", c.request)
		got := takes[*proto.WorkspaceReadResult](d, "op-1")
		if got.Outcome != proto.OutcomeRejected || got.ErrorCode != c.code {
			t.Errorf("%s: got %+v, want rejected %s", name, got, c.code)
		}
	}
	if got := d.reads("op-2", readBytes(handle, "file", 1)); string(got.Data) != "x" {
		t.Errorf("got %+v, want the file still to be readable", got)
	}
}

// wire 1.3, 3.10.1: the trace comes back up to 256 bytes, an id over 128 bytes gets no reply.
func TestReadCorrelation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put("file", "x")
	handle := d.readable("prep")
	longest := strings.Repeat("i", proto.MaxCorrelation)
	for _, c := range []struct{ trace, want string }{
		{"", ""},
		{strings.Repeat("t", proto.MaxTraceEcho), strings.Repeat("t", proto.MaxTraceEcho)},
		{strings.Repeat("t", proto.MaxTraceEcho+1), ""},
	} {
		frame := proto.New(longest, readBytes(handle, "file", 1))
		frame.Trace = c.trace
		if err := d.hears(frame); err != nil {
			t.Fatal(err)
		}
		if got := d.takeFrame(); got.ID != longest || got.Trace != c.want {
			t.Errorf("got id of %d bytes and trace of %d bytes, want 128 and %d", len(got.ID), len(got.Trace), len(c.want))
		}
	}
	d.dropped(longest+"i", readBytes(handle, "file", 1))
	d.dropped("", readBytes(handle, "file", 1))
}

// wire 5.8: without a folder nothing can be read.
func TestReadWithoutFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(config *dispatch.Config) { config.Files = nil })
	d.refuses("op-1", readBytes("hnd-1", "file", 1), proto.CodeReadUnsupported)
}

// slowFiles reads when the test lets it.
type slowFiles struct {
	dispatch.Files
	begun chan string // paths as reads begin
	end   chan error  // one value ends one read; nil: for real
	deaf  bool        // the end of the context changes nothing
}

func newSlowFiles() *slowFiles {
	return &slowFiles{begun: make(chan string, 16), end: make(chan error)}
}

func (s *slowFiles) Read(ctx context.Context, path string, most int) (workspace.Bytes, error) {
	over := ctx.Done()
	if s.deaf {
		over = nil
	}
	s.begun <- path
	select {
	case err := <-s.end:
		if err != nil {
			return workspace.Bytes{}, err
		}
		return s.Files.Read(context.WithoutCancel(ctx), path, most)
	case <-over:
		return workspace.Bytes{}, ctx.Err()
	}
}

func (s *slowFiles) wrap(files dispatch.Files) dispatch.Files {
	s.Files = files
	return s
}

// behaviour 7.3: four reads at once; a frame with the id of a pending one does nothing; a read keeps a write out.
func TestReadsAtOnce(t *testing.T) {
	t.Parallel()
	slow := newSlowFiles()
	d := newDesk(t, withFiles(slow.wrap))
	d.put("file", "x")
	handle := d.readable("prep")
	ids := []string{"op-1", "op-2", "op-3", "op-4"}
	for _, id := range ids {
		d.accepts(id, readBytes(handle, "file", 1))
		<-slow.begun
	}
	d.refuses("op-5", readBytes(handle, "file", 1), proto.CodeReadCapacity)
	d.accepts("op-1", readBytes(handle, "file", 1))
	d.accepts("op-2", readBytes(handle, "../file", 1))
	for range 50 {
		slow.end <- nil
		ended := d.takeFrame().ID
		d.accepts(ended, readBytes(handle, "file", 1)) // there is room as soon as the reply is there
		<-slow.begun
	}
	d.accepts("prep", &proto.ExecutionRelease{Handle: handle})
	d.accepts(transferA, writeBegin("file", ""))
	d.wrote(transferA, writeRefusal(proto.CodeResourceUnavailable, ""))
	for range ids {
		slow.end <- nil
	}
	for range len(ids) + 1 { // the replies, and released
		d.takeFrame()
	}
}

// behaviour 7.3: a read goes on when its target is released, and the release is told when the read is over.
func TestReadSurvivesRelease(t *testing.T) {
	t.Parallel()
	slow := newSlowFiles()
	d := newDesk(t, withFiles(slow.wrap))
	d.put("file", "x")
	handle := d.readable("prep")
	d.accepts("op-1", readBytes(handle, "file", 1))
	<-slow.begun
	d.accepts("prep", &proto.ExecutionRelease{Handle: handle})
	d.refuses("op-2", readBytes(handle, "file", 1), proto.CodeResourceUnavailable)
	slow.end <- nil
	first, second := d.takeFrame(), d.takeFrame() // their order is not promised
	if first.ID != "op-1" {
		first, second = second, first
	}
	if got, ok := first.Payload.(*proto.WorkspaceReadResult); !ok || string(got.Data) != "x" {
		t.Errorf("got %+v, want the bytes", first.Payload)
	}
	if got, ok := second.Payload.(*proto.PreparationStatus); !ok || got.State != proto.StateReleased {
		t.Errorf("got %+v, want released", second.Payload)
	}
}

// behaviour 7.3: what is interrupted or ambiguous is unknown, and its owner takes no more reads.
func TestReadUnconfirmed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		deaf bool
		err  error
	}{
		"ambiguous":                 {err: fmt.Errorf("%w: %w", workspace.ErrUnconfirmed, workspace.ErrNotFound)},
		"a fault nobody knows":      {err: errors.New("input/output error")},
		"interrupted":               {},
		"the disk never comes back": {deaf: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := newSlowFiles()
				slow.deaf = c.deaf
				d := newDesk(t, withFiles(slow.wrap))
				handle, other := d.readable("prep-1"), d.readable("prep-2")
				begun, want := time.Now(), proto.ReadNative
				d.accepts("op-1", readBytes(handle, "file", 1))
				<-slow.begun
				if c.err != nil {
					slow.end <- c.err
					want = 0
				}
				got := takes[*proto.WorkspaceReadResult](d, "op-1")
				if got.Outcome != proto.OutcomeUnknown || got.ErrorCode != proto.CodeReadUnconfirmed {
					t.Errorf("got %+v, want unknown read_unconfirmed", got)
				}
				if waited := time.Since(begun); waited != want {
					t.Errorf("got the reply after %s, want %s", waited, want)
				}
				d.refuses("op-2", readBytes(handle, "file", 1), proto.CodeResourceUnavailable)
				slow.deaf = false
				d.accepts("op-3", readBytes(other, "file", 1))
				<-slow.begun
				if c.deaf {
					slow.end <- nil // either of the two
				}
				slow.end <- workspace.ErrNotFound
				if got := takes[*proto.WorkspaceReadResult](d, "op-3"); got.ErrorCode != proto.CodeNotFound {
					t.Errorf("got %+v from another owner, want not_found", got)
				}
			})
		})
	}
}
