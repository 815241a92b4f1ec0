package drive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/app/drive"
	"parley/backend/gateway"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
	"parley/daemon/wiretest"
)

type granted struct{}

func (granted) Authority(context.Context, string, string) (bool, error) { return true, nil }

// bench is a driver over a gateway on a real socket, and the Runtime's end as a script plays it.
type bench struct {
	t       *testing.T
	driver  *drive.Driver
	gateway *gateway.Gateway
	peer    *socket.Conn
	heard   chan error // why the peer's reading ended
}

func newBench(t *testing.T) *bench {
	t.Helper()
	g, err := gateway.New(gateway.Config{Authority: granted{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Accept(w, r, gateway.Device{ID: "one"})
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	b := &bench{t: t, gateway: g, driver: drive.New(g, drive.Devices{Own: func() string { return "one" }}), heard: make(chan error, 1)}
	b.peer, err = (&socket.Establisher{}).Dial(t.Context(), "ws://"+listener.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, err := b.peer.Read(); err != nil {
				b.heard <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		b.peer.Close(proto.CloseNormal, "")
		<-b.heard
		g.Close()
		b.driver.Close()
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("got serving ended by %v, want ErrServerClosed", err)
		}
	})
	b.send(proto.New("", &proto.Heartbeat{TS: 1}))
	if err := b.driver.Connected(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) send(f proto.Frame) {
	b.t.Helper()
	data, err := proto.Encode(f)
	if err != nil {
		b.t.Fatal(err)
	}
	b.raw(data)
}

func (b *bench) raw(message []byte) {
	b.t.Helper()
	if err := b.peer.Queue(b.t.Context(), message); err != nil {
		b.t.Fatal(err)
	}
}

// do begins an act.
func (b *bench) do(act, id string, payload proto.Payload) {
	b.t.Helper()
	data, err := proto.EncodePayload(payload)
	if err == nil {
		err = b.driver.Do(b.t.Context(), wiretest.Act{Do: act, ID: id, Payload: json.RawMessage(data)})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// start makes Core observe Runs.
func (b *bench) start(runs ...string) {
	text := "hello"
	input := proto.MessageInput{{Content: []proto.InputContent{{Type: "input_text", Text: &text}}}}
	for _, run := range runs {
		b.do("start", "request "+run, &proto.ExecutionStart{ExecutorID: "e", Handle: "h", RunID: run, Input: input})
	}
}

// settled returns when Core has taken every frame that the peer sent before.
func (b *bench) settled(delivery string) {
	b.t.Helper()
	b.do("cancel", "run", &proto.PromptCancel{DeliveryID: delivery})
	b.send(proto.New("run", &proto.DecisionAck{DeliveryID: delivery, Applied: true}))
	if o := b.observe("cancel", delivery); o.Result == nil {
		b.t.Fatalf("got %+v, want the receipt", o)
	}
}

func (b *bench) observe(of, id string) wiretest.Observation {
	b.t.Helper()
	o, err := b.driver.Observe(b.t.Context(), wiretest.Watch{Of: of, ID: id}, time.Minute)
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

// rest reads a Run's watch to its end.
func (b *bench) rest(run string) (frames, bytes int, end string) {
	b.t.Helper()
	for {
		o := b.observe("run", run)
		switch {
		case o.End != "":
			return frames, bytes, o.End
		case o.Pending:
			b.t.Fatalf("got no end of %q after %d frames, want one", run, frames)
		}
		frames++
		bytes += len(o.Payload)
	}
}

// inUse is the heap without garbage, in bytes.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what had finalizers or stood in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// within waits until no more than so many bytes are in use, for 10 seconds: who observes may be a little behind.
func within(t *testing.T, most int64, when string) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for got := inUse(); got > most; got = inUse() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("got %d MiB in use %s, want at most %d", got>>20, when, most>>20)
			return
		}
	}
}

// hostile-inputs 3: what a Runtime sends and nobody reads is held within bounds, in the gateway and here, and the more so
// when its connection has ended. Not parallel: it measures the heap.
func TestFloodOfLargeFramesIsBounded(t *testing.T) {
	const most = 32 << 20
	b := newBench(t)
	before := inUse()
	runs := []string{"run 0", "run 1", "run 2", "run 3"}
	b.start(runs...)
	text := strings.Repeat("x", proto.MaxFrame-200)
	for _, run := range runs {
		data, err := proto.Encode(proto.New(run, &proto.Delta{Delta: text, Sequence: 1}))
		if err != nil {
			t.Fatal(err)
		}
		for range floodFrames {
			b.raw(data)
		}
	}
	b.settled("after the flood")
	within(t, before+most, "after the flood")
	c, _ := b.gateway.Connection("one")
	b.peer.Close(proto.CloseNormal, "")
	<-c.Done()
	within(t, before+most, "after the connection ended")
	total := 0
	for _, run := range runs {
		_, bytes, end := b.rest(run)
		if total += bytes; end != wiretest.EndedOverflow {
			t.Errorf("got %q ended by %q, want an overflow", run, end)
		}
	}
	if total == 0 || total > 16<<20 {
		t.Errorf("got %d bytes told, want some and at most 16 MiB", total)
	}
}

// A Run that floods Core hurts no other one, and keeps the beginning of what it sent.
func TestFloodHurtsTheFloodAlone(t *testing.T) {
	b := newBench(t)
	b.start("small", "flood", "many")
	b.send(proto.New("small", &proto.Delta{Delta: "a", Sequence: 1}))
	for i := range 2 * proto.RunBuffer {
		b.send(proto.New("many", &proto.Delta{Delta: "a", Sequence: uint64(i + 1)}))
	}
	for i := range 5 {
		b.send(proto.New("flood", &proto.Delta{Delta: strings.Repeat("x", proto.MaxFrame-200), Sequence: uint64(i + 1)}))
		b.send(proto.New("small", &proto.Delta{Delta: "b", Sequence: uint64(i + 2)}))
	}
	b.send(proto.New("small", &proto.Done{}))
	b.settled("after the flood")
	for run, want := range map[string]string{
		"small": "7 frames, closed",
		"flood": "3 frames, overflow", // a fourth does not fit beside the small ones
		"many":  fmt.Sprintf("%d frames, overflow", proto.RunBuffer),
	} {
		if frames, _, end := b.rest(run); fmt.Sprintf("%d frames, %s", frames, end) != want {
			t.Errorf("%s: got %d frames, %s, want %s", run, frames, end, want)
		}
	}
}

// Small bodies in large messages do not hold the messages.
func TestSmallBodiesInLargeMessages(t *testing.T) {
	b := newBench(t)
	before := inUse()
	b.start("run")
	message := []byte(`{"type":"delta","id":"run","payload":{"delta":"a","sequence":1},"other":"` + strings.Repeat("x", 1<<20) + `"}`)
	for range 40 {
		b.raw(message)
	}
	b.settled("after them")
	within(t, before+(8<<20), "with 40 small bodies")
	for i := range 40 {
		if o := b.observe("run", "run"); o.Frame != string(proto.TypeDelta) {
			t.Fatalf("got %+v as observation %d, want the delta", o, i)
		}
	}
}

// The oldest of 256 watches is given up for a new one, with what it held; a newer one of a name takes the older's place.
func TestOldestWatchIsGivenUp(t *testing.T) {
	b := newBench(t)
	b.start("first", "second", "second")
	b.send(proto.New("first", &proto.Delta{Delta: "a", Sequence: 1}))
	b.send(proto.New("second", &proto.Delta{Delta: "a", Sequence: 1}))
	b.settled("before") // a watch too
	for i := range 253 {
		b.start(fmt.Sprint("run ", i))
	}
	if o := b.observe("run", "first"); o.Frame == "" {
		t.Errorf("got %+v, want the delta while there are 256 watches", o)
	}
	b.start("one more")
	if o, err := b.driver.Observe(t.Context(), wiretest.Watch{Of: "run", ID: "first"}, time.Minute); err == nil {
		t.Errorf("got %+v, want the oldest watch gone", o)
	}
	if o := b.observe("run", "second"); o.Frame == "" {
		t.Errorf("got %+v, want the delta of the second", o)
	}
}
