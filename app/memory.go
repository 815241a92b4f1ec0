package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// A request of a few megabytes may be read into hundreds. The runtime keeps such memory for the next one and gives it
// back over minutes; the lab stays open for days beside other programs, so it gives it back within seconds
// (hostile-inputs 3).
const (
	lookForIdleMemory = 4 * time.Second
	idleMemory        = 24 << 20 // bytes that may stay idle
)

// returnMemory looks for idle memory until ctx ends.
func returnMemory(ctx context.Context) {
	tick := time.NewTicker(lookForIdleMemory)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			giveBack()
		}
	}
}

// giveBack collects and returns what is not in use, when that is worth it. Between two collections garbage counts as in
// use, so what was allocated since the last one decides too.
func giveBack() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapIdle-m.HeapReleased > idleMemory || m.HeapAlloc > idleMemory {
		debug.FreeOSMemory()
	}
}
