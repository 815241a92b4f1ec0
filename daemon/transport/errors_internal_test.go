package transport

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// behaviour 2, hostile-inputs 3: Core's help is shown as one bounded line, and not at all where the credential is in it.
func TestHelpIsBounded(t *testing.T) {
	t.Parallel()
	const secret = "synthetic-credential"
	for name, tt := range map[string]struct{ text, want string }{
		"plain":               {"create a new device", "create a new device"},
		"umlauts":             {"Gerät erneuern", "Gerät erneuern"},
		"lines and escapes":   {"a\x1b[31m\r\n\tb\u202ec\x00", "a[31m bc"},
		"credential":          {"found " + secret, ""},
		"credential in parts": {"found synthetic\x00-credential", ""},
		"200 bytes":           {strings.Repeat("x", 200), strings.Repeat("x", 200)},
		"more":                {strings.Repeat("x", 199) + "äy", strings.Repeat("x", 199) + "…"},
		"credential at 190":   {strings.Repeat("x", 190) + secret, ""},
		"nothing":             {" \n", ""},
	} {
		got := detailOf(tt.text, secret)
		if got != tt.want || !utf8.ValidString(got) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
