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
	// Fault says why the body did not decode; nil when it did.
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
	var faults Faults
	f.checkID(kind.ID, &checker{rule: "wire 1.2", faults: &faults})
	switch {
	case f.Fault != nil:
		faults = append(faults, Fault{Rule: kind.Section, Path: "payload", Expected: "a payload that decodes", Found: f.Fault.Error()})
	case f.Payload != nil:
		f.Payload.check(&checker{rule: kind.Section, path: "payload", faults: &faults})
	}
	if len(faults) == 0 {
		return nil
	}
	return faults
}

// checkID applies the rule of the id's kind (wire 1.2).
func (f Frame) checkID(identity Identity, c *checker) {
	switch identity {
	case NoIdentity:
	case TransferIdentity, MutationIdentity:
		c.that(CanonicalUUID(f.ID), "id", "a canonical UUID", f.ID)
	case OperationIdentity, SuspensionIdentity:
		c.that(bounded(f.ID, MaxCorrelation), "id", "1 to 128 bytes, not blank", f.ID)
	default:
		c.that(!Blank(f.ID), "id", "an id that is not blank", f.ID)
	}
}
