package runner

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// runner 1.2 and 2.4: the quick way to an answer's bytes gives those of the general one.
func TestNegotiationIsEncodedAsEveryDocument(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOfN(rapid.String(), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		n := Negotiation{
			Kind: KindNegotiation, SchemaVersion: SchemaVersion, Status: Status(rapid.String().Draw(t, "status")),
			Negotiation: Terms{
				Version:           rapid.SampledFrom([]string{"", Version}).Draw(t, "version"),
				RequestedVersions: texts.Draw(t, "versions"), Required: texts.Draw(t, "required"), Optional: texts.Draw(t, "optional"),
				Available: Advertised(), Selected: texts.Draw(t, "selected"), UnavailableOptional: texts.Draw(t, "unavailable"),
			},
		}
		for _, message := range texts.Draw(t, "messages") {
			n.Diagnostics = append(n.Diagnostics, Diagnostic{Code: CodeInvalidRequest, Message: message})
		}
		if got, want := encodeNegotiation(n), encode(n); !bytes.Equal(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
	broken := Negotiation{Status: "\xff\u2028<", Diagnostics: []Diagnostic{{Message: "a\xc0b\x00"}}}
	if got, want := encodeNegotiation(broken), encode(broken); !bytes.Equal(got, want) {
		t.Errorf("broken text: got %s, want %s", got, want)
	}
}
