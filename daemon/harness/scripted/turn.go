package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// Reasons for which the steps of a Turn end.
var (
	errCancelled = errors.New("turn was cancelled")
	errOver      = errors.New("turn has ended")
)

// turn is one play of a script. run is the only sender on output and closes it; settled is closed after that.
type turn struct {
	executor      *executor
	nativeSession string
	runID         string
	output        chan<- proto.Frame
	active        context.Context // while steps are played and input is taken
	finish        context.CancelCauseFunc
	settled       chan struct{} // closed when nothing of the Turn goes on any more
	steers        chan *activeInput

	mu      sync.Mutex // covers what follows
	content strings.Builder
	usage   *proto.Usage
	calls   map[string]chan proto.FunctionResult // calls that wait for a result, each with room for one
}

// activeInput is written input that a step has to consume.
type activeInput struct {
	text     string
	consumed chan struct{}
}

func newTurn(e *executor, nativeSession, runID string, output chan<- proto.Frame) *turn {
	active, finish := context.WithCancelCause(e.life)
	return &turn{
		executor: e, nativeSession: nativeSession, runID: runID, output: output, active: active, finish: finish,
		settled: make(chan struct{}), steers: make(chan *activeInput, proto.MaxInputsPerRun),
		calls: map[string]chan proto.FunctionResult{},
	}
}

// run plays the steps and then settles as the script says.
func (t *turn) run(p *player, steps []step) {
	defer close(t.settled)
	if err := p.play(steps); err != nil {
		t.stop(p)
	}
	t.finish(errOver)
	close(t.output)
	_ = pause(t.executor.life, t.executor.script.Settle.DelayMS.duration()) // a close cuts it short; it has settled then, too
}

// stop is the native side of a cancellation: it takes its time, and may say done.
func (t *turn) stop(p *player) {
	cancel := t.executor.script.Cancel
	if pause(t.executor.life, cancel.HoldMS.duration()) != nil || !cancel.Done || p.saidDone {
		return
	}
	outcome := t.outcome()
	select {
	case t.output <- proto.New(t.runID, &outcome):
	case <-t.executor.life.Done():
	}
}

// abandon ends a Turn that never began.
func (t *turn) abandon() {
	t.finish(errOver)
	close(t.output)
	close(t.settled)
}

func (t *turn) isSettled() bool {
	select {
	case <-t.settled:
		return true
	default:
		return false
	}
}

// reusable tells what a settled Turn leaves behind.
func (t *turn) reusable() bool {
	settle := t.executor.script.Settle
	return settle.Fail == "" && !settle.Spent && t.executor.life.Err() == nil
}

// Cancel stops the steps and waits until the native work has stopped.
func (t *turn) Cancel(ctx context.Context) error {
	if t.isSettled() {
		return nil
	}
	if fail := t.executor.script.Cancel.Fail; fail != "" {
		return fmt.Errorf("cancel turn of run %q: %s", t.runID, fail)
	}
	t.finish(errCancelled)
	select {
	case <-t.settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cancel turn of run %q: it has not stopped: %w", t.runID, context.Cause(ctx))
	}
}

// CancellationOutcome is what came so far.
func (t *turn) CancellationOutcome() (proto.Done, bool) {
	if t.executor.script.Cancel.NoOutcome {
		return proto.Done{}, false
	}
	return t.outcome(), true
}

func (t *turn) outcome() proto.Done {
	t.mu.Lock()
	defer t.mu.Unlock()
	return proto.Done{Content: t.content.String(), Usage: t.usage, Metadata: map[string]jsontext.Value{
		proto.MetadataSessionID:   quote(t.nativeSession),
		proto.MetadataSessionType: quote(Kind),
	}}
}

func quote(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, text) // an error is broken UTF-8, which it replaces
	return quoted
}

// SteerWithReceipt writes input and waits for the step that consumes it. Without one it waits until the Turn ends.
func (t *turn) SteerWithReceipt(ctx context.Context, input proto.MessageInput, onWritten func()) error {
	text, err := read(input)
	if err != nil {
		return fmt.Errorf("%w: %w", harness.ErrRejected, err)
	}
	if err := t.write(ctx); err != nil {
		return err
	}
	onWritten() // before a step can see it, so that the receipt comes before the answer
	given := &activeInput{text: text, consumed: make(chan struct{})}
	select {
	case t.steers <- given:
	case <-t.active.Done():
		return harness.ErrInactive
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return t.awaitConsumption(ctx, given)
}

// write is the native write, and what stands against it.
func (t *turn) write(ctx context.Context) error {
	if t.active.Err() != nil {
		return harness.ErrInactive
	}
	steer := t.executor.script.Steer
	switch steer.Refuse {
	case refuseNotReady:
		return harness.ErrNotReady
	case refuseRejected:
		return harness.ErrRejected
	}
	joined, release := both(ctx, t.active)
	defer release()
	err := pause(joined, steer.WriteMS.duration())
	if t.active.Err() != nil {
		return harness.ErrInactive
	}
	return err
}

func (t *turn) awaitConsumption(ctx context.Context, given *activeInput) error {
	select {
	case <-given.consumed:
		return nil
	case <-t.active.Done():
	case <-ctx.Done():
	}
	select {
	case <-given.consumed: // and then the Turn ended at once
		return nil
	default:
	}
	if t.active.Err() != nil {
		return harness.ErrInactive
	}
	return context.Cause(ctx)
}

// SubmitFunctionResult hands a result to the call that waits for it.
func (t *turn) SubmitFunctionResult(_ context.Context, result proto.FunctionResult) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting, known := t.calls[result.CallID]
	if !known || t.active.Err() != nil {
		return harness.ErrUnknownCall
	}
	if _, err := readParts(result.Content); err != nil {
		return fmt.Errorf("submit result of call %q: %w", result.CallID, err)
	}
	delete(t.calls, result.CallID)
	waiting <- result // has room for this one
	return nil
}

// AwaitSettlement returns when output is closed and nothing goes on any more.
func (t *turn) AwaitSettlement(ctx context.Context) (reusable bool, err error) {
	select {
	case <-t.settled:
	case <-ctx.Done():
		if !t.isSettled() { // both may be ready
			return false, fmt.Errorf("await settlement of run %q: %w", t.runID, context.Cause(ctx))
		}
	}
	if fail := t.executor.script.Settle.Fail; fail != "" {
		return false, fmt.Errorf("await settlement of run %q: %s", t.runID, fail)
	}
	return t.reusable(), nil
}
