package app

import (
	"runtime"
	"testing"
)

// hostile-inputs 3: what one large request needed goes back to the system.
func TestGiveBackReturnsMemory(t *testing.T) {
	peak := make([]byte, 256<<20)
	for i := 0; i < len(peak); i += 4096 {
		peak[i] = 1
	}
	runtime.KeepAlive(peak)
	peak = nil
	giveBack()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if idle := m.HeapIdle - m.HeapReleased; idle > idleMemory {
		t.Errorf("got %d MiB idle and not returned, want at most %d", idle>>20, idleMemory>>20)
	}
	if m.HeapReleased < 200<<20 {
		t.Errorf("got %d MiB returned, want the peak of 256", m.HeapReleased>>20)
	}
}
