package proto

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrEnvelope says that a message is no envelope: not one JSON object, or a key of the wrong type. It is dropped and
// the connection kept (wire 1.6).
var ErrEnvelope = errors.New("message is no envelope")

// Frame is one envelope (wire 1.1).
type Frame struct {
	Type  Type
	ID    string // "" when absent
	Trace string // "" when absent or not a string; never a reason to refuse (wire 1.3)
	// Payload is the typed body: the zero value when absent, nil when the type is unknown or the body did not decode.
	Payload Payload
	// Raw is the body as received, nil when absent. It shares the message's bytes.
	Raw jsontext.Value
	// Fault says why the body did not decode, as a Fault; nil when it did.
	Fault error
}

// New makes a frame to send.
func New(id string, payload Payload) Frame {
	return Frame{Type: payload.Type(), ID: id, Payload: payload}
}

// Validate tells every rule that the frame breaks by itself: its id, its payload, or that the payload did not decode.
// What depends on an earlier frame is told by the Answers methods of the results. The error is nil or Faults.
func (f Frame) Validate() error {
	kind, known := KindOf(f.Type)
	if !known {
		return Faults{{Rule: "wire 2", Path: "type", Expected: "a type of this protocol", Found: show(string(f.Type))}}
	}
	c := checker{rule: "wire 1.2"}
	f.checkID(kind.ID, &c)
	c.rule = kind.Section
	switch {
	case f.Fault != nil:
		c.under("", Faults{f.undecoded(kind)})
	case f.Payload != nil:
		c.under("payload", f.Payload.check())
		if len(c.faults) == 0 { // a wrong payload may be very large, and is refused anyway
			f.checkSize(kind, &c)
		}
	}
	return c.faults.orNil()
}

// undecoded is the fault of a body that did not decode.
func (f Frame) undecoded(kind Kind) Fault {
	if fault, ok := errors.AsType[Fault](f.Fault); ok {
		return fault
	}
	return undecodable(kind, f.Fault)
}

// checkID applies the rule of the id's kind (wire 1.2).
func (f Frame) checkID(identity Identity, c *checker) {
	switch identity {
	case NoIdentity:
	case TransferIdentity, MutationIdentity:
		c.text(CanonicalUUID(f.ID), "id", "a canonical UUID", f.ID)
	case OperationIdentity, SuspensionIdentity:
		c.text(bounded(f.ID, MaxCorrelation), "id", "1 to 128 bytes, not blank", f.ID)
	default:
		c.text(!Blank(f.ID), "id", "an id that is not blank", f.ID)
	}
}

// sized is a payload that knows a bound of its encoded size, in bytes, without being encoded.
type sized interface{ atMost() int }

// escaped bounds the bytes that texts take as JSON strings: escaping makes six bytes of one at most.
func escaped(texts ...string) int {
	size := 0
	for _, text := range texts {
		size += 6 * len(text)
	}
	return size
}

// checkSize bounds the encoded payload: as it was received, or as it will be sent. A begin counts as encoded again
// (wire 3.8.1). What is short for certain need not be encoded to be known as short.
func (f Frame) checkSize(kind Kind, c *checker) {
	const emptyKeys = 1 << 10 // keys that encoding adds to what was received, at most
	if kind.Most == 0 {
		return
	}
	size := len(f.Raw)
	again := f.Type == TypeRuntimePrepare && 6*size+emptyKeys > kind.Most
	if short, ok := f.Payload.(sized); ok && f.Raw == nil && short.atMost() <= kind.Most {
		return
	}
	if f.Raw == nil || again {
		encoded, err := encodedSize(f.Payload)
		c.that(err == nil, "payload", "a payload that can be encoded", "one that cannot")
		size = encoded
	}
	c.by("wire 1.5", func(c *checker) { c.within("payload", int64(size), 0, int64(kind.Most)) })
}
