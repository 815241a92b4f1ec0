package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/daemon/proto"
)

// send writes a frame of the own side.
func (p *player) send(ctx context.Context, s *Step) error {
	if s.Raw != nil {
		text := *s.Raw
		if s.PadTo > len(text) {
			text += strings.Repeat(" ", s.PadTo-len(text))
		}
		err := p.put(ctx, []byte(text))
		if len(text) > proto.MaxFrame && ctx.Err() == nil {
			return nil // the peer ends the connection, maybe while this is being written
		}
		return err
	}
	return p.write(ctx, s.Type, s.ID, s.Payload)
}

func (p *player) write(ctx context.Context, kind string, id, payload any) error {
	message := map[string]any{"type": kind}
	if id != nil {
		message["id"] = p.values.send(id)
	}
	if payload != nil {
		message["payload"] = p.values.send(payload)
	}
	data, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode %s: %w", kind, err)
	}
	return p.put(ctx, data)
}

func (p *player) put(ctx context.Context, data []byte) error {
	if p.link == nil {
		return errors.New("the scenario sends without a connection")
	}
	err := p.link.send(ctx, data)
	if err != nil && ctx.Err() == nil {
		return &difference{expected: "an open connection", seen: err.Error(), text: "the message could not be sent"}
	}
	return err
}

// expect makes a Core act if that is needed, and waits for the frame.
func (p *player) expect(ctx context.Context, s *Step) error {
	if s.Raw != nil {
		return p.expectRaw(ctx, s)
	}
	if err := p.act(ctx, s); err != nil {
		return err
	}
	got, err := p.nextOf(ctx, p.wait(s), s.Type)
	if err != nil {
		if s.Optional && errors.Is(err, errNothing) {
			return nil
		}
		return p.nothing(p.wanted(s), err)
	}
	if err := p.accept(s, got); err != nil {
		if s.Optional {
			p.link.push(got)
			return nil
		}
		return err
	}
	if s.Repeat {
		return p.repeats(ctx, s)
	}
	return nil
}

// expectRaw takes a message that is no frame as it is: only a peer of a judge gets one.
func (p *player) expectRaw(ctx context.Context, s *Step) error {
	if s.PadTo > proto.MaxFrame {
		return nil // it ends the connection instead
	}
	if _, err := p.link.next(ctx, p.patience); err != nil {
		return p.nothing(*s.Raw, err)
	}
	return nil
}

// repeats takes further frames that match, each with bindings of its own.
func (p *player) repeats(ctx context.Context, s *Step) error {
	for {
		got, err := p.nextOf(ctx, p.patience, progressTypes()...)
		if errors.Is(err, errNothing) || errors.Is(err, errEnded) {
			return nil // the next step says what is missing
		}
		if err != nil {
			return err
		}
		if p.accept(s, got) != nil {
			p.link.push(got)
			return nil
		}
	}
}

// nextOf gives the next message that counts. Heartbeats and a Run's progress come whenever they come, and are passed
// over unless a step wants them.
func (p *player) nextOf(ctx context.Context, wait time.Duration, wanted ...string) (received, error) {
	if p.link == nil {
		return received{}, errors.New("the scenario expects a frame without a connection")
	}
	deadline := time.Now().Add(wait)
	for {
		got, err := p.link.next(ctx, time.Until(deadline))
		if err != nil {
			return got, err
		}
		passing := got.err == nil && (got.frame.Type == proto.TypeHeartbeat || slices.Contains(progress(), got.frame.Type))
		if !passing || slices.Contains(wanted, string(got.frame.Type)) {
			return got, nil
		}
		if err := p.valid(got); err != nil {
			return got, err
		}
	}
}

// progress are the frames that a harness sends in its own number and time.
func progress() []proto.Type {
	return []proto.Type{proto.TypeDelta, proto.TypeThinking, proto.TypeOutputMessage, proto.TypeToolCall,
		proto.TypeCommandOutput, proto.TypeUsage, proto.TypeSubagentIdentity, proto.TypeSubagentLifecycle,
		proto.TypeSubagentTurn, proto.TypeSubagentItem, proto.TypeSubagentCoordination}
}

func progressTypes() []string {
	var types []string
	for _, t := range progress() {
		types = append(types, string(t))
	}
	return types
}

// accept compares a message with a step and binds what it binds, if it matches.
func (p *player) accept(s *Step, got received) error {
	if got.err != nil {
		return &difference{expected: p.wanted(s), seen: shown(got), text: fmt.Sprintf("no frame: %v", got.err), section: "wire 1.1"}
	}
	invalid := p.valid(got)
	if invalid != nil && string(got.frame.Type) == s.Type {
		return invalid
	}
	found, err := p.matched(s, got)
	if err != nil {
		d := &difference{expected: p.wanted(s), seen: shown(got), text: joined(err, invalid)}
		d.section, d.hint = revisionRule(s, err)
		return d
	}
	p.values.bind(found)
	return nil
}

