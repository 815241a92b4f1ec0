package dispatch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/daemon/proto"
)

// encoding makes the bench's sender encode as a connection does.
func encoding(b *bench) {
	b.refusing(func(frame proto.Frame) error {
		_, err := proto.Encode(frame)
		return err
	})
}

// wire 1.5, behaviour 6.1: a frame that no connection could carry is a violation by the adapter and not a broken line:
// the Executor is closed, and error and done follow.
func TestImpossibleOutput(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", proto.MaxFrame)
	for name, c := range map[string]struct {
		says proto.Payload
		done bool // the payload is a done
	}{
		"output": {says: &proto.Delta{Delta: huge}},
		"done":   {says: &proto.Done{Content: huge}, done: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, a *adapter, b *bench) {
				turn := b.started(a, "p1", session(1), "r1")
				encoding(b)
				turn.say(c.says)
				if c.done {
					turn.finish()
				}
				failure := b.kind(proto.TypeError).Payload.(*proto.Failure)
				if !strings.Contains(failure.Error, "over the limit") || strings.Contains(failure.Error, "xxx") {
					t.Errorf("got error %.200q, want one that names the size and not the content", failure.Error)
				}
				if done := b.kind(proto.TypeDone).Payload.(*proto.Done); done.Content != "" {
					t.Errorf("got a done with %d bytes, want an empty one", len(done.Content))
				}
				if _, _, closes := a.counts(); closes != 1 {
					t.Errorf("got %d closes, want the Executor closed", closes)
				}
				b.ready("p2", session(1))
				b.stop()
			})
		})
	}
}

// behaviour 6.4: a snapshot that does not fit into a frame leaves the receipt without an outcome, so it is not applied.
func TestImpossibleOutcome(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.partial = strings.Repeat("x", proto.MaxFrame)
		b.started(a, "p1", session(1), "r1")
		encoding(b)
		b.handle(cancelFrame("r1", "d"))
		b.kind(proto.TypeDone)
		b.ack(false, proto.CodeCancelOutcomeUnavailable)
		b.stop()
	})
}

// behaviour 6.5: an adapter's long complaint is cut, so that its receipt can be sent.
func TestLongComplaint(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		a.steer = func(context.Context, func()) error { return errors.New(strings.Repeat("ä", proto.MaxFrame)) }
		turn := b.started(a, "p1", session(1), "r1")
		encoding(b)
		b.handle(steerFrame("r1", "i", "go on"))
		b.inputAck(false, false, proto.CodeOutcomeUnknown)
		turn.complete("")
		b.kind(proto.TypeDone)
		b.stop()
	})
}
