package proto_test

import (
	"strings"
	"testing"

	"parley/daemon/proto"
)

// wire 3.10.1, 3.10.2, 3.10.3
func TestWorkspaceRequestRules(t *testing.T) {
	t.Parallel()
	read := func(edit func(*proto.WorkspaceRead)) func(proto.Payload) { return on(edit) }
	write := func(edit func(*proto.WorkspaceWrite)) func(proto.Payload) { return on(edit) }
	export := func(edit func(*proto.WorkspaceExport)) func(proto.Payload) { return on(edit) }
	run(t, []breach{
		{"V49", "no target", read(func(r *proto.WorkspaceRead) { r.Handle = "" }), "payload.handle", "wire 3.10.1"},
		{"V49", "no Environment", read(func(r *proto.WorkspaceRead) { r.EnvironmentID = "" }), "payload.environment_id", "wire 3.10.1"},
		{"V49", "absolute path", read(func(r *proto.WorkspaceRead) { r.Path = "/a" }), "payload.path", "wire 3.10.1"},
		{"V49", "path above", read(func(r *proto.WorkspaceRead) { r.Path = "../a" }), "payload.path", "wire 3.10.1"},
		{"V49", "bytes of the root", read(func(r *proto.WorkspaceRead) { r.Path = "" }), "payload.path", "wire 3.10.1"},
		{"V49", "most bytes", read(func(r *proto.WorkspaceRead) { r.MaxBytes = 1_048_576 }), "", ""},
		{"V49", "too many bytes", read(func(r *proto.WorkspaceRead) { r.MaxBytes = 1_048_577 }), "payload.max_bytes", "wire 3.10.1"},
		{"V49", "names of a byte read", read(func(r *proto.WorkspaceRead) { r.MaxEntries = 1 }), "payload.max_entries", "wire 3.10.1"},
		{"V49", "operation", read(func(r *proto.WorkspaceRead) { r.Operation = "file" }), "payload.operation", "wire 3.10.1"},
		{"V50", "no names", read(func(r *proto.WorkspaceRead) { r.MaxEntries = 0 }), "payload.max_entries", "wire 3.10.1"},
		{"V50", "most names", read(func(r *proto.WorkspaceRead) { r.MaxEntries = 1024 }), "", ""},
		{"V50", "folder", read(func(r *proto.WorkspaceRead) { r.Path = "a/b" }), "", ""},
		{"V54", "no Environment", write(func(w *proto.WorkspaceWrite) { w.EnvironmentID = "" }), "payload.environment_id", "wire 3.10.2"},
		{"V54", "no Session", write(func(w *proto.WorkspaceWrite) { w.SessionID = "" }), "payload.session_id", "wire 3.10.2"},
		{"V54", "no bytes", write(func(w *proto.WorkspaceWrite) { w.SizeBytes = 0 }), "", ""},
		{"V54", "most bytes", write(func(w *proto.WorkspaceWrite) { w.SizeBytes = 52_428_800 }), "", ""},
		{"V54", "digest in capitals", write(func(w *proto.WorkspaceWrite) { w.SHA256 = strings.ToUpper(w.SHA256) }), "payload.sha256", "wire 3.10.2"},
		{"V54", "step", write(func(w *proto.WorkspaceWrite) { *w = proto.WorkspaceWrite{Step: "abort"} }), "payload.step", "wire 3.10.2"},
		{"V55", "path", write(func(w *proto.WorkspaceWrite) { w.Path = "a" }), "payload.path", "wire 3.10.2"},
		{"V55", "Environment", write(func(w *proto.WorkspaceWrite) { w.EnvironmentID = "e" }), "payload.environment_id", "wire 3.10.2"},
		{"V55", "Session", write(func(w *proto.WorkspaceWrite) { w.SessionID = "s" }), "payload.session_id", "wire 3.10.2"},
		{"V55", "size", write(func(w *proto.WorkspaceWrite) { w.SizeBytes = 1 }), "payload.size_bytes", "wire 3.10.2"},
		{"V55", "digest", write(func(w *proto.WorkspaceWrite) { w.SHA256 = long(64) }), "payload.sha256", "wire 3.10.2"},
		{"V55", "whole piece", write(func(w *proto.WorkspaceWrite) { w.Data = make([]byte, 65_536) }), "", ""},
		{"V55", "piece too long", write(func(w *proto.WorkspaceWrite) { w.Data = make([]byte, 65_537) }), "payload.data", "wire 3.10.2"},
		{"V55", "no data", write(func(w *proto.WorkspaceWrite) { w.Data = nil }), "payload.data", "wire 3.10.2"},
		{"V55", "commit with data", write(func(w *proto.WorkspaceWrite) { w.Step = "commit" }), "payload.data", "wire 3.10.2"},
		{"V58", "no handle", export(func(e *proto.WorkspaceExport) { e.Handle = "" }), "payload.handle", "wire 3.10.3"},
		{"V58", "longest handle", export(func(e *proto.WorkspaceExport) { e.Handle = long(128) }), "", ""},
		{"V58", "handle too long", export(func(e *proto.WorkspaceExport) { e.Handle = long(129) }), "payload.handle", "wire 3.10.3"},
		{"V58", "Environment too long", export(func(e *proto.WorkspaceExport) { e.EnvironmentID = long(129) }), "payload.environment_id", "wire 3.10.3"},
		{"V58", "offset", export(func(e *proto.WorkspaceExport) { e.Offset = 1 }), "payload.offset", "wire 3.10.3"},
		{"V60", "largest offset", export(func(e *proto.WorkspaceExport) { e.Offset = 553_648_128 }), "", ""},
		{"V60", "offset beyond", export(func(e *proto.WorkspaceExport) { e.Offset = 553_648_129 }), "payload.offset", "wire 3.10.3"},
		{"V60", "Environment", export(func(e *proto.WorkspaceExport) { e.EnvironmentID = "e" }), "payload.environment_id", "wire 3.10.3"},
		{"V60", "cancel", export(func(e *proto.WorkspaceExport) { *e = proto.WorkspaceExport{Step: "cancel"} }), "", ""},
		{"V60", "cancel with an offset", export(func(e *proto.WorkspaceExport) { e.Step = "cancel" }), "payload.offset", "wire 3.10.3"},
		{"V60", "step", export(func(e *proto.WorkspaceExport) { *e = proto.WorkspaceExport{Step: "commit"} }), "payload.step", "wire 3.10.3"},
	})
}

