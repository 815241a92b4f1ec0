package dispatch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
	"parley/daemon/workspace"
)

// upload is a peer that sends the largest body as messages and counts the answers.
type upload struct {
	router   *dispatch.Router
	files    *workspace.Workspace
	answered chan proto.Payload
	chunk    string // base64
	begin    *proto.WorkspaceWrite
	message  []byte
}

func newUpload(t testing.TB) *upload {
	files, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	u := &upload{files: files, answered: make(chan proto.Payload, 1)}
	data := bytes.Repeat([]byte("0123456789abcdef"), proto.MaxChunk/16)
	u.chunk = base64.StdEncoding.EncodeToString(data)
	hash := sha256.New()
	for range proto.MaxTransfer / proto.MaxChunk {
		hash.Write(data)
	}
	u.begin = writeBegin("file", "")
	u.begin.SizeBytes, u.begin.SHA256 = proto.MaxTransfer, hex.EncodeToString(hash.Sum(nil))
	u.router = dispatch.New(dispatch.Config{Registry: harness.NewRegistry(), Files: files, Log: slog.New(slog.DiscardHandler),
		Binding: &dispatch.Binding{EnvironmentID: deskEnvironment, SessionID: deskSession},
		Send: func(_ context.Context, frame proto.Frame) error {
			u.answered <- frame.Payload
			return nil
		}})
	t.Cleanup(func() {
		if err := u.router.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

// run writes the file; each is called after every chunk.
func (u *upload) run(t testing.TB, each func()) {
	begin, err := proto.Encode(proto.New(transferA, u.begin))
	if err != nil {
		t.Fatal(err)
	}
	u.step(t, begin, proto.OutcomeReady)
	for offset := 0; offset < proto.MaxTransfer; offset += proto.MaxChunk {
		u.message = append(u.message[:0], `{"type":"workspace_write","id":"`+transferA+`","payload":{"step":"chunk","offset":`...)
		u.message = strconv.AppendInt(u.message, int64(offset), 10)
		u.message = append(u.message, `,"data":"`...)
		u.message = append(u.message, u.chunk...)
		u.message = append(u.message, `"}}`...)
		u.step(t, u.message, proto.OutcomeReceived)
		each()
	}
	u.step(t, []byte(`{"type":"workspace_write","id":"`+transferA+`","payload":{"step":"commit"}}`), proto.OutcomeCompleted)
}

func (u *upload) step(t testing.TB, message []byte, outcome string) {
	frame, err := proto.Decode(message)
	if err == nil {
		err = u.router.Handle(frame)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := (<-u.answered).(*proto.WorkspaceWriteResult); got.Outcome != outcome {
		t.Fatalf("got %+v, want %s", got, outcome)
	}
}

// BenchmarkWrite50MiB is the Runtime's share of the largest write without the socket: decoding, staging, digest, rename.
func BenchmarkWrite50MiB(b *testing.B) {
	u := newUpload(b)
	b.SetBytes(proto.MaxTransfer)
	b.ReportAllocs()
	for b.Loop() {
		u.run(b, func() {})
	}
}

// performance B7: the peak is at most 8 MiB above idle. It runs alone, as it looks at the heap of the whole process.
func TestWriteMemory(t *testing.T) {
	u := newUpload(t)
	runtime.GC()
	idle, peak := heap(), uint64(0)
	u.run(t, func() { peak = max(peak, heap()) })
	if grown := int64(peak) - int64(idle); grown > 8<<20 {
		t.Errorf("got a peak of %d bytes above idle, want at most 8 MiB", grown)
	}
	entries, err := filepath.Glob(filepath.Join(u.files.Dir(), "*"))
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v and error %v, want the one file", entries, err)
	}
}

func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
