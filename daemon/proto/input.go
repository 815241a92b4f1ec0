package proto

import "slices"

// MessageInput is ordered user input (wire 3.5.2); the order of messages and parts survives every hop.
type MessageInput []Message

// Message is one user message.
type Message struct {
	Content []InputContent `json:"content"`
}

// InputContent is one part: text or image (wire 3.5.1).
type InputContent struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	ImageURL *string `json:"image_url,omitempty"`
}

// Types of a part.
const (
	InputText  = "input_text"
	InputImage = "input_image"
)

// TextInput makes input of one message with one text.
func TextInput(text string) MessageInput {
	return MessageInput{{Content: []InputContent{TextPart(text)}}}
}

// TextPart makes a text part.
func TextPart(text string) InputContent { return InputContent{Type: InputText, Text: &text} }

// HasImage reports an image in any message.
func (m MessageInput) HasImage() bool {
	for _, message := range m {
		if ContentHasImage(message.Content) {
			return true
		}
	}
	return false
}

// ContentHasImage reports an image among parts.
func ContentHasImage(parts []InputContent) bool {
	for _, part := range parts {
		if part.Type == InputImage {
			return true
		}
	}
	return false
}

// Validate applies the rules of wire 3.5.2; the error is nil or Faults.
func (m MessageInput) Validate() error { return m.check().orNil() }

func (m MessageInput) check() Faults {
	c := checker{rule: "wire 3.5.2"}
	c.that(len(m) > 0, "", "at least one message", "none")
	each(&c, "", m, (*Message).check)
	return c.faults
}

func (m *Message) check() Faults {
	c := checker{rule: "wire 3.5.2"}
	each(&c, "content", m.Content, (*InputContent).checkInMessage)
	c.that(slices.ContainsFunc(m.Content, InputContent.says), "content", "an image or a text that is not empty", "neither")
	return c.faults
}

// says reports a part that gives its message something to say.
func (p InputContent) says() bool {
	return p.Type == InputImage && p.ImageURL != nil && !Blank(*p.ImageURL) || p.Type == InputText && p.Text != nil && *p.Text != ""
}

// checkInMessage adds what a message wants of a part (wire 3.5.2).
func (p *InputContent) checkInMessage() Faults {
	c := checker{rule: "wire 3.5.2", faults: p.check()}
	if p.Type == InputImage && p.ImageURL != nil {
		c.text(!Blank(*p.ImageURL), "image_url", "a URL that is not blank", *p.ImageURL)
	}
	return c.faults
}

// check applies the rules of one part (wire 3.5.1).
func (p *InputContent) check() Faults {
	c := checker{rule: "wire 3.5.1"}
	c.oneOf("type", p.Type, InputText, InputImage)
	switch p.Type {
	case InputText:
		c.that(p.Text != nil, "text", "text, also an empty one", "none")
		c.absent(p.ImageURL == nil, "image_url")
	case InputImage:
		c.that(p.ImageURL != nil, "image_url", "a URL", "none")
		c.absent(p.Text == nil, "text")
	}
	return c.faults
}
