package scripted

import (
	"errors"
	"slices"
	"strings"

	"parley/daemon/proto"
)

// Values of the keys phase, split and status of a message, and of refuse in steer.
const (
	phaseCommentary = "commentary"
	splitWhole      = "whole"
	splitCharacter  = "character"
	statusStarted   = "in_progress"
	statusCompleted = "completed"
	refuseNotReady  = "not_ready"
	refuseRejected  = "rejected"
)

// message is one output message (wire 3.2).
type message struct {
	Text    string       `json:"text" about:"what it says; placeholders are filled in" need:"yes"`
	ID      string       `json:"id" about:"its id; one is made otherwise"`
	Phase   string       `json:"phase" about:"commentary is no part of the final content" of:"commentary,final_answer"`
	Split   string       `json:"split" about:"what one delta has; word otherwise" of:"word,character,whole"`
	PaceMS  milliseconds `json:"pace_ms" about:"time before each delta"`
	Status  string       `json:"status" about:"how it ends; completed otherwise" of:"completed,incomplete"`
	Forever bool         `json:"forever" about:"says the text again and again until the Turn is stopped, in messages of at most 64 KiB; needs pace_ms"`
}

func (m *message) check(labels) error {
	if !m.Forever {
		return nil
	}
	if m.PaceMS == 0 || m.Text == "" || m.ID != "" {
		return errors.New("forever needs pace_ms and text, and makes its ids")
	}
	return nil
}

func (m *message) play(p *player) error {
	for {
		if err := m.once(p); err != nil || !m.Forever {
			return err
		}
	}
}

func (m *message) once(p *player) error {
	id := p.id(m.ID, "message")
	if err := p.send(&proto.OutputMessage{ID: id, Status: statusStarted, Phase: m.Phase}); err != nil {
		return err
	}
	if m.Phase != phaseCommentary {
		p.turn.startContent()
	}
	said, err := m.stream(p, id)
	if err != nil {
		return err
	}
	return p.send(&proto.OutputMessage{ID: id, Status: orElse(m.Status, statusCompleted), Phase: m.Phase, Text: &said})
}

// stream sends the deltas and gives the whole text.
func (m *message) stream(p *player, id string) (string, error) {
	var said strings.Builder
	pieces := split(p.text(m.Text), m.Split)
	if len(pieces) == 0 {
		return "", p.pause(m.PaceMS) // so that an empty text forever keeps its pace, too
	}
	for {
		for _, piece := range pieces {
			if err := p.pause(m.PaceMS); err != nil {
				return "", err
			}
			if err := p.send(&proto.Delta{ItemID: id, Delta: piece, Sequence: p.next()}); err != nil {
				return "", err
			}
			said.WriteString(piece)
			if m.Phase != phaseCommentary {
				p.turn.addContent(piece)
			}
		}
		if !m.Forever || said.Len() >= maxExpanded {
			return said.String(), nil
		}
	}
}

// split cuts text into the pieces of its deltas; no text has none.
func split(text, by string) []string {
	var pieces []string
	switch by {
	case splitWhole:
		pieces = []string{text}
	case splitCharacter:
		pieces = strings.Split(text, "")
	default:
		pieces = strings.SplitAfter(text, " ")
	}
	return slices.DeleteFunc(pieces, func(piece string) bool { return piece == "" })
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// startContent forgets the text of an earlier message: the last one is the content of the Turn.
func (t *turn) startContent() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.content.Reset()
}

func (t *turn) addContent(piece string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.content.WriteString(piece)
}

// thinking is shown thinking (wire 3.2).
type thinking struct {
	Text   string       `json:"text" about:"what it says; placeholders are filled in" need:"yes"`
	Split  string       `json:"split" about:"what one fragment has; whole otherwise" of:"word,character,whole"`
	PaceMS milliseconds `json:"pace_ms" about:"time before each fragment"`
}

func (t *thinking) check(labels) error { return nil }

func (t *thinking) play(p *player) error {
	for _, piece := range split(p.text(t.Text), orElse(t.Split, splitWhole)) {
		if err := p.pause(t.PaceMS); err != nil {
			return err
		}
		if err := p.send(&proto.Thinking{Text: piece, Sequence: p.next()}); err != nil {
			return err
		}
	}
	return nil
}

// sleep does nothing for a while.
type sleep struct {
	MS milliseconds `json:"ms" about:"how long" need:"yes"`
}

func (s *sleep) check(labels) error { return nil }

func (s *sleep) play(p *player) error { return p.pause(s.MS) }
