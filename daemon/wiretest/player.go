package wiretest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// watchFor is how long a silence is watched (behaviour 10).
const watchFor = 50 * time.Millisecond

// player replays one scenario in one role. It belongs to one goroutine.
type player struct {
	plays    Role
	judges   bool // the other side is under test; false for a peer of a judge
	scenario *Scenario
	values   *values
	patience time.Duration // with a frame or end that has to come
	dialling time.Duration // with a dial that has to come

	link *link

	// The means of a Core.
	core     *ScriptedCore
	started  Started                     // the Runtime of this scenario alone; its zero value for one that stays
	met      bool                        // a Runtime has dialled
	settle   func(context.Context) error // nil: settles by itself
	wake     func(context.Context) error
	declared func(*proto.Heartbeat) error // looks at the first heartbeat; nil: anything goes

	// The means of a Runtime.
	runtime *scriptedRuntime
	newest  *link      // the last connection of this player, also after its end
	driver  CoreDriver // nil: the Core acts by itself
	revoke  func(context.Context) error
}

// difference is a step that did not go as it is written.
type difference struct {
	expected any
	seen     any
	text     string // what differs
	section  string // the rule, when it is not the scenario's
	hint     string // why, when the step does not say it
	cause    error
}

// Error says what differs.
func (d *difference) Error() string { return d.text }

// Unwrap gives the cause, if there is one.
func (d *difference) Unwrap() error { return d.cause }

// Ends of a replay that say nothing about the side under test.
var (
	errNotApplicable = errors.New("not declared")
	errNotRun        = errors.New("cannot be run")
)

// errNoDial says that a Runtime never came, errGone that its process ended before it did.
var (
	errNoDial = errors.New("the Runtime did not dial")
	errGone   = errors.New("the Runtime's process ended")
)

// play goes through all steps and gives the number of the step that failed, from 1.
func (p *player) play(ctx context.Context) (int, error) {
	defer p.leave()
	if p.scenario.awaitsConnection() {
		if err := p.connect(ctx, 0); err != nil {
			return 0, err
		}
	}
	for i := range p.scenario.Steps {
		if err := p.step(ctx, &p.scenario.Steps[i]); err != nil {
			return i + 1, err
		}
	}
	if p.link == nil {
		return 0, nil
	}
	if !p.judges {
		_, _, err := p.link.awaitEnd(ctx, p.patience) // the judge ends it
		return 0, err
	}
	// Nothing may follow the last step.
	if err := p.watch(ctx, watchFor); err != nil {
		return len(p.scenario.Steps) + 1, err
	}
	return 0, nil
}

// leave ends the connection in order, so that the next scenario begins on a new one.
func (p *player) leave() {
	if p.link != nil {
		p.link.close(proto.CloseNormal)
		p.link = nil
	}
}

func (p *player) step(ctx context.Context, s *Step) error {
	switch s.Kind {
	case StepFrame:
		if s.From == p.plays {
			return p.send(ctx, s)
		}
		return p.expect(ctx, s)
	case StepUnordered:
		return p.unordered(ctx, s)
	case StepSilent:
		return p.silent(ctx, s)
	case StepSettle:
		return call(ctx, p.settle)
	case StepWake:
		return call(ctx, p.wake)
	case StepLose:
		return p.lose(ctx)
	case StepReconnect:
		return p.reconnect(ctx, s)
	case StepClose:
		return p.close(ctx, s)
	case StepDial:
		return p.dial(ctx, s)
	case StepStopped:
		return p.stopped(ctx, s)
	case StepHTTP:
		return p.exchange(ctx, s)
	case StepObserve:
		return p.observe(ctx, s)
	case StepPull:
		return p.pull(ctx, s)
	}
	return fmt.Errorf("step of kind %q cannot be played", s.Kind)
}

func call(ctx context.Context, do func(context.Context) error) error {
	if do == nil {
		return nil
	}
	return do(ctx)
}

