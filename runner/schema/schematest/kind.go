package schematest

import (
	"bytes"
	"testing"

	"parley/runner"
	"parley/runner/schema"
)

// CheckKind checks a text that may be a document of the contract by the kind it bears. Text of no kind passes: doors use
// this on every answer a test sees.
func CheckKind(t testing.TB, text []byte) {
	t.Helper()
	for kind, name := range map[string]string{
		runner.KindNegotiation: schema.NegotiationResponse, runner.KindUnit: schema.Unit, runner.KindTerminal: schema.Terminal,
	} {
		if bytes.HasPrefix(text, []byte(`{"kind":"`+kind+`"`)) {
			Check(t, name, text)
		}
	}
}