// wire 3.10.1, 3.10.2, 3.10.3, 3.8.4
func TestWorkspaceResultRules(t *testing.T) {
	t.Parallel()
	read := func(edit func(*proto.WorkspaceReadResult)) func(proto.Payload) { return on(edit) }
	entry := func(edit func(*proto.Entry)) func(proto.Payload) {
		return on(func(r *proto.WorkspaceReadResult) { edit(&r.Directory.Entries[1]) })
	}
	write := func(edit func(*proto.WorkspaceWriteResult)) func(proto.Payload) { return on(edit) }
	export := func(edit func(*proto.WorkspaceExportResult)) func(proto.Payload) { return on(edit) }
	prepare := func(edit func(*proto.RuntimePrepareResult)) func(proto.Payload) { return on(edit) }
	run(t, []breach{
		{"V51", "outcome", read(func(r *proto.WorkspaceReadResult) { r.Outcome = "failed" }), "payload.outcome", "wire 3.10.1"},
		{"V51", "code of a completed read", read(func(r *proto.WorkspaceReadResult) { r.ErrorCode = "not_found" }), "payload.error_code", "wire 5.8"},
		{"V51", "empty file", read(func(r *proto.WorkspaceReadResult) { r.Data = nil }), "", ""},
		{"V51", "too many bytes", read(func(r *proto.WorkspaceReadResult) { r.Data = make([]byte, 1_048_577) }), "payload.data", "wire 3.10.1"},
		{"V53", "no code", read(func(r *proto.WorkspaceReadResult) { r.ErrorCode = "" }), "payload.error_code", "wire 5.8"},
		{"V53", "listing", read(func(r *proto.WorkspaceReadResult) { r.Directory = &proto.Directory{} }), "payload.directory", "wire 3.10.1"},
		{"V53", "unknown", read(func(r *proto.WorkspaceReadResult) { r.Outcome, r.ErrorCode = "unknown", "read_unconfirmed" }), "", ""},
		{"V53", "unknown with a code of a rejection", read(func(r *proto.WorkspaceReadResult) { r.Outcome = "unknown" }), "payload.error_code", "wire 5.8"},
		{"V53", "cut", read(func(r *proto.WorkspaceReadResult) { r.Truncated = true }), "payload.truncated", "wire 3.10.1"},
		{"V52", "cut beside names", read(func(r *proto.WorkspaceReadResult) { r.Truncated = true }), "payload.truncated", "wire 3.10.1"},
		{"V52", "bytes beside names", read(func(r *proto.WorkspaceReadResult) { r.Data = []byte("x") }), "payload.data", "wire 3.10.1"},
		{"V52", "name twice", entry(func(e *proto.Entry) { e.Name = "docs" }), "payload.directory.entries", "wire 3.10.1"},
		{"V52", "no name", entry(func(e *proto.Entry) { e.Name = "" }), "payload.directory.entries[1].name", "wire 3.10.1"},
		{"V52", "folder above", entry(func(e *proto.Entry) { e.Name = ".." }), "payload.directory.entries[1].name", "wire 3.10.1"},
		{"V52", "longest name", entry(func(e *proto.Entry) { e.Name = long(255) }), "", ""},
		{"V52", "name too long", entry(func(e *proto.Entry) { e.Name = long(256) }), "payload.directory.entries[1].name", "wire 3.10.1"},
		{"V52", "kind", entry(func(e *proto.Entry) { e.Kind, e.SizeBytes = "socket", nil }), "payload.directory.entries[1].kind", "wire 3.10.1"},
		{"V52", "size of a link", entry(func(e *proto.Entry) { e.Kind = "symlink" }), "payload.directory.entries[1].size_bytes", "wire 3.10.1"},
		{"V52", "size below 0", entry(func(e *proto.Entry) { *e.SizeBytes = -1 }), "payload.directory.entries[1].size_bytes", "wire 3.10.1"},
		{"V52", "too many names", read(func(r *proto.WorkspaceReadResult) { r.Directory.Entries = make([]proto.Entry, 1025) }), "payload.directory.entries", "wire 3.10.1"},
		{"V56", "outcome failed", write(func(w *proto.WorkspaceWriteResult) { *w = proto.WorkspaceWriteResult{Outcome: "failed"} }), "payload.outcome", "wire 3.10.2"},
		{"V56", "offset", write(func(w *proto.WorkspaceWriteResult) { w.Offset = 1 }), "payload.offset", "wire 3.10.2"},
		{"V57", "size", write(func(w *proto.WorkspaceWriteResult) { w.SizeBytes = 1 }), "payload.size_bytes", "wire 3.10.2"},
		{"V57", "reason", write(func(w *proto.WorkspaceWriteResult) { w.Reason = "full" }), "payload.reason", "wire 5.9"},
		{"V57", "no reason", write(func(w *proto.WorkspaceWriteResult) { w.Reason = "" }), "", ""},
		{"V57", "unknown", write(func(w *proto.WorkspaceWriteResult) {
			*w = proto.WorkspaceWriteResult{Outcome: "unknown", ErrorCode: "write_unconfirmed"}
		}), "", ""},
		{"V59", "no data", export(func(e *proto.WorkspaceExportResult) { e.Data = nil }), "payload.data", "wire 3.10.3"},
		{"V59", "piece too long", export(func(e *proto.WorkspaceExportResult) { e.Data = make([]byte, 65_537) }), "payload.data", "wire 3.10.3"},
		{"V59", "last piece", export(func(e *proto.WorkspaceExportResult) { e.Data, e.Offset = make([]byte, 65_536), 553_582_592 }), "", ""},
		{"V59", "beyond the end", export(func(e *proto.WorkspaceExportResult) { e.Data, e.Offset = make([]byte, 65_536), 553_582_593 }), "payload.offset", "wire 3.10.3"},
		{"V61", "outcome", export(func(e *proto.WorkspaceExportResult) { e.Outcome = "received" }), "payload.outcome", "wire 3.10.3"},
		{"V61", "offset below 0", export(func(e *proto.WorkspaceExportResult) { e.Offset = -1 }), "payload.offset", "wire 3.10.3"},
		{"V61", "data at the end", export(func(e *proto.WorkspaceExportResult) { e.Data = []byte("x") }), "payload.data", "wire 3.10.3"},
		{"V61", "failed", export(func(e *proto.WorkspaceExportResult) { e.Outcome, e.ErrorCode = "failed", "export_failed" }), "", ""},
		{"V61", "failed without a code", export(func(e *proto.WorkspaceExportResult) { e.Outcome = "failed" }), "payload.error_code", "wire 5.10"},
		{"V13", "outcome", prepare(func(p *proto.RuntimePrepareResult) { p.Outcome = "chunk" }), "payload.outcome", "wire 3.8.4"},
		{"V14", "nothing received", prepare(func(p *proto.RuntimePrepareResult) { p.Offset = 0 }), "payload.offset", "wire 3.8.4"},
		{"V15", "size too large", prepare(func(p *proto.RuntimePrepareResult) { p.SizeBytes = 52_428_801 }), "payload.size_bytes", "wire 3.8.4"},
		{"V16", "highest exit code", prepare(func(p *proto.RuntimePrepareResult) { p.ExitCode = 255 }), "", ""},
		{"V16", "exit code above", prepare(func(p *proto.RuntimePrepareResult) { p.ExitCode = 256 }), "payload.exit_code", "wire 3.8.4"},
		{"V16", "no exit code", prepare(func(p *proto.RuntimePrepareResult) { p.ExitCode = 0 }), "", ""},
		{"V16", "no code", prepare(func(p *proto.RuntimePrepareResult) { p.ErrorCode = "" }), "payload.error_code", "wire 3.8.4"},
		{"V16", "rejected with an exit code", prepare(func(p *proto.RuntimePrepareResult) { p.Outcome, p.ErrorCode = "rejected", "invalid_request" }), "payload.exit_code", "wire 3.8.4"},
		{"V62", "no id", on(func(q *proto.EnvironmentQuiesce) { q.SuspendID = "" }), "payload.suspend_id", "wire 3.11"},
		{"V62", "id too long", on(func(q *proto.EnvironmentQuiesce) { q.EnvironmentID = long(129) }), "payload.environment_id", "wire 3.11"},
		{"V64", "rollback", on(func(r *proto.EnvironmentResume) { r.Rollback = true }), "", ""},
		{"V63", "refused without a code", on(func(q *proto.EnvironmentQuiesced) { q.Accepted = false }), "payload.error_code", "wire 3.11"},
		{"V65", "code", on(func(r *proto.EnvironmentResumed) { r.ErrorCode = "busy" }), "payload.error_code", "wire 3.11"},
		{"V65", "no suspension", on(func(r *proto.EnvironmentResumed) { r.SuspendID = "" }), "payload.suspend_id", "wire 3.11"},
		{"V65", "no id", on(func(r *proto.EnvironmentResumed) { r.EnvironmentID = "" }), "payload.environment_id", "wire 3.11"},
	})
}

