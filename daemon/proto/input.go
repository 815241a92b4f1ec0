package proto

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
