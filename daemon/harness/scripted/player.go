package scripted

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"parley/daemon/proto"
)

// player plays the steps of one Turn, in its goroutine.
type player struct {
	turn     *turn
	number   int // of the Turn in its native Session
	values   map[string]string
	counts   map[string]int                         // ids given so far, by what they are for
	calls    map[string]proto.FunctionCall          // that did not wait, by the id in the script
	results  map[string]<-chan proto.FunctionResult // of the same calls
	children map[string]*child                      // that are open, by name
	sequence uint64                                 // of the last fragment
	saidDone bool
}

func newPlayer(t *turn, number int, values map[string]string) *player {
	return &player{
		turn: t, number: number, values: values, counts: map[string]int{},
		calls: map[string]proto.FunctionCall{}, results: map[string]<-chan proto.FunctionResult{}, children: map[string]*child{},
	}
}

// play plays steps until one of them is stopped.
func (p *player) play(steps []step) error {
	for _, next := range steps {
		if err := next.play(p); err != nil {
			return err
		}
	}
	return nil
}

// send gives one frame of the Run to the consumer, however slow, unless the Turn is stopped.
func (p *player) send(payload proto.Payload) error {
	return p.sendFrame(proto.New(p.turn.runID, payload))
}

func (p *player) sendFrame(frame proto.Frame) error {
	if p.turn.active.Err() != nil {
		return context.Cause(p.turn.active)
	}
	select {
	case p.turn.output <- frame:
		return nil
	case <-p.turn.active.Done():
		return context.Cause(p.turn.active)
	}
}

func (p *player) pause(d milliseconds) error { return pause(p.turn.active, d.duration()) }

func (p *player) text(text string) string { return expand(text, p.values) }

func (p *player) json(value jsontext.Value) jsontext.Value {
	if value == nil {
		return nil
	}
	return expandJSON(value, p.values)
}

// id gives what the script wants, or one that no other Turn of the native Session has.
func (p *player) id(wanted, what string) string {
	if id := p.text(wanted); id != "" {
		return id
	}
	p.counts[what]++
	return fmt.Sprintf("%s-%d-%d", what, p.number, p.counts[what])
}

func (p *player) next() uint64 {
	p.sequence++
	return p.sequence
}

// note says in a message what was left out and why.
func (p *player) note(text string) error {
	return (&message{Text: text, Phase: phaseCommentary, Split: splitWhole}).play(p)
}
