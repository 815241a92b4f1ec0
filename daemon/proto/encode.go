package proto

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// ErrUnencodable says that a frame cannot be sent on any connection: it is the sender's fault and not the line's.
var ErrUnencodable = errors.New("frame cannot be encoded")

// Encode writes one message: keys in the order of wire 1.1, escaped as the contract says, no white space. It
// fails with ErrUnencodable when a part cannot be said, like an unspecified capability (wire 4.1), or when the message is
// over MaxFrame.
func Encode(frame Frame) ([]byte, error) {
	if cancel, ok := frame.Payload.(*PromptCancel); ok && *cancel == (PromptCancel{}) {
		frame.Payload = nil // the one body that may be left out (wire 1.1)
	}
	envelope := struct {
		Type    Type    `json:"type"`
		ID      string  `json:"id,omitempty"`
		Payload Payload `json:"payload,omitempty"`
		Trace   string  `json:"trace,omitempty"`
	}{frame.Type, frame.ID, frame.Payload, frame.Trace}
	data, err := json.Marshal(&envelope, lenient())
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnencodable, frame.Type, err)
	}
	if len(data) > MaxFrame {
		return nil, fmt.Errorf("%w: %s of %d bytes is over the limit of %d", ErrUnencodable, frame.Type, len(data), MaxFrame)
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

// DigestPayload identifies what a payload says: equal requests have equal digests (wire 3.6.1). A payload that was
// decoded can always be encoded; for one that cannot the digest is zero.
func DigestPayload(payload Payload) [32]byte { return digest(payload) }

// digest is the SHA-256 of a value's encoding.
func digest(value any) (sum [32]byte) {
	hash := sha256.New()
	if err := json.MarshalWrite(hash, value, lenient()); err != nil {
		return sum
	}
	hash.Sum(sum[:0])
	return sum
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

var _ io.Writer = (*counter)(nil)

// encodedSize is the length of EncodePayload without its bytes.
func encodedSize(payload Payload) (int, error) {
	var size counter
	err := json.MarshalWrite(&size, payload, lenient())
	return int(size), err
}
