package schematest_test

import (
	"strings"
	"testing"

	"parley/runner/schema"
	"parley/runner/schema/schematest"
)

// fatal records what Check would stop a test with.
type fatal struct {
	testing.TB
	said string
}

func (f *fatal) Helper() {}

func (f *fatal) Fatalf(format string, args ...any) {
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			f.said += err.Error()
		}
	}
}

func TestCheckNamesEveryPlaceAndReason(t *testing.T) {
	t.Parallel()
	var got fatal
	schematest.Check(&got, schema.Capabilities, []byte(`{"schema_version":"2.0","versions":[],"capabilities":["a b"]}`))
	for _, want := range []string{schema.Capabilities, `"/schema_version": value must be '1.0'`, `"/versions": minItems`,
		`"/capabilities/0": 'a b' does not match pattern`} {
		if !strings.Contains(got.said, want) {
			t.Errorf("check: got %q, want it to hold %q", got.said, want)
		}
	}
}

func TestCheckIsSilentOnADocumentThatFits(t *testing.T) {
	t.Parallel()
	var got fatal
	schematest.Check(&got, schema.Capabilities, []byte(`{"schema_version":"1.0","versions":["1.0"],"capabilities":[]}`))
	if got.said != "" {
		t.Errorf("check: got %q, want nothing", got.said)
	}
}

func TestValidRefusesWhatItCannotJudge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, doc, want string }{
		{"runner-terminal-2.0", "{}", `schema "runner-terminal-2.0" is not published`},
		{schema.Terminal, "{", "read the document"},
		{schema.Terminal, "", "read the document"},
		{schema.Terminal, "{} {}", "read the document"},
	} {
		if err := schematest.Valid(row.name, []byte(row.doc)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s, %q: got %v, want an error that holds %q", row.name, row.doc, err, row.want)
		}
	}
}
