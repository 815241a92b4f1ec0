package app_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/backend/core"
	"parley/backend/gateway"
	"parley/backend/store"
	"parley/daemon"
	"parley/daemon/proto"
)

// house is a durable Core with a gateway on a real port and a Runtime that plays scripts.
type house struct {
	t       *testing.T
	store   *store.Store
	gateway *gateway.Gateway
	core    *core.Service
	profile daemon.Profile
	stop    func() // ends the Runtime
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	var err error
	if h.store, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "parley.db")); err != nil {
		t.Fatal(err)
	}
	if h.gateway, err = gateway.New(gateway.Config{Authority: h.store, Log: log}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	machine, err := gateway.NewMachine(gateway.MachineConfig{Devices: h.store, Accept: h.gateway.Accept, Online: h.gateway.Online,
		PublicURL: func() string { return "ws://" + listener.Addr().String() }, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/agent-daemon/bootstrap", machine.Bootstrap)
	mux.HandleFunc("/api/v1/agent-daemon/ws", machine.Connect)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // ends with Close
	if h.core, err = core.New(t.Context(), core.Config{Store: h.store, Runtimes: h.gateway, Log: log}); err != nil {
		t.Fatal(err)
	}
	secret, digest := gateway.NewCredential()
	device, err := h.store.CreateDevice(t.Context(), store.Device{Name: "test", RuntimeType: store.AgentDaemon, Digest: digest, Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	h.profile = daemon.Profile{ServerURL: "http://" + listener.Addr().String() + "/api/v1", RuntimeID: device.ID, RunnerCredential: secret}
	h.connect()
	t.Cleanup(func() {
		h.core.Close()
		h.stop()
		h.gateway.Close()
		_ = server.Close()
		if err := h.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// connect starts the Runtime.
func (h *house) connect() {
	h.t.Helper()
	registry, err := app.Harnesses()
	if err != nil {
		h.t.Fatal(err)
	}
	runtime, err := daemon.New(daemon.Config{Profile: h.profile, Registry: registry, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runtime.Run(ctx) }()
	h.stop = func() { cancel(); <-ended }
}

// session makes a Session with the agent of a script and a first message.
func (h *house) session(script, message string, tools ...string) string {
	h.t.Helper()
	var list []string
	for _, tool := range tools {
		list = append(list, `{"type":"function","name":"`+tool+`","parameters":{"type":"object"}}`)
	}
	agent, err := h.core.CreateAgent(h.t.Context(), []byte(`{"name":"`+script+`","model":"none","tools":[`+strings.Join(list, ",")+`],
		"x_agents_core":{"harness":"scripted","harness_config":{"script":"`+script+`"}}}`))
	if err != nil {
		h.t.Fatal(err)
	}
	view, err := h.core.CreateSession(h.t.Context(), core.NewSession{AgentID: agent.ID, Inputs: []core.InputEvent{messageEvent(message)}})
	if err != nil {
		h.t.Fatal(err)
	}
	return view.ID
}

func messageEvent(text string) core.InputEvent {
	return core.InputEvent{Kind: store.InputMessage, Message: proto.TextInput(text)}
}

// add gives one more input.
func (h *house) add(session string, event core.InputEvent) {
	h.t.Helper()
	if _, err := h.core.AddInputs(h.t.Context(), session, "", [32]byte{}, []core.InputEvent{event}); err != nil {
		h.t.Fatal(err)
	}
}

// until waits until the latest Turn of a Session is as wanted.
func (h *house) until(session, what string, is func(store.Turn) bool) store.Turn {
	h.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	var last store.Turn
	for time.Now().Before(deadline) {
		turn, err := h.store.LatestTurn(h.t.Context(), session)
		if err != nil {
			h.t.Fatal(err)
		}
		if last = turn; is(turn) {
			return turn
		}
		<-time.After(20 * time.Millisecond)
	}
	h.t.Fatalf("the turn did not get %s; it is %s %s %s", what, last.Status, last.ErrorCode, last.Outcome)
	return last
}

func (h *house) ended(session string) store.Turn {
	h.t.Helper()
	return h.until(session, "an end", func(t store.Turn) bool { return t.Status.Terminal() })
}

// texts lists what the items of a Session say, in their order.
func (h *house) texts(session string) string {
	h.t.Helper()
	items, _, err := h.core.Items(h.t.Context(), session, store.Page{Limit: 100, Oldest: true})
	if err != nil {
		h.t.Fatal(err)
	}
	var all []string
	for _, item := range items {
		all = append(all, item.Kind+" "+string(item.Payload))
	}
	return strings.Join(all, "\n")
}

// behaviour 8.4, 8.5: what each shipped script comes to.
func TestTurnsOfTheScripts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		status store.TurnStatus
		code   string
		engine string
	}{
		{script: "hello", status: store.TurnCompleted},
		{script: "tools", status: store.TurnCompleted},
		{script: "engine-error", status: store.TurnFailed, code: core.CodeEngineFailed, engine: "rate_limit_exceeded"},
		{script: "fail-prepare", status: store.TurnFailed, code: core.CodeUnavailable},
		{script: "slow-prepare", status: store.TurnCompleted},
		{script: "fail-settle", status: store.TurnFailed, code: core.CodeEngineFailed},
	}
	h := newHouse(t)
	for _, test := range tests {
		t.Run(test.script, func(t *testing.T) {
			id := h.session(test.script, "ahoy")
			turn := h.ended(id)
			if turn.Status != test.status || turn.ErrorCode != test.code {
				t.Errorf("got %s %q (%s), want %s %q", turn.Status, turn.ErrorCode, turn.Outcome, test.status, test.code)
			}
			if !strings.Contains(string(turn.Outcome), test.engine) {
				t.Errorf("outcome %s, want %q in it", turn.Outcome, test.engine)
			}
			if texts := h.texts(id); !strings.Contains(texts, "ahoy") {
				t.Errorf("items %s, want the user's message", texts)
			}
		})
	}
}

// behaviour 6.5, 8.2: a message to a running Turn is steered into it and moves the cursor.
func TestTurnIsSteered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.session("steer", "begin")
	h.until(id, "started", func(t store.Turn) bool { return t.Status == store.TurnInProgress })
	h.add(id, messageEvent("to berth 7"))
	if turn := h.ended(id); turn.Status != store.TurnCompleted {
		t.Errorf("got %s %q (%s), want completed", turn.Status, turn.ErrorCode, turn.Outcome)
	}
	if texts := h.texts(id); strings.Count(texts, "to berth 7") < 2 {
		t.Errorf("items %s, want the steering and the answer with it", texts)
	}
	session, err := h.store.Session(t.Context(), id)
	if err != nil || session.Applied != 2 {
		t.Errorf("cursor %d (%v), want 2", session.Applied, err)
	}
}

// behaviour 6.6, 8.1: a call makes the Turn wait, its answer lets it go on.
func TestTurnWaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.session("function", "which berth", "lookup")
	turn := h.until(id, "waiting", func(t store.Turn) bool { return t.Status == store.TurnWaiting })
	view, err := h.core.Session(t.Context(), id)
	if err != nil || view.Status != core.SessionRequires || len(view.Required) != 1 || view.Required[0].Name != "lookup" {
		t.Fatalf("got %+v (%v), want one required action", view, err)
	}
	h.add(id, core.InputEvent{Kind: store.InputToolResult, TurnID: turn.ID, CallID: view.Required[0].CallID, Success: true,
		Content: []proto.InputContent{proto.TextPart("berth 7")}})
	if turn := h.ended(id); turn.Status != store.TurnCompleted {
		t.Errorf("got %s %q (%s), want completed", turn.Status, turn.ErrorCode, turn.Outcome)
	}
	if texts := h.texts(id); !strings.Contains(texts, "berth 7") {
		t.Errorf("items %s, want the answer", texts)
	}
}

// behaviour 6.4: a cancel is asked, then confirmed by its receipt, with what there was.
func TestTurnIsCancelled(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"long", "hold-cancel"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			id := h.session(script, "go on")
			h.until(id, "started", func(t store.Turn) bool { return t.Status == store.TurnInProgress })
			<-time.After(300 * time.Millisecond) // some text
			h.add(id, core.InputEvent{Kind: store.InputCancel})
			turn := h.ended(id)
			if turn.Status != store.TurnCancelled || turn.Cancel.IsZero() {
				t.Errorf("got %s %q (%s), want cancelled", turn.Status, turn.ErrorCode, turn.Outcome)
			}
			var outcome struct{ Done *proto.Done }
			if err := json.Unmarshal(turn.Outcome, &outcome); err != nil || outcome.Done == nil || outcome.Done.Content == "" {
				t.Errorf("outcome %s (%v), want the partial content", turn.Outcome, err)
			}
		})
	}
}

// behaviour 8.5: a Runtime that goes away during a Run leaves an incomplete stream, and no invented success.
func TestTurnWhoseRuntimeIsGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.session("long", "go on")
	h.until(id, "started", func(t store.Turn) bool { return t.Status == store.TurnInProgress })
	<-time.After(100 * time.Millisecond)
	h.stop()
	if turn := h.ended(id); turn.Status != store.TurnFailed || turn.ErrorCode != core.CodeStreamIncomplete {
		t.Errorf("got %s %q (%s), want failed %s", turn.Status, turn.ErrorCode, turn.Outcome, core.CodeStreamIncomplete)
	}
	h.connect()
}
