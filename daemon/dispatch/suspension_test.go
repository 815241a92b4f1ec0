package dispatch_test

import (
	"errors"
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/proto"
)

func quiesceFrame(environment string) proto.Frame {
	return proto.New("q1", &proto.EnvironmentQuiesce{Suspension: proto.Suspension{EnvironmentID: environment, SuspendID: "s1"}})
}

func resumeFrame(suspend string, rollback bool) proto.Frame {
	return proto.New("q2", &proto.EnvironmentResume{Suspension: proto.Suspension{
		Rollback: rollback, EnvironmentID: environmentID, SuspendID: suspend}})
}

// reply expects a suspension reply.
func (b *bench) reply(accepted bool, code string) {
	b.t.Helper()
	frame := b.next()
	var got proto.SuspensionReply
	switch p := frame.Payload.(type) {
	case *proto.EnvironmentQuiesced:
		got = p.SuspensionReply
	case *proto.EnvironmentResumed:
		got = p.SuspensionReply
	}
	if got.SuspendID == "" || got.Accepted != accepted || got.ErrorCode != code {
		b.t.Fatalf("got %s, want accepted=%t %q", text(frame), accepted, code)
	}
}

// behaviour 7.5: idle Executors survive the planned reconnection, with a fresh idle interval.
func TestSuspension(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		b.started(a, "p1", session(1), "r1").complete("")
		b.kind(proto.TypeDone)
		b.handle(quiesceFrame(environmentID))
		b.reply(true, "")
		if err := b.router.Handle(prepareFrame("p2", session(1))); !errors.Is(err, dispatch.ErrQuiesced) {
			t.Errorf("a fenced router took a frame: %v", err)
		}
		elapse(2 * proto.IdleLife) // no idle period runs
		b.router.Attach(b.send, nil)
		b.handle(resumeFrame("other", false))
		b.reply(false, proto.CodeInvalidRequest)
		b.handle(resumeFrame("s1", false))
		b.reply(true, "")
		b.handle(resumeFrame("s1", false))
		b.reply(true, "") // repeats the last resumed ids
		b.handle(prepareFrame("p2", session(1)))
		if got := b.status(proto.StateReady, 1); !got.Reused {
			t.Error("the idle executor was lost")
		}
		b.handle(proto.New("p2", &proto.ExecutionRelease{Handle: "of the old connection"}))
		b.rejected(proto.TypeExecutionRelease, proto.CodeUnknownPreparation)
		b.stop()
	}, bind)
}

// behaviour 7.5: what prevents a suspension leaves admission open.
func TestSuspensionIsRefused(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		b.handle(quiesceFrame("another"))
		b.reply(false, proto.CodeInvalidRequest)
		b.handle(proto.New("q1", &proto.EnvironmentQuiesce{Suspension: proto.Suspension{
			Rollback: true, EnvironmentID: environmentID, SuspendID: "s1"}}))
		b.reply(false, proto.CodeInvalidRequest)
		b.handle(resumeFrame("s1", false))
		b.reply(false, proto.CodeNotSuspended)
		b.handle(resumeFrame("s1", true))
		b.reply(true, "") // a rollback of a suspension that was never reached
		ready := b.ready("p1", session(1))
		b.handle(quiesceFrame(environmentID))
		b.reply(false, proto.CodeResourceBusy)
		b.handle(startFrame("p1", "r1", ready))
		b.status(proto.StateStarting, 3)
		b.status(proto.StateStarted, 4)
		b.handle(quiesceFrame(environmentID))
		b.reply(false, proto.CodeResourceBusy)
		(<-a.turns).complete("")
		b.kind(proto.TypeDone)
		b.ready("p2", session(2))
		b.stop()
	}, bind)
}

// behaviour 7.5: a drain that runs out of time accepts nothing, and admission stays closed until shutdown.
func TestDrainThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, a *adapter, b *bench) {
		stuck := make(chan struct{})
		b.refusing(func(frame proto.Frame) error {
			if frame.Type == proto.TypeDecisionAck {
				<-stuck
			}
			return nil
		})
		b.handle(cancelFrame("nobody", "d"))
		b.handle(quiesceFrame(environmentID))
		elapse(proto.QuiesceTimeout)
		if err := b.router.Handle(resumeFrame("s1", true)); !errors.Is(err, dispatch.ErrQuiesced) {
			t.Errorf("resume of an unfinished suspension: %v", err)
		}
		close(stuck)
		b.silent() // its own time is over too
		b.stop()
	}, bind)
}