// matched compares the type first: another frame has other members, and they are not what is wrong.
func (p *player) matched(s *Step, got received) (map[string]any, error) {
	if string(got.frame.Type) != s.Type {
		return nil, differ("type", s.Type, string(got.frame.Type))
	}
	return p.values.match("", map[string]any{"type": s.Type, "id": s.ID, "payload": expectedPayload(s)}, seen(got))
}

// revisionRule is the rule of a status whose revision is another one; nothing for any other difference.
func revisionRule(s *Step, differs error) (section, hint string) {
	if s.Type != string(proto.TypePreparationStatus) || !strings.HasPrefix(differs.Error(), "payload.revision:") {
		return "", ""
	}
	return "wire 3.7, behaviour 5.5", "A handle's first status has revision 1, each change adds 1, a repeat keeps its own; a rejection has 0."
}

// joined tells a difference and that the frame is wrong in itself too.
func joined(differs, invalid error) string {
	if invalid == nil {
		return differs.Error()
	}
	return differs.Error() + "; besides, " + invalid.Error()
}

func expectedPayload(s *Step) any {
	if s.Payload == nil {
		return map[string]any{}
	}
	return s.Payload
}

// seen is a frame as a decoder of the wire sees it: unknown members gone, absent ones zero (wire 0.3).
func seen(got received) any {
	frame := map[string]any{"type": string(got.frame.Type), "id": got.frame.ID}
	raw := []byte(got.frame.Raw)
	if got.frame.Payload != nil {
		if data, err := proto.EncodePayload(got.frame.Payload); err == nil {
			raw = data
		}
	}
	payload, err := plain(raw)
	if err != nil {
		payload = map[string]any{}
	}
	frame["payload"] = payload
	return frame
}

// shown is a message for the report: as it came.
func shown(got received) any {
	const most = 4096
	if value, err := plain(got.data); err == nil && len(got.data) <= most {
		return value
	}
	return fmt.Sprintf("%.*q (%d bytes)", most, got.data, len(got.data))
}

// wanted is a step for the report, with the values that are known by now.
func (p *player) wanted(s *Step) any {
	frame := map[string]any{"type": s.Type, "payload": p.resolved(expectedPayload(s))}
	if s.ID != nil {
		frame["id"] = p.resolved(s.ID)
	}
	return frame
}

// resolved replaces names that have a value and keeps operators as they are written.
func (p *player) resolved(value any) any {
	switch v := value.(type) {
	case string:
		if n := name(value); n == "any" || n == "optional" || n == "absent" {
			return v
		}
		return p.values.send(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = p.resolved(v[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[key] = p.resolved(v[key])
		}
		return object
	}
	return value
}

// unordered sends or expects frames whose order the contract leaves open.
func (p *player) unordered(ctx context.Context, s *Step) error {
	if s.From == p.plays {
		for i := range s.Alternatives {
			if err := p.send(ctx, &s.Alternatives[i]); err != nil {
				return err
			}
		}
		return nil
	}
	left := slices.Clone(s.Alternatives)
	var types []string
	for i := range left {
		types = append(types, left[i].Type)
		if err := p.act(ctx, &left[i]); err != nil {
			return err
		}
	}
	for len(left) > 0 {
		wait := p.wait(s)
		if !slices.ContainsFunc(left, func(s Step) bool { return !s.Optional }) {
			wait = watchFor
		}
		got, err := p.nextOf(ctx, wait, types...)
		if errors.Is(err, errNothing) && wait == watchFor {
			return nil
		}
		if err != nil {
			return p.nothing(p.anyOf(left), err)
		}
		i := slices.IndexFunc(left, func(s Step) bool { return p.accept(&s, got) == nil })
		if i < 0 && wait == watchFor {
			p.link.push(got)
			return nil
		}
		if i < 0 {
			if err := p.valid(got); err != nil {
				return err
			}
			return &difference{expected: p.anyOf(left), seen: shown(got), text: "none of the frames that may come here: " + p.closest(left, got)}
		}
		left = slices.Delete(left, i, i+1)
	}
	return nil
}

func (p *player) anyOf(steps []Step) any {
	var list []any
	for i := range steps {
		list = append(list, p.wanted(&steps[i]))
	}
	return map[string]any{"in any order": list}
}

// closest explains the difference to the expected frame of the same type.
func (p *player) closest(steps []Step, got received) string {
	for i := range steps {
		if steps[i].Type == string(got.frame.Type) {
			return p.accept(&steps[i], got).Error()
		}
	}
	return fmt.Sprintf("type %q", got.frame.Type)
}
