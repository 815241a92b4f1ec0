package dispatch_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/daemon/dispatch"
	"parley/daemon/harness"
	"parley/daemon/proto"
)

// adapter is a harness whose every step the test decides. Its zero value does what it should.
type adapter struct {
	factory    func(ctx context.Context) error // nil: at once and well
	factoryToo bool                            // an Executor comes along with the factory's error
	startErr   error
	noTurn     bool
	early      []proto.Frame // sent before StartTurn returns
	closeErr   func(attempt int) error
	settle     func(ctx context.Context, t *turn) (bool, error) // nil: waits for over, then reusable
	cancel     func(ctx context.Context, t *turn) error         // nil: ends the turn
	steer      func(ctx context.Context, written func()) error
	function   func(ctx context.Context, result proto.FunctionResult) error
	noOutcome  bool
	partial    string // content of the outcome; "": a word
	native     string

	mu     sync.Mutex
	made   int
	closes int
	starts int
	turns  chan *turn
}

func newAdapter() *adapter { return &adapter{native: "native-1", turns: make(chan *turn, 8)} }

func (a *adapter) make(ctx context.Context, _ proto.Configuration) (harness.Executor, error) {
	a.mu.Lock()
	a.made++
	a.mu.Unlock()
	if a.factory != nil {
		if err := a.factory(ctx); err != nil {
			if a.factoryToo {
				return a, err
			}
			return nil, err
		}
	}
	return a, nil
}

func (a *adapter) NativeSession() string { return a.native }

func (a *adapter) StartTurn(_ context.Context, run string, _ proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
	a.mu.Lock()
	a.starts++
	a.mu.Unlock()
	for _, frame := range a.early {
		output <- frame
	}
	if a.noTurn {
		return nil, a.startErr
	}
	t := &turn{adapter: a, run: run, output: output, over: make(chan struct{})}
	a.turns <- t
	return t, a.startErr
}

func (a *adapter) Close(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closes++
	if a.closeErr != nil {
		return a.closeErr(a.closes)
	}
	return nil
}

func (a *adapter) counts() (made, starts, closes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made, a.starts, a.closes
}

// turn is a Turn of the controlled adapter.
type turn struct {
	adapter *adapter
	run     string
	output  chan<- proto.Frame
	over    chan struct{}
	end     sync.Once
}

// say sends one output frame.
func (t *turn) say(payload proto.Payload) { t.output <- proto.New(t.run, payload) }

// finish closes the output and lets the Turn settle.
func (t *turn) finish() {
	t.end.Do(func() {
		close(t.output)
		close(t.over)
	})
}

// complete says done and finishes.
func (t *turn) complete(text string) {
	t.say(&proto.Done{Content: text})
	t.finish()
}

func (t *turn) Cancel(ctx context.Context) error {
	if t.adapter.cancel != nil {
		return t.adapter.cancel(ctx, t)
	}
	t.finish()
	return nil
}

func (t *turn) CancellationOutcome() (proto.Done, bool) {
	return proto.Done{Content: cmp.Or(t.adapter.partial, "partial")}, !t.adapter.noOutcome
}

func (t *turn) SteerWithReceipt(ctx context.Context, _ proto.MessageInput, written func()) error {
	if t.adapter.steer == nil {
		return harness.ErrUnsupported
	}
	return t.adapter.steer(ctx, written)
}

func (t *turn) SubmitFunctionResult(ctx context.Context, result proto.FunctionResult) error {
	if t.adapter.function == nil {
		return harness.ErrUnsupported
	}
	return t.adapter.function(ctx, result)
}

func (t *turn) AwaitSettlement(ctx context.Context) (bool, error) {
	if t.adapter.settle != nil {
		return t.adapter.settle(ctx, t)
	}
	select {
	case <-t.over:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// bench is a Router with a peer that the test plays.
type bench struct {
	t      *testing.T
	router *dispatch.Router
	sent   chan proto.Frame
	mu     sync.Mutex
	refuse func(proto.Frame) error // nil: everything arrives
}

const kindName = "contract"

// declared lists every capability; only what has no code here is unsupported.
func declared() proto.Capabilities {
	var all proto.Capabilities
	for c := range proto.CapabilityCount {
		all[c] = proto.Supported
	}
	return all
}

func newBench(t *testing.T, a *adapter, change ...func(*dispatch.Config)) *bench {
	t.Helper()
	registry := harness.NewRegistry()
	if err := registry.Declare(harness.Declaration{Kind: kindName, Available: true, Capabilities: declared()}); err != nil {
		t.Fatal(err)
	}
	if err := registry.SetFactory(kindName, a.make); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, sent: make(chan proto.Frame, 256)}
	config := dispatch.Config{Registry: registry, Send: b.send, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&config)
	}
	b.router = dispatch.New(config)
	return b
}

