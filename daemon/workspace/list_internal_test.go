package workspace

import (
	"fmt"
	"testing"
)

// wire 5.1
func TestFirstNamesStayBounded(t *testing.T) {
	t.Parallel()
	first := firstNames{max: 1024}
	for i := range 200_000 {
		if err := first.add(fmt.Sprintf("%06d", (i*7919)%200_000)); err != nil {
			t.Fatal(err)
		}
		if len(first.names) >= 2*1024 {
			t.Fatalf("got %d names kept, want fewer than 2048", len(first.names))
		}
	}
	first.cut()
	if len(first.names) != 1024 || first.names[1023] != "001023" || !first.truncated {
		t.Errorf("got %d names up to %s, truncated %v; want 1024 up to 001023, true", len(first.names), first.names[len(first.names)-1], first.truncated)
	}
}
