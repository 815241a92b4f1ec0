package wiretest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"parley/daemon/proto"
	"parley/daemon/proto/socket"
)

// silent watches the other side, or keeps silent long enough for the other side to have watched.
func (p *player) silent(ctx context.Context, s *Step) error {
	span := max(s.Wait, watchFor)
	if s.From == p.plays {
		return p.pause(ctx, span+2*watchFor)
	}
	if s.From == Both && !p.judges {
		return p.pause(ctx, span+2*watchFor)
	}
	return p.watch(ctx, span)
}

func (p *player) pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watch fails when a frame comes, or, while there is no connection, a dial.
func (p *player) watch(ctx context.Context, d time.Duration) error {
	if p.link == nil {
		return p.noDial(ctx, d)
	}
	got, err := p.nextOf(ctx, d)
	switch {
	case errors.Is(err, errNothing):
		return nil
	case err != nil:
		return p.nothing(fmt.Sprintf("nothing for %v", d), err)
	}
	return &difference{expected: fmt.Sprintf("nothing for %v", d), seen: shown(got), text: "a frame came where there must be none"}
}

func (p *player) noDial(ctx context.Context, d time.Duration) error {
	if p.plays == Runtime {
		return p.pause(ctx, d)
	}
	a, _, err := p.core.awaitDial(ctx, d, nil)
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	if a != nil {
		a.decision <- decision{status: 503, code: "internal", detail: "no dial was expected now"}
	}
	return &difference{expected: fmt.Sprintf("no dial for %v", d), seen: "a dial", text: "the Runtime dialled where it must not", section: "behaviour 3.3"}
}

// lose cuts the connection; the judge does it and its peer sees it.
func (p *player) lose(ctx context.Context) error {
	l := p.link
	p.link = nil
	if p.judges {
		l.cut()
		return nil
	}
	if _, _, err := l.awaitEnd(ctx, p.patience); err != nil {
		return p.nothing("the loss of the connection", err)
	}
	return nil
}

// reconnect makes a new connection. While the old one stands it has to give way to the new one (behaviour 3.4).
func (p *player) reconnect(ctx context.Context, s *Step) error {
	old := p.link
	p.link = nil
	if err := p.connect(ctx, s.Wait); err != nil {
		if old != nil {
			old.close(proto.CloseNormal)
		}
		return err
	}
	if old == nil {
		return nil
	}
	if p.plays == Core {
		old.close(proto.CloseNormal)
		return nil
	}
	if _, _, err := old.awaitEnd(ctx, p.patience); err != nil {
		old.close(proto.CloseNormal)
		return &difference{expected: "Core closes the older connection", seen: "it stays open", text: "the older connection was not closed", section: "behaviour 3.4"}
	}
	return nil
}

// close closes the connection or waits until the other side has closed it.
func (p *player) close(ctx context.Context, s *Step) error {
	l := p.link
	p.link = nil
	if s.From == p.plays {
		code := proto.CloseNormal
		if s.Code != 0 {
			code = s.Code
		}
		l.close(code)
		return nil
	}
	if p.plays == Runtime && s.Code == proto.CloseRetired {
		if err := call(ctx, p.revoke); err != nil {
			return err
		}
		p.beat(ctx, l)
	}
	code, stray, err := l.awaitEnd(ctx, p.wait(s))
	switch {
	case err != nil:
		l.close(proto.CloseNormal)
		return &difference{expected: fmt.Sprintf("the %s closes the connection", s.From), seen: "it stays open", text: "the connection was not closed"}
	case stray != nil && !passes(*stray):
		return &difference{expected: fmt.Sprintf("the %s closes the connection", s.From), seen: shown(*stray), text: "a frame came before the end"}
	case s.Code != 0 && code != s.Code:
		return &difference{expected: fmt.Sprintf("closing code %d", s.Code), seen: fmt.Sprintf("closing code %d", code), text: "the closing code differs"}
	}
	return nil
}

func passes(got received) bool {
	for _, kind := range progress() {
		if got.frame.Type == kind {
			return true
		}
	}
	return false
}

// beat sends one heartbeat: a Core notices at the next one that a device has no authority any more (behaviour 2.2).
func (p *player) beat(ctx context.Context, l *link) {
	data, err := json.Marshal(map[string]any{"type": proto.TypeHeartbeat, "payload": map[string]any{"ts": p.values.given["now"], "active_requests": 0}})
	if err == nil {
		_ = l.send(ctx, data) // the connection may have ended already
	}
}

