package proto_test

import (
	"testing"

	"parley/daemon/proto"
)

// wire 3.8.4: which result answers which step, with which counts; the rest is no receipt.
func TestPrepareAnswers(t *testing.T) {
	t.Parallel()
	begin := validFrame(t, "V05").Payload.(*proto.RuntimePrepare) // 22 bytes
	rejected := proto.RuntimePrepareResult{Outcome: "rejected", ErrorCode: "runtime_preparation_rejected"}
	for _, test := range []struct {
		step   string
		staged int64
		result proto.RuntimePrepareResult
		path   string
	}{
		{"begin", 0, proto.RuntimePrepareResult{Outcome: "ready"}, ""},
		{"begin", 0, rejected, ""},
		{"begin", 0, proto.RuntimePrepareResult{Outcome: "completed", SizeBytes: 22}, "outcome"},
		{"begin", 0, proto.RuntimePrepareResult{Outcome: "failed", ErrorCode: "runtime_preparation_failed"}, "outcome"},
		{"begin", 0, proto.RuntimePrepareResult{Outcome: "unknown", ErrorCode: "runtime_preparation_unconfirmed"}, "outcome"},
		{"chunk", 22, proto.RuntimePrepareResult{Outcome: "received", Offset: 22}, ""},
		{"chunk", 22, proto.RuntimePrepareResult{Outcome: "received", Offset: 21}, "offset"},
		{"chunk", 22, rejected, ""},
		{"chunk", 22, proto.RuntimePrepareResult{Outcome: "ready"}, "outcome"},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "completed", SizeBytes: 22}, ""},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "completed"}, "size_bytes"},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "failed", ExitCode: 2, ErrorCode: "runtime_preparation_failed"}, ""},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "unknown", ErrorCode: "runtime_preparation_unconfirmed"}, ""},
		{"commit", 22, rejected, ""},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "ready"}, "outcome"},
		{"commit", 22, proto.RuntimePrepareResult{Outcome: "gone"}, "outcome"},
	} {
		held(t, test.result.Answers(begin, test.step, test.staged), test.path, "wire 3.8.4")
	}
}

// wire 3.10.2
func TestWriteAnswers(t *testing.T) {
	t.Parallel()
	begin := validFrame(t, "V54").Payload.(*proto.WorkspaceWrite) // 22 bytes
	for _, test := range []struct {
		step   string
		staged int64
		result proto.WorkspaceWriteResult
		path   string
	}{
		{"begin", 0, proto.WorkspaceWriteResult{Outcome: "ready"}, ""},
		{"begin", 0, proto.WorkspaceWriteResult{Outcome: "received", Offset: 22}, "outcome"},
		{"begin", 0, proto.WorkspaceWriteResult{Outcome: "unknown", ErrorCode: "write_unconfirmed"}, "outcome"},
		{"chunk", 22, proto.WorkspaceWriteResult{Outcome: "received", Offset: 22}, ""},
		{"chunk", 22, proto.WorkspaceWriteResult{Outcome: "received", Offset: 23}, "offset"},
		{"commit", 22, proto.WorkspaceWriteResult{Outcome: "completed", SizeBytes: 22}, ""},
		{"commit", 22, proto.WorkspaceWriteResult{Outcome: "completed", SizeBytes: 21}, "size_bytes"},
		{"commit", 22, proto.WorkspaceWriteResult{Outcome: "rejected", ErrorCode: "write_rejected", Reason: "unsafe_destination"}, ""},
		{"commit", 22, proto.WorkspaceWriteResult{Outcome: "unknown", ErrorCode: "write_unconfirmed"}, ""},
	} {
		held(t, test.result.Answers(begin, test.step, test.staged), test.path, "wire 3.10.2")
	}
}

