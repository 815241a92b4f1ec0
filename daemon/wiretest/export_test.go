package wiretest

import (
	"context"
	"maps"
	"slices"
	"time"

	"parley/daemon/proto"
)

// Scripted plays one scenario between a judge and a scripted peer of the side under test. The peer plays its own copy,
// so that a test can make it wrong.
func Scripted(ctx context.Context, judged, played Scenario, side Role, patience time.Duration) (Result, error) {
	return ScriptedWith(ctx, nil, judged, played, side, patience)
}

// ScriptedWith also asks a driver, which is told to act beside the scripted Core that acts by itself.
func ScriptedWith(ctx context.Context, driver CoreDriver, judged, played Scenario, side Role, patience time.Duration) (Result, error) {
	core, err := Listen("127.0.0.1:0", Profile{})
	if err != nil {
		return Result{}, err
	}
	defer core.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	values := given(core.profile, scriptedBehaviour(contractKind, played.Behaviour))
	peer := &player{plays: side, scenario: &played, patience: proto.HandshakeTimeout, dialling: proto.HandshakeTimeout,
		core: core, runtime: newScriptedRuntime(core.profile), values: newValues(values, side)}
	ended := make(chan error, 1)
	go func() {
		_, err := peer.play(ctx)
		ended <- err
	}()
	judging := &player{plays: side.other(), judges: true, scenario: &judged, patience: patience, dialling: proto.HandshakeTimeout,
		core: core, runtime: newScriptedRuntime(core.profile), values: newValues(values, side.other()),
		driver: driver, revoke: func(context.Context) error { return nil }}
	step, err := judging.play(ctx)
	result := judge(&judged, step, err)
	cancel()
	<-ended
	return result, nil
}

// Faults are the ways to make a frame that the peer sends wrong.
type Fault struct {
	Name  string
	Step  int // of the frame, from 1
	Wrong Scenario
}

// FaultsOf makes, for every frame that a side must send, a copy of the scenario with one literal changed, with the frame
// left out and with a frame in front of it.
func FaultsOf(s Scenario, side Role) []Fault {
	var all []Fault
	for i, step := range s.Steps {
		if step.Kind != StepFrame || step.From != side || step.Optional || step.Repeat || step.Raw != nil {
			continue
		}
		copyWith := func(name string, steps ...Step) {
			wrong := s
			wrong.Steps = slices.Concat(slices.Clone(s.Steps[:i]), steps, s.Steps[i+1:])
			all = append(all, Fault{Name: name, Step: i + 1, Wrong: wrong})
		}
		changed := step
		if payload, ok := spoil(step.Payload); ok {
			changed.Payload = payload
			copyWith("changed", changed)
		} else if step.ID != nil {
			changed.ID = "another"
			copyWith("changed", changed)
		}
		if !absorbed(s.Steps[i+1:], step) {
			copyWith("dropped")
		}
		stray := Step{Kind: StepFrame, From: side, Type: "done", ID: "stray", Payload: map[string]any{"content": ""}}
		if side == Core {
			stray = Step{Kind: StepFrame, From: side, Type: "prompt_cancel", ID: "stray", Payload: map[string]any{}}
		}
		copyWith("added", stray, step)
	}
	return all
}

// absorbed reports whether the next frame of the kind stands for one that is left out: heartbeats come anyway, and a
// status that may come twice has come once.
func absorbed(after []Step, step Step) bool {
	return len(after) > 0 && after[0].Type == step.Type && (after[0].Optional || step.Type == "heartbeat")
}

// spoil changes one literal text of an object's first level.
func spoil(payload any) (any, bool) {
	object, isObject := payload.(map[string]any)
	if !isObject {
		return nil, false
	}
	result := map[string]any{}
	spoiled := false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		result[key] = object[key]
		text, isText := object[key].(string)
		if !spoiled && isText && name(text) == "" && key != opBase && key != opOthers {
			result[key], spoiled = text+"x", true
		}
	}
	return result, spoiled
}

// Match compares two JSON values as one frame after its predecessors would be.
func Match(want, got string) error { return MatchTwice(want, got, got) }

// MatchTwice gives the error of the second comparison, after the first, which may fail.
func MatchTwice(want, first, second string) error {
	v := newValues(given(Profile{RuntimeID: "runtime"}, Behaviour{}), Core)
	expected, err := plain([]byte(want))
	if err != nil {
		return err
	}
	for _, text := range []string{first, second} {
		var got any
		if got, err = plain([]byte(text)); err != nil {
			return err
		}
		var found map[string]any
		if found, err = v.match("", expected, got); err == nil {
			v.bind(found)
		}
	}
	return err
}

// Vocabulary is every step and operator that a file may have.
func Vocabulary() []string {
	words := operators()
	for _, keys := range stepKeys() {
		words = append(words, keys[0])
	}
	return words
}

// FirstFrame judges a Runtime that begins its connection with a message.
func FirstFrame(ctx context.Context, message string) (Result, error) {
	core, err := Listen("127.0.0.1:0", Profile{})
	if err != nil {
		return Result{}, err
	}
	defer core.Close()
	ended := make(chan error, 1)
	go func() {
		l, err := newScriptedRuntime(core.profile).dial(ctx, proto.Version)
		if err == nil {
			err = l.send(ctx, []byte(message))
			_, _, _ = l.awaitEnd(ctx, proto.HandshakeTimeout) // the judge ends it
			l.close(proto.CloseNormal)
		}
		ended <- err
	}()
	s := Scenario{Name: "x", Proves: []string{"behaviour 10"}}
	judging := &player{plays: Core, judges: true, scenario: &s, patience: proto.HandshakeTimeout, dialling: proto.HandshakeTimeout,
		core: core, values: newValues(given(core.profile, Behaviour{}), Core)}
	step, err := judging.play(ctx)
	return judge(&s, step, err), <-ended
}
