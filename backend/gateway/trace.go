package gateway

import (
	"crypto/rand"
	"encoding/hex"
)

// newTrace makes a W3C traceparent for frames that have none (wire 1.3).
func newTrace() string {
	var id [24]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	text := make([]byte, 0, 55)
	text = append(text, "00-"...)
	text = hex.AppendEncode(text, id[:16])
	text = append(text, '-')
	text = hex.AppendEncode(text, id[16:])
	return string(append(text, "-01"...))
}
