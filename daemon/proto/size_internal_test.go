package proto

import (
	"strings"
	"testing"
)

// wire 1.5: what is taken as short without being encoded is short.
func TestBoundOfARead(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"plain":          "a",
		"controls":       "\x01",
		"HTML":           "<",
		"broken":         "\xff",
		"separators":     "\u2028",
		"beyond ASCII":   "語",
		"surrogates":     "😀",
		"nothing at all": "",
	} {
		text := strings.Repeat(part, 500)
		read := &WorkspaceRead{Handle: text, RunID: text, EnvironmentID: text, Path: text, Operation: text,
			MaxBytes: -1 << 63, MaxEntries: -1 << 63}
		encoded, err := EncodePayload(read)
		if err != nil {
			t.Fatal(err)
		}
		if bound := read.atMost(); bound < len(encoded) {
			t.Errorf("%s: got a bound of %d bytes, want at least the %d of its encoding", name, bound, len(encoded))
		}
	}
}

// wire 1.5: the bound settles nothing above the limit; there the encoding decides.
func TestReadAtTheLimit(t *testing.T) {
	t.Parallel()
	read := &WorkspaceRead{RunID: "r", EnvironmentID: "e", Path: "p", MaxBytes: 1}
	encoded, err := EncodePayload(read)
	if err != nil {
		t.Fatal(err)
	}
	room := MaxReadPayload - len(encoded)
	for _, tc := range []struct {
		name  string
		added string
		valid bool
	}{
		{"full", strings.Repeat("r", room), true},
		{"one over", strings.Repeat("r", room+1), false},
		{"full of escapes", strings.Repeat("<", room/6), true},
		{"one escape over", strings.Repeat("<", room/6+1), false},
	} {
		longer := *read
		longer.RunID += tc.added
		if err := New("read", &longer).Validate(); (err == nil) != tc.valid {
			t.Errorf("%s: got %v, want valid %t", tc.name, err, tc.valid)
		}
	}
}
