package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/backend/core"
	"parley/backend/store"
	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// puppet is a Runtime of which the test writes every frame.
type puppet struct {
	h    *house
	conn *socket.Conn
	in   chan proto.Frame
}

// newPuppet replaces the house's Runtime.
func newPuppet(t *testing.T, h *house) *puppet {
	t.Helper()
	h.stop()
	h.stop = func() {}
	establisher := &socket.Establisher{}
	address := "ws" + strings.TrimPrefix(h.profile.ServerURL, "http") + "/agent-daemon/ws?device_id=" + h.profile.RuntimeID + "&version=" + proto.Version
	conn, err := establisher.Dial(t.Context(), address, http.Header{"Authorization": {"Bearer " + h.profile.RunnerCredential}})
	if err != nil {
		t.Fatal(err)
	}
	p := &puppet{h: h, conn: conn, in: make(chan proto.Frame, 64)}
	t.Cleanup(func() { conn.Close(proto.CloseNormal, ""); <-conn.Done() })
	go p.read()
	var all proto.Capabilities
	for c := range proto.CapabilityCount {
		all[c] = proto.Supported
	}
	p.say("", &proto.Heartbeat{TS: time.Now().Unix(), SupportedAgentKinds: []proto.AgentKind{{Kind: "scripted", Available: true, Capabilities: all}}})
	return p
}

func (p *puppet) read() {
	for {
		message, err := p.conn.Read()
		if err != nil {
			close(p.in)
			return
		}
		if frame, err := proto.Decode(message.Data); err == nil {
			p.in <- frame
		}
	}
}

func (p *puppet) say(id string, payload proto.Payload) {
	p.h.t.Helper()
	data, err := proto.Encode(proto.New(id, payload))
	if err != nil {
		p.h.t.Fatal(err)
	}
	if err := p.conn.Send(context.Background(), data); err != nil {
		p.h.t.Fatal(err)
	}
}

// expect waits for a frame of a type and passes others over.
func (p *puppet) expect(want proto.Type) proto.Frame {
	p.h.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		select {
		case frame, open := <-p.in:
			if !open {
				p.h.t.Fatalf("the connection ended, want %s", want)
			}
			if frame.Type == want {
				return frame
			}
		case <-deadline:
			p.h.t.Fatalf("no %s came", want)
		}
	}
}

// status tells a state of an admission.
func (p *puppet) status(request, state string, revision uint64, change ...func(*proto.PreparationStatus)) {
	s := &proto.PreparationStatus{ExecutorID: "exe-1", Handle: "hnd-" + request, Revision: revision, State: state,
		ExpiresAt: time.Now().Add(time.Minute).UnixMilli()}
	for _, f := range change {
		f(s)
	}
	p.say(request, s)
}

// started plays a Run up to started and gives its id.
func (p *puppet) started() string {
	p.h.t.Helper()
	request := p.expect(proto.TypeExecutionPrepare).ID
	p.status(request, proto.StatePreparing, 1)
	p.status(request, proto.StateReady, 2)
	start := p.expect(proto.TypeExecutionStart).Payload.(*proto.ExecutionStart)
	with := func(s *proto.PreparationStatus) { s.RunID = start.RunID }
	p.status(request, proto.StateStarting, 3, with)
	p.status(request, proto.StateStarted, 4, with)
	return start.RunID
}

func rejected(operation proto.Type, code string) *proto.PreparationStatus {
	return &proto.PreparationStatus{State: proto.StateRejected, Operation: operation, ErrorCode: code}
}