// wait is the patience of a step.
func (p *player) wait(s *Step) time.Duration {
	if s.Wait > 0 {
		return s.Wait
	}
	return p.patience
}

// connect makes a connection whose first frame is a heartbeat (behaviour 3.2).
func (p *player) connect(ctx context.Context, wait time.Duration) error {
	if wait == 0 {
		wait = p.dialling
	}
	if p.plays == Core {
		return p.takeDial(ctx, wait)
	}
	l, err := p.runtime.dial(ctx, proto.Version)
	if err != nil {
		return connectFault(err)
	}
	p.link, p.newest = l, l
	beat := map[string]any{"ts": p.values.given["now"], "active_requests": 0, "supported_agent_kinds": []any{
		map[string]any{"kind": p.values.given["kind"], "available": true, "version": "1", "capabilities": p.values.given["capabilities"]}}}
	if err := p.write(ctx, string(proto.TypeHeartbeat), nil, beat); err != nil {
		return err
	}
	if p.driver == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	return p.driver.Connected(ctx, p.runtime.profile.RuntimeID)
}

func connectFault(err error) error {
	var refusal *socket.Refusal
	if errors.As(err, &refusal) {
		return &difference{expected: "101 Switching Protocols", seen: fmt.Sprintf("%d %s", refusal.Status, refusal.Body),
			text: "Core refused the connection", section: "behaviour 2.1"}
	}
	return &difference{expected: "a connection", seen: "none", text: err.Error(), section: "behaviour 2.1"}
}

func (p *player) takeDial(ctx context.Context, wait time.Duration) error {
	l, err := p.core.accept(ctx, wait, p.started.Ended)
	switch {
	case errors.Is(err, errNothing):
		return &difference{expected: "the Runtime dials within " + wait.String(), seen: "no dial",
			text: errNoDial.Error(), section: "behaviour 3.3", cause: errNoDial}
	case errors.Is(err, errGone):
		return p.gone()
	case err != nil:
		return &difference{expected: "a dial of the Runtime", seen: "a refused one", text: err.Error(), section: "behaviour 2.1"}
	}
	p.link, p.met = l, true
	got, err := l.next(ctx, p.patience)
	if err != nil {
		return p.nothing("a heartbeat", err)
	}
	return p.takeFirst(got)
}

// gone tells how a Runtime ended that had to dial.
func (p *player) gone() error {
	how, said := p.started.How()
	if said != "" {
		said = ": " + said
	}
	if !p.met {
		return &StartError{"the start command " + how + " before it dialled" + said}
	}
	return &difference{expected: "the Runtime dials again", seen: "its process " + how + said, text: "the Runtime ended instead of dialling",
		section: "behaviour 3.3"}
}

// takeFirst takes the first frame of a connection, which is a heartbeat with whole declarations (behaviour 3.2).
func (p *player) takeFirst(got received) error {
	d := &difference{expected: "a heartbeat as the first frame", seen: shown(got), section: "behaviour 3.2"}
	switch {
	case got.err != nil:
		d.text, d.section = fmt.Sprintf("the first message is no frame: %v", got.err), "wire 1.1"
		return d
	case got.frame.Type != proto.TypeHeartbeat:
		d.text = fmt.Sprintf("the first frame is a %q", got.frame.Type)
		return d
	}
	var invalid *difference
	if errors.As(p.valid(got), &invalid) {
		invalid.text = strings.Replace(invalid.text, "the heartbeat", "the first heartbeat", 1)
		return invalid
	}
	beat, isBeat := got.frame.Payload.(*proto.Heartbeat)
	if p.declared == nil || !isBeat {
		return nil
	}
	return p.declared(beat)
}

// nothing explains why no frame came.
func (p *player) nothing(expected any, err error) error {
	switch {
	case errors.Is(err, errNothing):
		return &difference{expected: expected, seen: "nothing", text: "nothing came in time"}
	case errors.Is(err, errEnded):
		return &difference{expected: expected, seen: fmt.Sprintf("the connection ended: %v", p.link.end), text: "the connection ended"}
	}
	return err
}
