package scripted

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

// usage is one cumulative measurement (wire 3.4).
type usage struct {
	Tokens   *proto.TokenUsage `json:"tokens" about:"input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens, total_tokens, all five"`
	Provider string            `json:"provider" about:"who served the model"`
	Model    string            `json:"model" about:"which model"`
	CostUSD  float64           `json:"cost_usd" about:"what it cost"`
}

func (u *usage) check(labels) error {
	if u.measured().Zero() {
		return errors.New("expected at least one key that says something")
	}
	return nil
}

func (u *usage) measured() *proto.Usage {
	return &proto.Usage{Tokens: u.Tokens, Provider: u.Provider, Model: u.Model, CostUSD: u.CostUSD}
}

func (u *usage) play(p *player) error {
	measured := u.measured()
	if err := p.send(measured); err != nil {
		return err
	}
	p.turn.measure(measured)
	return nil
}

func (t *turn) measure(u *proto.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = u
}

// failure is an error frame (wire 3.4).
type failure struct {
	Text       string `json:"text" about:"for people; placeholders are filled in" need:"yes"`
	Code       string `json:"code" about:"how the engine failed, such as rate_limit_exceeded (wire 5.3)"`
	HTTPStatus *int   `json:"http_status" about:"100 to 599, with connection_failed"`
}

func (f *failure) check(labels) error {
	if f.Code != "" && !slices.Contains(proto.EngineCodes(), f.Code) {
		return fmt.Errorf("key \"code\": %q is not known; known are %q", f.Code, proto.EngineCodes())
	}
	if s := f.HTTPStatus; s != nil && (f.Code != proto.ConnectionFailed || *s < 100 || *s > 599) {
		return fmt.Errorf("key \"http_status\": expected 100 to 599 beside code %q, found %d beside %q", proto.ConnectionFailed, *s, f.Code)
	}
	return nil
}

func (f *failure) play(p *player) error {
	return p.send(&proto.Failure{Error: p.text(f.Text), Code: f.Code, HTTPStatus: f.HTTPStatus})
}

// foreign is a frame of another Run, a violation (behaviour 6.1).
type foreign struct {
	Run  string `json:"run" about:"id of the other Run" need:"yes"`
	Text string `json:"text" about:"of the delta"`
}

func (f *foreign) check(labels) error {
	if f.Run == "" {
		return errors.New("key \"run\": expected an id")
	}
	return nil
}

func (f *foreign) play(p *player) error {
	return p.sendFrame(proto.New(f.Run, &proto.Delta{ItemID: p.id("", "foreign"), Delta: f.Text, Sequence: p.next()}))
}

// done ends the output.
type done struct {
	Content  *string                   `json:"content" about:"final text; that of the last message otherwise; placeholders are filled in"`
	Tokens   *proto.TokenUsage         `json:"tokens" about:"final measurement; the last one otherwise"`
	Metadata map[string]jsontext.Value `json:"metadata" about:"keys to add to agent_session_id and agent_session_type, or to replace them"`
}

func (d *done) check(seen labels) error {
	seen[labelEnd], seen[labelDone] = true, true
	return nil
}

// labelDone is there once a step has said done.
const labelDone = "done said"

func (d *done) play(p *player) error {
	end := p.turn.outcome()
	if d.Content != nil {
		end.Content = p.text(*d.Content)
	}
	if d.Tokens != nil {
		end.Usage = &proto.Usage{Tokens: d.Tokens}
	}
	maps.Copy(end.Metadata, d.Metadata)
	if err := p.send(&end); err != nil {
		return err
	}
	p.saidDone = true
	return nil
}

// afterDone is a frame after Done, a violation (behaviour 6.1).
type afterDone struct {
	Text string `json:"text" about:"of the delta"`
}

func (a *afterDone) check(seen labels) error {
	if !seen[labelDone] {
		return errors.New("expected a done step before it")
	}
	return nil
}

func (a *afterDone) play(p *player) error {
	return p.send(&proto.Delta{ItemID: p.id("", "late"), Delta: a.Text, Sequence: p.next()})
}

// noDone leaves done out, a violation (behaviour 6.1).
type noDone struct{}

func (n *noDone) check(seen labels) error {
	seen[labelEnd] = true
	return nil
}

func (n *noDone) play(*player) error { return nil }
