package proto

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Encode writes one message: keys in the order of wire 1.1, escaped as the reference encoder does, no white space. It
// fails when a part cannot be said, like an unspecified capability (wire 4.1), or when the message is over MaxFrame.
func Encode(frame Frame) ([]byte, error) {
	envelope := struct {
		Type    Type    `json:"type"`
		ID      string  `json:"id,omitempty"`
		Payload Payload `json:"payload,omitempty"`
		Trace   string  `json:"trace,omitempty"`
	}{frame.Type, frame.ID, frame.Payload, frame.Trace}
	data, err := json.Marshal(envelope, lenient())
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", frame.Type, err)
	}
	if len(data) > MaxFrame {
		return nil, fmt.Errorf("encode %s: frame of %d bytes is over the limit of %d", frame.Type, len(data), MaxFrame)
	}
	return data, nil
}

// EncodePayload writes a payload alone, as it stands in a frame. Sizes and fingerprints are taken of these bytes.
func EncodePayload(payload Payload) ([]byte, error) {
	data, err := json.Marshal(payload, lenient())
	if err != nil {
		return nil, fmt.Errorf("encode payload of %s: %w", payload.Type(), err)
	}
	return data, nil
}
