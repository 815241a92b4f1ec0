package scripted

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

// function is one function call (wire 3.9.3). Whether the configuration declares the function is the script's matter.
type function struct {
	Name      string         `json:"name" about:"of the function" need:"yes"`
	Arguments jsontext.Value `json:"arguments" about:"its arguments, {} otherwise; placeholders are filled in"`
	ID        string         `json:"id" about:"id of the call; one is made otherwise"`
	NoWait    bool           `json:"no_wait" about:"goes on at once; needs id, for wait_result or withdraw"`
	Child     string         `json:"child" about:"name of an open subagent that calls"`
}

func (f *function) check(seen labels) error {
	if f.Name == "" {
		return errors.New("key \"name\": expected the name of a function")
	}
	if f.NoWait && f.ID == "" {
		return errors.New("key \"id\" is missing; expected one beside no_wait, to know the call by")
	}
	if f.Child != "" {
		if err := seen.refer("open subagent", f.Child); err != nil {
			return err
		}
	}
	if f.NoWait {
		seen["open call "+f.ID] = true
	}
	return seen.introduce("call", f.ID)
}

func (f *function) play(p *player) error {
	call := &proto.FunctionCall{CallID: p.id(f.ID, "call"), Name: f.Name, Arguments: jsontext.Value("{}")}
	if f.Arguments != nil {
		call.Arguments = p.json(f.Arguments)
	}
	if caller := p.children[f.Child]; caller != nil && p.observes() {
		call.NativeID, call.TurnID = caller.nativeID, caller.turnID
	}
	result := p.turn.await(call.CallID)
	if err := p.send(call); err != nil {
		return err
	}
	if !f.NoWait {
		return p.take(result)
	}
	p.results[f.ID], p.calls[f.ID] = result, *call
	return nil
}

// take waits for a result and keeps its text.
func (p *player) take(result <-chan proto.FunctionResult) error {
	select {
	case got := <-result:
		p.values["result"], _ = readParts(got.Content) // it was read before it was taken
		return nil
	case <-p.turn.active.Done():
		return context.Cause(p.turn.active)
	}
}

// await makes a call known, before it is sent: its result may come at once.
func (t *turn) await(callID string) <-chan proto.FunctionResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	result := make(chan proto.FunctionResult, 1)
	t.calls[callID] = result
	return result
}

// forget makes a call unknown; false when a result was there first.
func (t *turn) forget(callID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, waits := t.calls[callID]
	delete(t.calls, callID)
	return waits
}

// waitResult waits for the result of a call that did not wait.
type waitResult struct {
	ID string `json:"id" about:"of the call" need:"yes"`
}

func (w *waitResult) check(seen labels) error {
	err := seen.refer("open call", w.ID)
	delete(seen, "open call "+w.ID)
	return err
}

func (w *waitResult) play(p *player) error { return p.take(p.results[w.ID]) }

// withdraw says that a result will not be used (wire 3.9.4). With a result it has nothing to say.
type withdraw struct {
	ID string `json:"id" about:"of the call" need:"yes"`
}

func (w *withdraw) check(seen labels) error {
	err := seen.refer("open call", w.ID)
	delete(seen, "open call "+w.ID)
	return err
}

func (w *withdraw) play(p *player) error {
	call := p.calls[w.ID]
	if !p.turn.forget(call.CallID) {
		return nil
	}
	return p.send(&proto.FunctionCallWithdrawn{CallID: call.CallID, NativeID: call.NativeID, TurnID: call.TurnID})
}

// waitSteer waits for active input (behaviour 6.5).
type waitSteer struct{}

func (w *waitSteer) check(labels) error { return nil }

func (w *waitSteer) play(p *player) error {
	select {
	case given := <-p.turn.steers:
		p.values["steer"] = given.text
		close(given.consumed)
		return nil
	case <-p.turn.active.Done():
		return context.Cause(p.turn.active)
	}
}