// behaviour 8.5: what a Runtime does, and the code that the Turn gets.
func TestTurnCodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		play   func(h *house, p *puppet, session string)
		status store.TurnStatus
		code   string
		has    string // in the outcome
	}{
		"prepare refused": {play: func(_ *house, p *puppet, _ string) {
			p.say(p.expect(proto.TypeExecutionPrepare).ID, rejected(proto.TypeExecutionPrepare, proto.CodeConfigurationConflict))
		}, code: core.CodeUnavailable, has: proto.CodeConfigurationConflict},
		"capacity, then served": {play: func(_ *house, p *puppet, _ string) {
			p.say(p.expect(proto.TypeExecutionPrepare).ID, rejected(proto.TypeExecutionPrepare, proto.CodePreparationCapacity))
			p.say(p.started(), &proto.Done{Content: "late but fine"})
		}, status: store.TurnCompleted, has: "late but fine"},
		"lost while preparing": {play: func(_ *house, p *puppet, _ string) {
			p.status(p.expect(proto.TypeExecutionPrepare).ID, proto.StatePreparing, 1)
			<-time.After(50 * time.Millisecond)
			p.conn.Close(proto.CloseNormal, "")
		}, code: core.CodePreparationEnded},
		"start refused": {play: func(_ *house, p *puppet, _ string) {
			request := p.expect(proto.TypeExecutionPrepare).ID
			p.status(request, proto.StateReady, 1)
			p.expect(proto.TypeExecutionStart)
			p.say(request, rejected(proto.TypeExecutionStart, proto.CodeCleanupUnconfirmed))
		}, code: core.CodeStartFailed},
		"executor unavailable twice": {play: func(_ *house, p *puppet, _ string) {
			for range 2 {
				request := p.expect(proto.TypeExecutionPrepare).ID
				p.status(request, proto.StateReady, 1)
				p.expect(proto.TypeExecutionStart)
				p.say(request, rejected(proto.TypeExecutionStart, proto.CodeExecutorUnavailable))
			}
		}, code: core.CodeRecoveryFailed},
		"executor unavailable once": {play: func(_ *house, p *puppet, _ string) {
			request := p.expect(proto.TypeExecutionPrepare).ID
			p.status(request, proto.StateReady, 1)
			p.expect(proto.TypeExecutionStart)
			p.say(request, rejected(proto.TypeExecutionStart, proto.CodeExecutorUnavailable))
			p.say(p.started(), &proto.Done{Content: "second attempt"})
		}, status: store.TurnCompleted, has: "second attempt"},
		"lost during the run": {play: func(_ *house, p *puppet, _ string) {
			p.say(p.started(), &proto.Delta{Delta: "partial"})
			<-time.After(50 * time.Millisecond)
			p.conn.Close(proto.CloseNormal, "")
		}, code: core.CodeStreamIncomplete},
		"engine failed": {play: func(_ *house, p *puppet, _ string) {
			run := p.started()
			p.say(run, &proto.Failure{Error: "no more", Code: "usage_limit_exceeded"})
			p.say(run, &proto.Failure{Error: "settlement"})
			p.say(run, &proto.Done{})
		}, code: core.CodeEngineFailed, has: "usage_limit_exceeded"},
		"unrequested child": {play: func(_ *house, p *puppet, _ string) {
			p.say(p.started(), &proto.SubagentIdentity{NativeID: "c", ParentNativeID: "p", NativeCreatedAt: 1, ParentTurnID: "t", SourceItemID: "s"})
		}, code: core.CodeNotSupported},
		"one call twice": {play: func(_ *house, p *puppet, _ string) {
			run := p.started()
			for _, name := range []string{"lookup", "other"} {
				p.say(run, &proto.FunctionCall{CallID: "c1", Name: name, Arguments: []byte(`{}`)})
			}
		}, code: core.CodeCallInvalid},
		"steering refused": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			h.add(session, messageEvent("more"))
			input := p.expect(proto.TypePromptSteer).Payload.(*proto.PromptSteer)
			p.say(run, &proto.PromptSteerAck{InputID: input.InputID, ErrorCode: proto.CodeInputRejected})
		}, code: core.CodeInputPrefix + proto.CodeInputRejected},
		"done before an input was taken": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			h.add(session, messageEvent("more"))
			input := p.expect(proto.TypePromptSteer).Payload.(*proto.PromptSteer)
			p.say(run, &proto.PromptSteerAck{InputID: input.InputID, ErrorCode: proto.CodeRunInactive})
			p.say(run, &proto.Done{Content: "over"})
		}, code: core.CodeInputNotApplied},
		"cancel confirmed": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			p.say(run, &proto.Usage{Tokens: &proto.TokenUsage{Total: 7}})
			h.add(session, core.InputEvent{Kind: store.InputCancel})
			p.expect(proto.TypePromptCancel)
			p.say(run, &proto.Done{})
			p.say(run, &proto.DecisionAck{DeliveryID: "cancel:" + run, Applied: true, Outcome: &proto.Done{Content: "half"}})
		}, status: store.TurnCancelled, has: "half"},
		"cancel without an outcome": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			h.add(session, core.InputEvent{Kind: store.InputCancel})
			p.expect(proto.TypePromptCancel)
			p.say(run, &proto.DecisionAck{DeliveryID: "cancel:" + run, Applied: true})
		}, code: core.CodeCancelOutcome},
		"cancel not settled": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			h.add(session, core.InputEvent{Kind: store.InputCancel})
			p.expect(proto.TypePromptCancel)
			p.say(run, &proto.DecisionAck{DeliveryID: "cancel:" + run, ErrorCode: proto.CodeCancelTimeout})
		}, code: core.CodeCancelUnconfirmed},
		"cancel of a run that ended by itself": {play: func(h *house, p *puppet, session string) {
			run := p.started()
			h.add(session, core.InputEvent{Kind: store.InputCancel})
			p.expect(proto.TypePromptCancel)
			p.say(run, &proto.Done{Content: "done anyway"})
			p.say(run, &proto.DecisionAck{DeliveryID: "cancel:" + run, ErrorCode: proto.CodeRunInactive})
		}, status: store.TurnCompleted, has: "done anyway"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			p := newPuppet(t, h)
			session := h.session("hello", "ahoy", "lookup")
			test.play(h, p, session)
			turn := h.ended(session)
			want := test.status
			if want == "" {
				want = store.TurnFailed
			}
			if turn.Status != want || turn.ErrorCode != test.code || !strings.Contains(string(turn.Outcome), test.has) {
				t.Errorf("got %s", fmt.Sprintf("%s %q %s, want %s %q with %q", turn.Status, turn.ErrorCode, turn.Outcome, want, test.code, test.has))
			}
		})
	}
}