func (b *bench) send(ctx context.Context, frame proto.Frame) error {
	b.mu.Lock()
	refuse := b.refuse
	b.mu.Unlock()
	if refuse != nil {
		if err := refuse(frame); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.sent <- frame
	return nil
}

func (b *bench) refusing(refuse func(proto.Frame) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = refuse
}

// stop shuts the Router down and expects a confirmed end.
func (b *bench) stop() {
	b.t.Helper()
	if err := b.router.Shutdown(context.Background()); err != nil {
		b.t.Errorf("shutdown: %v", err)
	}
}

// handle gives the Router one frame that it must take.
func (b *bench) handle(frame proto.Frame) {
	b.t.Helper()
	if err := b.router.Handle(frame); err != nil {
		b.t.Fatalf("handle %s: %v", frame.Type, err)
	}
}

// next waits until nothing moves and gives the next frame that was sent.
func (b *bench) next() proto.Frame {
	b.t.Helper()
	synctest.Wait()
	select {
	case frame := <-b.sent:
		return frame
	default:
		b.t.Fatal("nothing was sent")
		return proto.Frame{}
	}
}

// silent expects that nothing was sent.
func (b *bench) silent() {
	b.t.Helper()
	synctest.Wait()
	select {
	case frame := <-b.sent:
		b.t.Fatalf("got %s, want silence", text(frame))
	default:
	}
}

func text(frame proto.Frame) string {
	data, err := proto.Encode(frame)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// status expects a preparation status in a state.
func (b *bench) status(state string, revision uint64) *proto.PreparationStatus {
	b.t.Helper()
	frame := b.next()
	got, ok := frame.Payload.(*proto.PreparationStatus)
	if !ok || got.State != state || got.Revision != revision {
		b.t.Fatalf("got %s, want status %s of revision %d", text(frame), state, revision)
	}
	return got
}

// rejected expects a rejection with a code.
func (b *bench) rejected(operation proto.Type, code string) *proto.PreparationStatus {
	b.t.Helper()
	got := b.status(proto.StateRejected, 0)
	if got.ErrorCode != code || got.Operation != operation {
		b.t.Fatalf("got rejection %q of %s, want %q of %s", got.ErrorCode, got.Operation, code, operation)
	}
	return got
}

// ack expects a decision receipt.
func (b *bench) ack(applied bool, code string) *proto.DecisionAck {
	b.t.Helper()
	frame := b.next()
	got, ok := frame.Payload.(*proto.DecisionAck)
	if !ok || got.Applied != applied || got.ErrorCode != code {
		b.t.Fatalf("got %s, want receipt applied=%t %q", text(frame), applied, code)
	}
	return got
}

// inputAck expects a receipt of active input.
func (b *bench) inputAck(accepted, written bool, code string) {
	b.t.Helper()
	frame := b.next()
	got, ok := frame.Payload.(*proto.PromptSteerAck)
	if !ok || got.Accepted != accepted || got.Written != written || got.ErrorCode != code {
		b.t.Fatalf("got %s, want input receipt accepted=%t written=%t %q", text(frame), accepted, written, code)
	}
}

// kind expects a frame of a type.
func (b *bench) kind(want proto.Type) proto.Frame {
	b.t.Helper()
	frame := b.next()
	if frame.Type != want {
		b.t.Fatalf("got %s, want %s", text(frame), want)
	}
	return frame
}

// session gives the n-th Session id.
func session(n int) string { return fmt.Sprintf("b8e4d7a1-26c3-4f59-8e02-%012d", n) }

// prepareFrame asks for an execution without an Environment.
func prepareFrame(id, session string, change ...func(*proto.Configuration)) proto.Frame {
	config := proto.Configuration{AgentKind: kindName, DisableExecutionEnvironment: true,
		AgentStateKey: proto.StateKeyPrefix + session, AgentOptions: &proto.AgentOptions{Model: "m", SystemPrompt: "s"}}
	for _, f := range change {
		f(&config)
	}
	return proto.New(id, &proto.ExecutionPrepare{SessionID: session, Configuration: config})
}

// ready prepares and gives the ready status.
func (b *bench) ready(id, session string, change ...func(*proto.Configuration)) *proto.PreparationStatus {
	b.t.Helper()
	b.handle(prepareFrame(id, session, change...))
	b.status(proto.StatePreparing, 1)
	return b.status(proto.StateReady, 2)
}

func startFrame(id, run string, ready *proto.PreparationStatus) proto.Frame {
	return proto.New(id, &proto.ExecutionStart{ExecutorID: ready.ExecutorID, Handle: ready.Handle, RunID: run, Input: proto.TextInput("hello")})
}

// started prepares, starts and gives the Turn.
func (b *bench) started(a *adapter, id, session, run string) *turn {
	b.t.Helper()
	ready := b.ready(id, session)
	b.handle(startFrame(id, run, ready))
	b.status(proto.StateStarting, 3)
	b.status(proto.StateStarted, 4)
	return <-a.turns
}

func cancelFrame(run, delivery string) proto.Frame {
	return proto.New(run, &proto.PromptCancel{DeliveryID: delivery})
}

var errBroken = errors.New("broken on purpose")

// elapse lets time go by in the bubble.
func elapse(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}