// wire 3.10.1
func TestReadAnswers(t *testing.T) {
	t.Parallel()
	bytesOf := &proto.WorkspaceRead{Handle: "h", EnvironmentID: "e", Path: "a", MaxBytes: 4}
	namesOf := &proto.WorkspaceRead{Handle: "h", EnvironmentID: "e", Operation: "directory", MaxEntries: 1}
	listing := func(names ...string) *proto.Directory {
		directory := &proto.Directory{Truncated: ref(false)}
		for _, name := range names {
			directory.Entries = append(directory.Entries, proto.Entry{Name: name, Kind: "other"})
		}
		return directory
	}
	done := func(result proto.WorkspaceReadResult) proto.WorkspaceReadResult {
		result.Outcome, result.CloseAcknowledged = "completed", true
		return result
	}
	for name, test := range map[string]struct {
		request *proto.WorkspaceRead
		result  proto.WorkspaceReadResult
		path    string
	}{
		"bytes":                     {bytesOf, done(proto.WorkspaceReadResult{Data: []byte("abc")}), ""},
		"no bytes":                  {bytesOf, done(proto.WorkspaceReadResult{}), ""},
		"all bytes and more":        {bytesOf, done(proto.WorkspaceReadResult{Data: []byte("abcd"), Truncated: true}), ""},
		"cut too early":             {bytesOf, done(proto.WorkspaceReadResult{Data: []byte("abc"), Truncated: true}), "truncated"},
		"more than asked for":       {bytesOf, done(proto.WorkspaceReadResult{Data: []byte("abcde")}), "data"},
		"names for bytes":           {bytesOf, done(proto.WorkspaceReadResult{Directory: listing()}), "directory"},
		"no folder":                 {bytesOf, proto.WorkspaceReadResult{Outcome: "rejected", ErrorCode: "not_directory"}, "error_code"},
		"names":                     {namesOf, done(proto.WorkspaceReadResult{Directory: listing("a")}), ""},
		"no names":                  {namesOf, done(proto.WorkspaceReadResult{Directory: listing()}), ""},
		"more names":                {namesOf, done(proto.WorkspaceReadResult{Directory: listing("a", "b")}), "directory.entries"},
		"bytes for names":           {namesOf, done(proto.WorkspaceReadResult{Data: []byte("a")}), "directory"},
		"nothing for names":         {namesOf, done(proto.WorkspaceReadResult{}), "directory"},
		"no folder, asked for one":  {namesOf, proto.WorkspaceReadResult{Outcome: "rejected", ErrorCode: "not_directory"}, ""},
		"unknown":                   {namesOf, proto.WorkspaceReadResult{Outcome: "unknown", ErrorCode: "read_unconfirmed"}, ""},
		"listing of unknown extent": {namesOf, done(proto.WorkspaceReadResult{Directory: &proto.Directory{}}), "directory.truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held(t, test.result.Answers(test.request), test.path, "wire 3.10.1")
		})
	}
}

// wire 3.10.3
func TestExportAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		result proto.WorkspaceExportResult
		path   string
	}{
		{proto.WorkspaceExportResult{Outcome: "chunk", Offset: 9, Data: []byte("x")}, ""},
		{proto.WorkspaceExportResult{Outcome: "chunk", Offset: 8, Data: []byte("x")}, "offset"},
		{proto.WorkspaceExportResult{Outcome: "completed", Offset: 9}, ""},
		{proto.WorkspaceExportResult{Outcome: "completed"}, "offset"},
		{proto.WorkspaceExportResult{Outcome: "failed", ErrorCode: "export_failed"}, ""},
	} {
		held(t, test.result.Answers(9), test.path, "wire 3.10.3")
	}
}

// wire 3.11
func TestSuspensionAnswers(t *testing.T) {
	t.Parallel()
	request := proto.Suspension{EnvironmentID: "e", SuspendID: "s"}
	for _, test := range []struct {
		reply proto.SuspensionReply
		path  string
	}{
		{proto.SuspensionReply{EnvironmentID: "e", SuspendID: "s", Accepted: true}, ""},
		{proto.SuspensionReply{EnvironmentID: "e", SuspendID: "s", ErrorCode: "resource_busy"}, ""},
		{proto.SuspensionReply{EnvironmentID: "x", SuspendID: "s", Accepted: true}, "environment_id"},
		{proto.SuspensionReply{EnvironmentID: "e", SuspendID: "x", Accepted: true}, "suspend_id"},
		{proto.SuspensionReply{EnvironmentID: "e", SuspendID: "s", Accepted: true, ErrorCode: "resource_busy"}, "error_code"},
		{proto.SuspensionReply{EnvironmentID: "e", SuspendID: "s", ErrorCode: "not_found"}, "error_code"},
	} {
		held(t, test.reply.Answers(request), test.path, "wire 3.11")
	}
}

// wire 3.4: what is empty in a later snapshot keeps its value.
func TestDoneMerge(t *testing.T) {
	t.Parallel()
	held := validFrame(t, "V37").Payload.(*proto.Done)
	before := encoded(t, held)
	held.Merge(proto.Done{Usage: &proto.Usage{}, Metadata: nil})
	if got := encoded(t, held); got != before {
		t.Errorf("got %s, want %s", got, before)
	}
	held.Merge(*validFrame(t, "V40").Payload.(*proto.DecisionAck).Outcome)
	if held.Content != "A gr" || held.Usage.Tokens.Total != 129 || held.NativeSession() != "nat-9" {
		t.Errorf("got %+v, want the later content and the earlier usage", held)
	}
	if other := (&proto.Done{Metadata: nil}).NativeSession(); other != "" {
		t.Errorf("got native Session %q, want none", other)
	}
}
