package scripted

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/harness"
	"parley/daemon/proto"
)

// errClosed ends what an Executor does when it is closed.
var errClosed = errors.New("executor is closed")

// executor serves one Session. Its mutex covers the fields below it; it is never held while something waits.
type executor struct {
	memory *memory
	config proto.Configuration
	script *script
	life   context.Context // ends with Close
	end    context.CancelCauseFunc

	mu       sync.Mutex
	session  *session // nil until the first Turn
	refusal  error    // why no Turn can be started any more
	starting bool
	current  *turn // the last one, nil before the first
	failures int   // closes that are still to fail
}

// prepare is the factory: it reads the script, finds the native Session and submits nothing (behaviour 9.1).
func (m *memory) prepare(ctx context.Context, config proto.Configuration) (harness.Executor, error) {
	var text jsontext.Value
	if config.AgentOptions != nil {
		text = config.AgentOptions.HarnessConfig
	}
	played, err := chosen(text)
	if err != nil {
		return nil, fmt.Errorf("prepare scripted executor: %w", err)
	}
	known, err := m.find(config)
	if err != nil {
		return nil, fmt.Errorf("prepare scripted executor: %w", err)
	}
	if err := pause(ctx, played.Prepare.DelayMS.duration()); err != nil {
		return nil, fmt.Errorf("prepare scripted executor: %w", err)
	}
	e := newExecutor(ctx, m, config, played, known)
	if played.Prepare.Fail == "" {
		return e, nil
	}
	e.refusal = fmt.Errorf("prepare scripted executor: %s", played.Prepare.Fail)
	if played.Prepare.Holding {
		return e, e.refusal
	}
	e.end(errClosed)
	return nil, e.refusal
}

// newExecutor keeps the values of ctx and not its end: an Executor outlives its preparation.
func newExecutor(ctx context.Context, m *memory, config proto.Configuration, played *script, known *session) *executor {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	return &executor{memory: m, config: config, script: played, life: life, end: end, session: known, failures: played.Close.FailTimes}
}

// StartTurn plays the script's steps for this Turn.
func (e *executor) StartTurn(ctx context.Context, runID string, input proto.MessageInput, output chan<- proto.Frame) (harness.Turn, error) {
	text, err := read(input)
	if err != nil {
		return nil, fmt.Errorf("start turn: %w", err)
	}
	if err := e.claim(); err != nil {
		return nil, fmt.Errorf("start turn: %w", err)
	}
	joined, release := both(ctx, e.life)
	defer release()
	err = pause(joined, e.script.Start.DelayMS.duration())
	t, err := e.begin(err, runID, text, output)
	if t == nil {
		return nil, fmt.Errorf("start turn: %w", err) // not t: a nil *turn is no nil Turn
	}
	return t, err
}

// claim makes sure that one Turn starts at a time, and only after the one before has settled.
func (e *executor) claim() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.refusal != nil:
		return e.refusal
	case e.life.Err() != nil:
		return errClosed
	case e.starting || e.current != nil && !e.current.isSettled():
		return errors.New("another turn of this executor has not settled")
	case e.current != nil && !e.current.reusable():
		return errors.New("the turn before left this executor unusable")
	}
	e.starting = true
	return nil
}

// begin ends the claim with a running Turn, or without one.
func (e *executor) begin(failed error, runID, text string, output chan<- proto.Frame) (*turn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.starting = false
	if failed == nil {
		failed = context.Cause(e.life)
	}
	if failed != nil {
		return nil, failed
	}
	begin := e.script.Start
	if begin.Fail != "" && !begin.WithTurn {
		return nil, errors.New(begin.Fail)
	}
	if e.session == nil {
		e.session = e.memory.open(e.config.AgentStateKey)
	}
	number, history := e.session.begin(text)
	t := newTurn(e, e.session.id, runID, output)
	e.current = t
	if begin.Fail != "" {
		t.abandon()
		return t, errors.New(begin.Fail)
	}
	values := e.values(text, history, number)
	values["run"] = runID
	go t.run(newPlayer(t, number, values), e.script.stepsFor(text))
	return t, nil
}

// values fills the placeholders that are known when a Turn starts.
func (e *executor) values(input, history string, number int) map[string]string {
	values := map[string]string{"input": input, "history": history, "turn": fmt.Sprint(number), "native_session": e.session.id}
	if options := e.config.AgentOptions; options != nil {
		values["model"] = options.Model
	}
	if controls := e.config.ExecutionControls; controls != nil {
		values["text_verbosity"] = controls.TextVerbosity
		values["reasoning_effort"] = controls.ReasoningEffort
	}
	return values
}

// searchDisabled reports that the controls switch web search off: as text, or as the mode of an object (wire 3.6.3).
func (e *executor) searchDisabled() bool {
	controls := e.config.ExecutionControls
	if controls == nil || len(controls.WebSearch) == 0 {
		return false
	}
	const off = "disabled"
	if controls.WebSearch.Kind() == '"' {
		var mode string
		return json.Unmarshal(controls.WebSearch, &mode) == nil && mode == off
	}
	var object struct {
		Mode string `json:"mode"`
	}
	return json.Unmarshal(controls.WebSearch, &object) == nil && object.Mode == off
}

// NativeSession is "" until the first Turn, unless an earlier native Session is continued.
func (e *executor) NativeSession() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session == nil {
		return ""
	}
	return e.session.id
}

// Close stops a Turn that is going on and waits for it. A close that the script lets fail stops nothing.
func (e *executor) Close(ctx context.Context) error {
	t, err := e.shut()
	if err != nil || t == nil {
		return err
	}
	select {
	case <-t.settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close scripted executor: turn of run %q has not stopped: %w", t.runID, context.Cause(ctx))
	}
}

// shut ends the Executor's life and tells what to wait for.
func (e *executor) shut() (*turn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failures > 0 {
		e.failures--
		return nil, fmt.Errorf("close scripted executor: the script lets it fail, %d times more", e.failures)
	}
	e.end(errClosed)
	return e.current, nil
}
