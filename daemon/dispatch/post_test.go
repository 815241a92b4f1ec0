package dispatch_test

import (
	"testing"

	"parley/daemon/dispatch"
	"parley/daemon/proto"
)

// posts makes a Router post its receipts; it takes them while there is room.
func posts(b **bench, posted *[]proto.Frame, room *bool) func(*dispatch.Config) {
	return func(config *dispatch.Config) {
		config.Post = func(frame proto.Frame) bool {
			(*b).router.ActiveRuns() // needs the lock: nothing is posted under it
			if *room {
				*posted = append(*posted, frame)
			}
			return *room
		}
	}
}

// behaviour 5.2, 6.4–6.6, 7.5: an answer that is known at once is posted before Handle returns, and never under the
// lock; without room it is sent.
func TestReceiptsArePosted(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		frame proto.Frame
		want  proto.Type
	}{
		"prepare without a payload": {proto.Frame{Type: proto.TypeExecutionPrepare, ID: "p"}, proto.TypePreparationStatus},
		"prepare of a known id":     {prepareFrame("p1", session(2)), proto.TypePreparationStatus},
		"start of nothing":          {proto.New("p", &proto.ExecutionStart{Handle: "h"}), proto.TypePreparationStatus},
		"release of nothing":        {proto.New("p", &proto.ExecutionRelease{Handle: "h"}), proto.TypePreparationStatus},
		"cancel of nothing":         {cancelFrame("nobody", "d"), proto.TypeDecisionAck},
		"quiesce of another":        {quiesceFrame("another"), proto.TypeEnvironmentQuiesced},
		"quiesce while busy":        {quiesceFrame(environmentID), proto.TypeEnvironmentQuiesced},
		"resume of nothing":         {resumeFrame("s", false), proto.TypeEnvironmentResumed},
		"read of nothing": {proto.New("read", &proto.WorkspaceRead{Handle: "h", EnvironmentID: "e", Path: "p", MaxBytes: 1}),
			proto.TypeWorkspaceReadResult},
		"steering of nothing": {steerFrame("nobody", "i", "hello"),
			proto.TypePromptSteerAck},
		"result for nothing": {resultFrame("nobody", "d", "c", "text", true),
			proto.TypeDecisionAck},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			var posted []proto.Frame
			room := true
			bubble(t, func(t *testing.T, _ *adapter, made *bench) {
				b = made
				b.ready("p1", session(1))
				b.handle(tc.frame)
				if len(posted) != 1 || posted[0].Type != tc.want {
					t.Errorf("got %v posted, want one %s", posted, tc.want)
				}
				b.silent()
				room = false
				b.handle(tc.frame)
				if got := b.next(); got.Type != tc.want {
					t.Errorf("got %s sent, want %s", got.Type, tc.want)
				}
				b.stop()
			}, bind, posts(&b, &posted, &room))
		})
	}
}

// behaviour 7.5: after a planned reconnection receipts are posted on the new connection.
func TestAttachReplacesPost(t *testing.T) {
	t.Parallel()
	var b *bench
	var older, newer []proto.Frame
	room := true
	bubble(t, func(t *testing.T, _ *adapter, made *bench) {
		b = made
		b.handle(quiesceFrame(environmentID))
		b.reply(true, "")
		b.router.Attach(b.send, func(frame proto.Frame) bool {
			newer = append(newer, frame)
			return true
		})
		b.handle(resumeFrame("s1", false))
		if len(older) != 0 || len(newer) != 1 || newer[0].Type != proto.TypeEnvironmentResumed {
			t.Errorf("got %v on the old connection and %v on the new one, want resumed on the new one", older, newer)
		}
		b.silent()
		b.stop()
	}, bind, posts(&b, &older, &room))
}
