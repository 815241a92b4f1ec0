package scripted_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/daemon/harness"
	"parley/daemon/harness/scripted"
	"parley/daemon/proto"
)

var (
	writeDocs   = flag.Bool("write-docs", false, "write docs/scripted.md instead of comparing it")
	writeGolden = flag.Bool("write-golden", false, "write the transcripts in testdata instead of comparing them")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open makes an Executor that the test closes.
func open(t *testing.T, config proto.Configuration) harness.Executor {
	t.Helper()
	_, factory := scripted.New()
	executor, err := factory(t.Context(), config)
	if err != nil {
		t.Fatalf("factory: %v", err)
	}
	return closed(t, executor)
}

// closed closes an Executor when the test ends, by which time its close works.
func closed(t *testing.T, executor harness.Executor) harness.Executor {
	t.Helper()
	t.Cleanup(func() {
		if err := executor.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return executor
}

// run is a Turn with its frames, as a dispatcher would hold it.
type run struct {
	t      *testing.T
	turn   harness.Turn
	output chan proto.Frame
	frames []proto.Frame
}

func start(t *testing.T, executor harness.Executor, id, input string) *run {
	t.Helper()
	r := &run{t: t, output: make(chan proto.Frame, proto.OutputQueue)}
	turn, err := executor.StartTurn(t.Context(), id, proto.TextInput(input), r.output)
	if err != nil || turn == nil {
		t.Fatalf("start %s: got turn %v and error %v, want a turn", id, turn, err)
	}
	r.turn = turn
	return r
}

// next waits for one more frame; false when output is closed.
func (r *run) next() (proto.Frame, bool) {
	r.t.Helper()
	select {
	case frame, ok := <-r.output:
		if ok {
			r.frames = append(r.frames, frame)
		}
		return frame, ok
	case <-time.After(time.Minute):
		r.t.Fatal("no frame within a minute, and output is open")
		return proto.Frame{}, false
	}
}

// until takes frames up to the first of a type.
func (r *run) until(want proto.Type) proto.Frame {
	r.t.Helper()
	for {
		frame, ok := r.next()
		if !ok {
			r.t.Fatalf("output ended, want a frame %s", want)
		}
		if frame.Type == want {
			return frame
		}
	}
}

// end takes all frames and waits for settlement.
func (r *run) end() (reusable bool, err error) {
	r.t.Helper()
	for {
		if _, ok := r.next(); !ok {
			return r.turn.AwaitSettlement(r.t.Context())
		}
	}
}

// settle is end for a Turn that settles as reusable; it gives the Done, nil when there was none.
func (r *run) settle() *proto.Done {
	r.t.Helper()
	if reusable, err := r.end(); err != nil || !reusable {
		r.t.Errorf("settlement: got reusable %t and error %v, want reusable", reusable, err)
	}
	return r.done()
}

func (r *run) done() *proto.Done {
	for _, frame := range r.frames {
		if done, ok := frame.Payload.(*proto.Done); ok {
			return done
		}
	}
	return nil
}

func (r *run) count(of proto.Type) int {
	n := 0
	for _, frame := range r.frames {
		if frame.Type == of {
			n++
		}
	}
	return n
}

// transcript is every frame as it would travel, one a line, each of them held to the rules of its payload.
func (r *run) transcript() string {
	r.t.Helper()
	var all strings.Builder
	for _, frame := range r.frames {
		if err := frame.Validate(); err != nil {
			r.t.Errorf("%s: %v", frame.Type, err)
		}
		line, err := proto.Encode(frame)
		if err != nil {
			r.t.Fatal(err)
		}
		all.WriteString(string(line) + "\n")
	}
	return all.String()
}
