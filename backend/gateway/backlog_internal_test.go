package gateway

import (
	"strings"
	"testing"

	"parley/daemon/proto"
)

// wire 1.7: a small body does not hold the large message around it; where the body is nearly all of it, nothing is copied.
func TestBodyIsDetachedFromALargeMessage(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 1<<20)
	room := make([]byte, 0, 1<<20)
	for name, tc := range map[string]struct {
		message []byte
		copied  bool
	}{
		"large member beside": {[]byte(`{"type":"delta","id":"run","payload":{"delta":"a"},"other":"` + large + `"}`), true},
		"large buffer":        {append(room, `{"type":"delta","id":"run","payload":{"delta":"a"}}`...), true},
		"small message":       {[]byte(`{"type":"delta","id":"run","payload":{"delta":"a"}}`), false},
		"large body":          {[]byte(`{"type":"delta","id":"run","payload":{"delta":"` + large + `"}}`), false},
	} {
		f, err := proto.Decode(tc.message)
		if err != nil {
			t.Fatal(err)
		}
		f = detached(f, tc.message)
		before := string(f.Raw)
		clear(tc.message)
		if copied := string(f.Raw) == before; copied != tc.copied {
			t.Errorf("%s: got a body of its own: %v, want %v", name, copied, tc.copied)
		}
	}
}
