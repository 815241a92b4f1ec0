package proto

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Decode reads one message. Its verdicts are those of wire 0.3: unknown members ignored, keys matched without case, the
// last of equal members wins, null is absent, broken UTF-8 replaced. ErrEnvelope means that there is no frame at all.
//
// Type before payload is the order every encoder of the protocol writes, so the body is decoded in the same pass
// (performance: one decode a frame). Anything unusual is read again the long way, with the same verdicts.
func Decode(data []byte) (Frame, error) {
	quick := onePass{data: data}
	if err := json.Unmarshal(data, &quick, lenient()); err == nil {
		return quick.frame, nil
	}
	return decodeTwice(data)
}

// lenient are the verdicts of the standard decoder of Go, which the contract prescribes (wire 0.3). They are reached
// without its way of going on after an error: that reads every value twice, and makes an error of each wrong element.
var lenient = sync.OnceValue(func() json.Options {
	return json.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))
})

// errLongWay makes Decode start again with decodeTwice.
var errLongWay = errors.New("unusual envelope")

// onePass decodes envelope and body together.
type onePass struct {
	data  []byte
	kind  Kind // of the type that came, its New nil before
	frame Frame
}

// UnmarshalJSONFrom reads the envelope of the usual order and spelling.
func (p *onePass) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	open, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if open.Kind() != '{' {
		return errLongWay
	}
	seen := 0 // bit set of the keys that came
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		bit, err := p.member(name, dec)
		if err != nil {
			return err
		}
		if bit == 0 || seen&bit != 0 {
			return errLongWay // an unknown key may be another spelling of a known one; a second key replaces the first
		}
		seen |= bit
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if seen&sawPayload == 0 && p.kind.New != nil {
		p.frame.Payload = p.kind.New()
	}
	return nil
}

const (
	sawType = 1 << iota
	sawID
	sawTrace
	sawPayload
)

// member reads one value and tells which key it was, 0 for none of the four. The name is quoted as it was received.
func (p *onePass) member(name jsontext.Value, dec *jsontext.Decoder) (int, error) {
	switch string(name) {
	case `"type"`:
		return sawType, p.typeOf(dec)
	case `"id"`:
		text, err := text(dec)
		p.frame.ID = text
		return sawID, err
	case `"trace"`:
		text, err := text(dec)
		p.frame.Trace = text
		return sawTrace, err
	case `"payload"`:
		return sawPayload, p.payload(dec)
	}
	return 0, nil
}

// typeOf reads a known type in its plain spelling, and takes its name from the table.
func (p *onePass) typeOf(dec *jsontext.Decoder) error {
	quoted, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if quoted.Kind() != '"' {
		return errLongWay
	}
	kind, known := kindsByType()[Type(quoted[1:len(quoted)-1])]
	if !known {
		return errLongWay
	}
	p.kind = kind
	p.frame.Type = kind.Type
	return nil
}

func text(dec *jsontext.Decoder) (string, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return "", err
	}
	if token.Kind() != '"' {
		return "", errLongWay
	}
	return token.String(), nil
}

// payload decodes the body by the type that came before it.
func (p *onePass) payload(dec *jsontext.Decoder) error {
	if p.kind.New == nil {
		return errLongWay
	}
	before := dec.InputOffset()
	body := p.kind.New()
	if err := json.UnmarshalDecode(dec, body, verdicts(p.kind.Type)); err != nil {
		return errLongWay
	}
	p.frame.Payload = body
	p.frame.Raw = jsontext.Value(bytes.TrimLeft(p.data[before:dec.InputOffset()], " \t\r\n:"))
	return nil
}

// verdicts are the options under which a type's body is read: only tool_call refuses unknown members as a whole
// (wire 1.4); other strict parts have decoders of their own.
func verdicts(t Type) json.Options {
	if t == TypeToolCall {
		return closed()
	}
	return lenient()
}

var closed = sync.OnceValue(func() json.Options {
	return json.JoinOptions(lenient(), json.RejectUnknownMembers(true))
})

// traceText takes a trace of any JSON type; what is no string is no trace (wire 1.3).
type traceText string

// UnmarshalJSONFrom never refuses a value.
func (t *traceText) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*t = ""
	if value.Kind() == '"' {
		var text string
		if json.Unmarshal(value, &text, lenient()) == nil {
			*t = traceText(text)
		}
	}
	return nil
}

// decodeTwice reads the envelope with its body as text, then the body.
func decodeTwice(data []byte) (Frame, error) {
	var envelope struct {
		Type    Type           `json:"type"`
		ID      string         `json:"id"`
		Payload jsontext.Value `json:"payload"`
		Trace   traceText      `json:"trace"`
	}
	if kind := jsontext.Value(data).Kind(); kind != '{' {
		return Frame{}, fmt.Errorf("%w: expected a JSON object", ErrEnvelope)
	}
	if err := json.Unmarshal(data, &envelope, lenient()); err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrEnvelope, err)
	}
	frame := Frame{Type: envelope.Type, ID: envelope.ID, Trace: string(envelope.Trace), Raw: envelope.Payload}
	kind, known := KindOf(frame.Type)
	if !known {
		return frame, nil
	}
	body := kind.New()
	if len(frame.Raw) > 0 {
		if err := json.Unmarshal(frame.Raw, body, verdicts(kind.Type)); err != nil {
			frame.Fault = undecodable(kind, err)
			return frame, nil
		}
	}
	frame.Payload = body
	return frame, nil
}