// dial is refused by Core with a status and a code.
func (p *player) dial(ctx context.Context, s *Step) error {
	if p.plays == Core {
		return p.refuse(ctx, s)
	}
	version := proto.Version
	if s.Version != nil {
		version = fmt.Sprint(p.values.send(s.Version))
	}
	l, err := p.runtime.dial(ctx, version)
	expected := fmt.Sprintf("%d %s for version %q", s.Status, s.Error, version)
	if err == nil {
		p.newest = l
		l.close(proto.CloseNormal)
		return &difference{expected: expected, seen: "the connection was opened", text: "the dial was not refused"}
	}
	var refusal *socket.Refusal
	if !errors.As(err, &refusal) {
		return connectFault(err)
	}
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(refusal.Body, &body) != nil || refusal.Status != s.Status || body.Error != s.Error {
		return &difference{expected: expected, seen: fmt.Sprintf("%d %s", refusal.Status, refusal.Body), text: "the refusal differs"}
	}
	return nil
}

func (p *player) refuse(ctx context.Context, s *Step) error {
	a, _, err := p.core.awaitDial(ctx, p.dialling, p.started.Ended)
	switch {
	case errors.Is(err, errNothing):
		return &difference{expected: "a dial of the Runtime", seen: "none", text: errNoDial.Error(), cause: errNoDial}
	case errors.Is(err, errGone):
		return p.gone()
	case err != nil:
		return err
	}
	p.met = true
	if a != nil {
		a.decision <- decision{status: s.Status, code: s.Error, detail: "refused by the scenario"}
	}
	return nil
}

// stopped watches that a Runtime makes no further attempt.
func (p *player) stopped(ctx context.Context, s *Step) error {
	if p.plays == Runtime {
		return nil
	}
	return p.noDial(ctx, max(s.Wait, watchFor))
}

// exchange is one HTTP request to Core.
func (p *player) exchange(ctx context.Context, s *Step) error {
	if p.plays == Core {
		return p.takeUpgrade(ctx, s)
	}
	for deadline := time.Now().Add(s.Wait); ; {
		if s.HTTP.Status == http.StatusSwitchingProtocols {
			p.newest = nil // the exchange makes a connection of its own
		}
		want, got, err := s.HTTP.do(ctx, p.runtime, p.values)
		if err != nil {
			return err
		}
		_, err = p.values.match("", want, got)
		switch {
		case err == nil:
			return nil
		case time.Now().After(deadline):
			return &difference{expected: p.resolved(want), seen: got, text: s.HTTP.Method + " " + s.HTTP.Path + ": " + err.Error()}
		}
		if err := p.pause(ctx, watchFor); err != nil {
			return err
		}
	}
}

// takeUpgrade accepts the one kind of request that the server leaves to the scenario.
func (p *player) takeUpgrade(ctx context.Context, s *Step) error {
	if s.HTTP.Status != http.StatusSwitchingProtocols {
		return nil
	}
	l, err := p.core.accept(ctx, p.patience, nil)
	if err != nil {
		return err
	}
	l.close(proto.CloseNormal)
	return nil
}

// act makes the Core under test send a frame, if it is one that it does not send by itself.
func (p *player) act(ctx context.Context, s *Step) error {
	if p.driver == nil || s.From != Core {
		return nil
	}
	payload := p.values.send(expectedPayload(s))
	do, begins := actOf(s.Type, payload)
	if !begins {
		return nil
	}
	data, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("encode act %s: %w", do, err)
	}
	id, _ := p.values.send(s.ID).(string)
	act := Act{Do: do, Device: p.runtime.profile.RuntimeID, ID: id, Payload: data, Body: bodyOf(p.scenario.Steps, p.values, id)}
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	if err := p.driver.Do(ctx, act); err != nil {
		return &difference{expected: p.wanted(s), seen: err.Error(), text: "Core did not begin to " + do, cause: err}
	}
	return nil
}

// observe compares what Core itself observed, in order.
func (p *player) observe(ctx context.Context, s *Step) error {
	if p.driver == nil {
		return nil
	}
	id, _ := p.values.send(s.ID).(string)
	for i, want := range s.Want {
		want := p.values.send(want)
		wait := p.wait(s)
		if object, isObject := want.(map[string]any); isObject && object["pending"] == true {
			wait = watchFor
		}
		saw, err := p.driver.Observe(ctx, Watch{Of: s.Observed.Of, ID: id}, wait)
		if err != nil {
			return err
		}
		got := normal(saw)
		if _, err := p.values.match("", want, got); err != nil {
			return &difference{expected: want, seen: got, text: fmt.Sprintf("observation %d of %s %q: %v", i+1, s.Observed.Of, id, err)}
		}
	}
	return nil
}
