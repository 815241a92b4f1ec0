package scripted

import (
	"errors"
	"fmt"
	"time"

	"parley/daemon/proto"
)

// subagent is one child with one Turn (wire 3.12).
type subagent struct {
	Name         string       `json:"name" about:"of the child" need:"yes"`
	Instructions string       `json:"instructions" about:"what it is asked to do; placeholders are filled in"`
	Says         []string     `json:"says" about:"texts of its messages; placeholders are filled in"`
	PaceMS       milliseconds `json:"pace_ms" about:"time before each message"`
	Status       string       `json:"status" about:"how its Turn ends; completed otherwise" of:"completed,failed,cancelled"`
	LeaveOpen    bool         `json:"leave_open" about:"its Turn goes on until subagent_end; without that it never ends"`
}

func (s *subagent) check(seen labels) error {
	if s.Name == "" {
		return errors.New("key \"name\": expected a name")
	}
	if s.LeaveOpen && s.Status != "" {
		return errors.New("key \"status\": subagent_end says how a child ends that is left open")
	}
	if s.LeaveOpen {
		seen["open subagent "+s.Name] = true
	}
	return seen.introduce("subagent", s.Name)
}

func (s *subagent) play(p *player) error {
	if reason := p.noChild(); reason != "" {
		return p.note(fmt.Sprintf("Subagent %q was left out: %s.", s.Name, reason))
	}
	c := p.newChild()
	p.children[s.Name] = c
	if err := s.introduce(p, c); err != nil {
		return err
	}
	for _, text := range s.Says {
		if err := p.pause(s.PaceMS); err != nil {
			return err
		}
		if err := c.say(p, p.text(text)); err != nil {
			return err
		}
	}
	if s.LeaveOpen {
		return nil
	}
	return p.endChild(s.Name, s.Status)
}

// introduce shows the call that creates the child, the child, and its Turn, in the order of cause and effect.
func (s *subagent) introduce(p *player, c *child) error {
	instructions := p.text(s.Instructions)
	created := proto.SubagentCoordination{
		ID: p.id("", "coordination"), Kind: "create_subagent_call", Status: statusStarted, Recipients: []string{c.nativeID}, Text: instructions,
	}
	completed := created
	completed.Status = statusCompleted
	return p.show(
		&created,
		&proto.SubagentIdentity{
			NativeID: c.nativeID, ParentNativeID: p.turn.nativeSession, NativeCreatedAt: c.created.Unix(),
			ParentTurnID: fmt.Sprintf("turn-%d", p.number), SourceItemID: created.ID, Name: &s.Name, Instructions: &instructions,
		},
		&proto.SubagentLifecycle{NativeID: c.nativeID, EffectID: p.id("", "effect"), Status: "active", OccurredAtMS: c.created.UnixMilli()},
		&completed,
		c.turn(statusStarted),
	)
}

// subagentEnd ends a child that was left open.
type subagentEnd struct {
	Name   string `json:"name" about:"of the child" need:"yes"`
	Status string `json:"status" about:"how its Turn ends; completed otherwise" of:"completed,failed,cancelled"`
}

func (s *subagentEnd) check(seen labels) error {
	err := seen.refer("open subagent", s.Name)
	delete(seen, "open subagent "+s.Name)
	return err
}

func (s *subagentEnd) play(p *player) error { return p.endChild(s.Name, s.Status) }

// child is a child that is open.
type child struct {
	nativeID, turnID string
	created          time.Time
	items            int
}

// noChild says why no child can be created now, "" when one can.
func (p *player) noChild() string {
	config := p.turn.executor.config
	switch most := config.MaxConcurrentSubagents; {
	case config.DisableSubagents:
		return "subagents are disabled"
	case most != nil && len(p.children) >= *most:
		return fmt.Sprintf("at most %d may be open at the same time", *most)
	}
	return ""
}

func (p *player) newChild() *child {
	id := p.id("", "child")
	return &child{nativeID: id, turnID: id + "-turn", created: time.Now()}
}

// observes reports whether Core wants to see children; it may not be shown any otherwise (wire 3.12).
func (p *player) observes() bool { return p.turn.executor.config.ObserveSubagentIdentities }

// show sends frames about children, where they are wanted.
func (p *player) show(frames ...proto.Payload) error {
	if !p.observes() {
		return nil
	}
	for _, frame := range frames {
		if err := p.send(frame); err != nil {
			return err
		}
	}
	return nil
}

// endChild ends a child's Turn and closes the child. One that was left out has nothing to end.
func (p *player) endChild(name, status string) error {
	c, open := p.children[name]
	if !open {
		return nil
	}
	delete(p.children, name)
	return p.show(
		c.turn(orElse(status, statusCompleted)),
		&proto.SubagentLifecycle{NativeID: c.nativeID, EffectID: p.id("", "effect"), Status: "closed", OccurredAtMS: time.Now().UnixMilli()},
	)
}

// turn is a state of the child's Turn; only a terminal one has an end.
func (c *child) turn(status string) *proto.SubagentTurn {
	created := c.created.UnixMilli()
	state := &proto.SubagentTurn{NativeID: c.nativeID, TurnID: c.turnID, Status: status, CreatedAtMS: created, StartedAtMS: &created}
	if status != statusStarted {
		ended := time.Now().UnixMilli()
		state.CompletedAtMS = &ended
	}
	return state
}

// say shows one message of the child as an item at the next position.
func (c *child) say(p *player, text string) error {
	id := fmt.Sprintf("%s-item-%d", c.nativeID, c.items+1)
	payload, err := proto.EncodePayload(&proto.OutputMessage{ID: id, Status: statusCompleted, Text: &text})
	if err != nil {
		return err
	}
	item := &proto.SubagentItem{NativeID: c.nativeID, TurnID: c.turnID, ItemID: id, Position: int64(c.items), Kind: "output_message", Payload: payload}
	c.items++
	return p.show(item)
}