// wire 7.2: sizes that do not fit in a line.
func TestSizes(t *testing.T) {
	t.Parallel()
	const transfer = "7d1e5f90-a2b3-4c4d-8e6f-9a0b1c2d3e4f"
	begin := validFrame(t, "V03").Payload.(*proto.RuntimePrepare)
	begin.Skill.Description = long(1_048_000)
	held(t, proto.New(transfer, begin).Validate(), "", "")
	begin.Skill.Description = long(1_048_576)
	held(t, proto.New(transfer, begin).Validate(), "payload", "wire 1.5")

	begin.Skill.Description = strings.Repeat("<", 180_000) // six bytes each when it is encoded again
	received := `{"type":"runtime_prepare","id":"` + transfer + `","payload":` + strings.ReplaceAll(encoded(t, begin), `\u003c`, "<") + `}`
	held(t, decode(t, received).Validate(), "payload", "wire 1.5")

	read := validFrame(t, "V49").Payload.(*proto.WorkspaceRead)
	read.Handle = long(8_192 - len(encoded(t, read)) + len(read.Handle))
	held(t, proto.New("op-1", read).Validate(), "", "")
	read.Handle += "x"
	held(t, proto.New("op-1", read).Validate(), "payload", "wire 1.5")
	held(t, decode(t, `{"type":"workspace_read","id":"op-1","payload":`+encoded(t, read)+`}`).Validate(), "payload", "wire 1.5")

	write := validFrame(t, "V54").Payload.(*proto.WorkspaceWrite)
	write.SessionID = long(98_304)
	held(t, proto.New(transfer, write).Validate(), "payload", "wire 1.5")

	const quiesce = `{"type":"environment_quiesce","id":"q","payload":{"environment_id":"e","suspend_id":"s","pad":"%"}}`
	held(t, decode(t, strings.Replace(quiesce, "%", long(900), 1)).Validate(), "", "")
	held(t, decode(t, strings.Replace(quiesce, "%", long(1_024), 1)).Validate(), "payload", "wire 1.5")

	const frame = `{"type":"delta","id":"r","payload":{"delta":"","sequence":0}}`
	longest := proto.New("r", &proto.Delta{Delta: long(proto.MaxFrame - len(frame))})
	if data, err := proto.Encode(longest); err != nil || len(data) != proto.MaxFrame {
		t.Errorf("got %d bytes and %v, want a frame of 4194304 bytes", len(data), err)
	}
	longest.Payload.(*proto.Delta).Delta += "x"
	if _, err := proto.Encode(longest); err == nil {
		t.Error("got a frame of 4194305 bytes, want an error")
	}
}

func encoded(t *testing.T, payload proto.Payload) string {
	t.Helper()
	data, err := proto.EncodePayload(payload)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
