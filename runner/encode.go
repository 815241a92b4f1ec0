package runner

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is any of the documents that this program writes as they are. A terminal is not among them: it is written by
// EncodeTerminal alone.
type Document interface {
	Advertisement | Negotiation | Receipt
}

// Encode gives a document's bytes: compact JSON on one line, closed by a newline, the same on standard output and over
// HTTP (runner 1.2).
func Encode[D Document](doc D) []byte {
	if n, ok := any(doc).(Negotiation); ok {
		return encodeNegotiation(n)
	}
	return encode(doc)
}

// EncodeTerminal is the only way from a terminal to bytes. One that contradicts the contract's own table is withheld
// and infrastructure_failure at the terminalization boundary is written in its place (runner 2.8).
func EncodeTerminal(t Terminal) []byte { return encode(Seal(t)) }

func encode(doc any) []byte {
	out := bytes.NewBuffer(make([]byte, 0, usualSize))
	// Text that an engine gave may hold any bytes; a document is written nevertheless.
	if err := json.MarshalWrite(out, doc, jsontext.AllowInvalidUTF8(true)); err != nil {
		panic(fmt.Sprintf("runner: encode %T: %v", doc, err)) // the documents hold nothing that cannot be encoded
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// usualSize holds most answers of a negotiation.
const usualSize = 1024
